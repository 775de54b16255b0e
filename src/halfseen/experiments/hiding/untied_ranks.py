"""Ranks without ties, so that what is hidden depends on values and never on places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def untied_ranks(X: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Ranks within columns, between 0 and 1; equal values in drawn order.

    How a sort orders equal values depends on the machine, and favours early or late rows; a drawn
    order does neither. Missing entries get any rank, so that the ranks of the known ones stay
    spread evenly.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Numbers, NaN where missing.
    generator : numpy.random.Generator
        What the order of equal values is drawn from.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        No two alike within a column.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [2.0], [0.0]])
    >>> untied_ranks(X, np.random.default_rng(0)).ravel().tolist()
    [0.875, 0.375, 0.625, 0.125]
    """
    drawn = generator.random(X.shape)
    order = np.lexsort((drawn, X), axis=0)  # NaN comes last
    place = np.empty(X.shape)
    np.put_along_axis(place, order, np.arange(len(X), dtype=float)[:, None] + 0.5, axis=0)
    known = ~np.isnan(X)
    ranks: NDArray[np.float64] = np.where(known, place / np.maximum(known.sum(axis=0), 1), drawn)
    return ranks
