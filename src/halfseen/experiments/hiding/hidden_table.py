"""A table with holes, and where they were made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class HiddenTable(NamedTuple):
    """A table with holes, and where they were made.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features, NaN where hidden or missing.
    Y : ndarray of shape (n_rows, n_labels)
        Labels, NaN where hidden or unknown.
    hidden_features, hidden_labels : ndarray of bool
        True where an entry was known and is now hidden: the entries to be scored.

    Examples
    --------
    >>> table = hidden_table(np.array([[1.0, np.nan]]), np.array([[0.0]]),
    ...     np.array([[True, True]]), np.array([[False]]))
    >>> table.X, table.hidden_features
    (array([[nan, nan]]), array([[ True, False]]))
    """

    X: NDArray[np.float64]
    Y: NDArray[np.float64]
    hidden_features: NDArray[np.bool_]
    hidden_labels: NDArray[np.bool_]


def hidden_table(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    hide_features: NDArray[np.bool_],
    hide_labels: NDArray[np.bool_],
) -> HiddenTable:
    """Hide the given entries; what was missing before was not hidden.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where something is missing from the start.
    hide_features, hide_labels : ndarray of bool, same shapes
        What shall be hidden.

    Returns
    -------
    HiddenTable

    Examples
    --------
    >>> hidden_table(np.ones((1, 2)), np.ones((1, 1)), np.array([[True, False]]),
    ...     np.array([[True]])).Y
    array([[nan]])
    """
    return HiddenTable(
        np.where(hide_features, np.nan, X),
        np.where(hide_labels, np.nan, Y),
        hide_features & ~np.isnan(X),
        hide_labels & ~np.isnan(Y),
    )
