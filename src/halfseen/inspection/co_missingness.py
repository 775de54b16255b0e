"""Which columns lose their values together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def co_missingness(observed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Correlation of the `observed` of columns.

    Parameters
    ----------
    observed : ndarray of bool, shape (n_columns, n_rows)
        True where the entry was seen.

    Returns
    -------
    ndarray of float, shape (n_columns, n_columns)
        1 where two columns always lose their values together, below 0 where one is seen when the
        other is not. A column that is always or never seen has correlation 0 with all others and
        1 with itself.

    Examples
    --------
    >>> import numpy as np
    >>> co_missingness(np.array([[True, False, True], [True, False, True], [False, True, False]]))
    array([[ 1.,  1., -1.],
           [ 1.,  1., -1.],
           [-1., -1.,  1.]])
    """
    n_columns, n_rows = observed.shape
    if not n_rows:
        return np.eye(n_columns)
    seen = observed.astype(np.float32)
    together = (seen @ seen.T).astype(np.float64)  # exact: counts far below 2 ** 24
    n_seen = np.diag(together).copy()
    covariance = together * n_rows - np.outer(n_seen, n_seen)
    variance = n_seen * (n_rows - n_seen)
    scale = np.sqrt(np.outer(variance, variance))
    correlation: NDArray[np.float64] = np.zeros_like(scale)
    np.divide(covariance, scale, out=correlation, where=scale > 0)
    np.fill_diagonal(correlation, 1.0)
    return correlation
