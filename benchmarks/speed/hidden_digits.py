"""scikit-learn's digits with half of the pixels and half of the labels hidden."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits


def hidden_digits(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pixels and classes, NaN where hidden.

    Examples
    --------
    >>> X, y = hidden_digits()
    >>> bool(0.45 < np.isnan(X).mean() < 0.55), X.shape
    (True, (1797, 64))
    """
    X, y = load_digits(return_X_y=True)
    generator = np.random.default_rng(seed)
    X = np.where(generator.random(X.shape) < 0.5, np.nan, X)
    y = np.where(generator.random(y.shape) < 0.5, np.nan, y.astype(np.float64))
    return X, y
