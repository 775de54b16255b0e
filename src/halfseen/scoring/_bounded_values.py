"""True values and their bounds at the entries that were hidden."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._scored_values import scored_values


class BoundedValues(NamedTuple):
    """Entries at which intervals are scored.

    Attributes
    ----------
    above : ndarray of float of shape (n_scored,)
        Upper bound minus true value.
    below : ndarray of float of shape (n_scored,)
        Lower bound minus true value.
    column : ndarray of int of shape (n_scored,)
        The column of every scored entry.
    """

    above: NDArray[np.float64]
    below: NDArray[np.float64]
    column: NDArray[np.int64]


def bounded_values(true: object, lower: object, upper: object, hidden: object) -> BoundedValues:
    """Compare a table with bounds at the hidden entries whose true value is known.

    Parameters
    ----------
    true : array-like of shape (n_rows, n_columns)
        The numbers before hiding; may itself have holes, which are skipped.
    lower, upper : array-like of the same shape
        Bounds of every hidden entry.
    hidden : array-like of bool of the same shape
        True where an entry was hidden from the method that gave the bounds.

    Returns
    -------
    BoundedValues
        One element per hidden entry of known value.

    Examples
    --------
    >>> bounded_values([[1.0, 2.0]], [[0.0, 0.0]], [[3.0, 0.0]], [[True, False]]).above
    array([2.])
    """
    below, above = scored_values(true, lower, hidden), scored_values(true, upper, hidden)
    crossed = np.flatnonzero(above.error < below.error)
    if crossed.size:
        raise ValueError(
            f"A lower bound in column {below.column[crossed[0]]} lies above its upper bound; "
            "give the lower bounds first."
        )
    return BoundedValues(above.error, below.error, below.column)
