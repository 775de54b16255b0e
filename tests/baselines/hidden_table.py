"""A small table with hidden entries that many tests share."""

from __future__ import annotations

import numpy as np


def table(
    n_rows: int = 96, target: str = "labels"
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X and Y in full, then with 40 % hidden: three factors give 16 features and the labels.

    Networks are tried on one shape, and so share compilations.
    """
    generator = np.random.default_rng([0, 9])
    factors = generator.standard_normal((n_rows, 3))
    X = factors @ generator.standard_normal((3, 16)) * 2.0 + 5.0
    X += 0.2 * generator.standard_normal(X.shape)
    if target == "classes":
        Y = np.eye(3)[np.argmax(factors, axis=1)]
        hidden_y = np.broadcast_to(generator.random((n_rows, 1)) < 0.4, Y.shape)
    else:
        Y = (factors + 0.3 > 0).astype(float)
        hidden_y = generator.random(Y.shape) < 0.4
    hidden_x = generator.random(X.shape) < 0.4
    return X, Y, np.where(hidden_x, np.nan, X), np.where(hidden_y, np.nan, Y)
