"""Embeddings of rows, complete or not, when the loadings of the columns are given."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def fold_in(
    loadings: NDArray[np.float64], ridge: float, X: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimiser of ``||x_O - V_O u||^2 + ridge ||u||^2`` for every row x, over its observed part O.

    Rows with the same entries observed share one factorisation, so complete rows cost one solve
    altogether; otherwise time is O(n k^2 (d + k)).

    Parameters
    ----------
    loadings : ndarray of shape (n_columns, n_components)
        V.
    ridge : float
        Positive.
    X : ndarray of shape (n_rows, n_columns)
        NaN where missing.

    Returns
    -------
    ndarray of shape (n_rows, n_components)
        u of every row; 0 for a row without observed entries.

    Examples
    --------
    >>> import numpy as np
    >>> fold_in(np.array([[1.0], [2.0]]), 1.0, np.array([[2.0, np.nan], [np.nan, np.nan]]))
    array([[1.],
           [0.]])
    """
    observed = ~np.isnan(X)
    values = np.where(observed, X, 0.0)
    patterns, pattern_of_row = np.unique(np.packbits(observed, axis=1), axis=0, return_inverse=True)
    rows_by_pattern = np.argsort(pattern_of_row.ravel(), kind="stable")
    bounds = np.searchsorted(pattern_of_row.ravel()[rows_by_pattern], np.arange(len(patterns) + 1))
    identity = ridge * np.eye(loadings.shape[1])
    embeddings = np.zeros((len(X), loadings.shape[1]))
    for first, last in pairwise(bounds):
        rows = rows_by_pattern[first:last]
        seen = observed[rows[0]]
        if seen.any():
            seen_loadings = loadings[seen]
            gram = seen_loadings.T @ seen_loadings + identity
            embeddings[rows] = np.linalg.solve(gram, seen_loadings.T @ values[rows][:, seen].T).T
    return embeddings
