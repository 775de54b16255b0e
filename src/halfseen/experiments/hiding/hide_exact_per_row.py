"""Hiding the same number of entries in every row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OWN_STREAM = 49_979_693


def hide_exact_per_row(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
    """The same share of every row's known entries, rounded down; which ones is drawn.

    Rows that lose almost everything, as entries drawn one by one leave now and then, cannot occur.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Numbers, NaN where missing from the start.
    rate : float in [0, 1]
        Share to hide.
    seed : int
        Seed of the mask.

    Returns
    -------
    ndarray of bool, same shape
        True where hidden.

    Examples
    --------
    >>> hide_exact_per_row(np.zeros((4, 10)), 0.3, seed=0).sum(axis=1).tolist()
    [3, 3, 3, 3]
    """
    missing = np.isnan(X)
    order = np.random.default_rng([seed, _OWN_STREAM]).random(X.shape)
    order[missing] = 2.0  # after every known entry
    place = np.argsort(np.argsort(order, axis=1), axis=1)
    # 0.29 * 100 is a little less than 29.
    n_hidden = np.floor(rate * (~missing).sum(axis=1) + 1e-9)
    hidden: NDArray[np.bool_] = place < n_hidden[:, None]
    return hidden
