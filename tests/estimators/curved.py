"""Tables whose columns are functions of one number, with holes in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def curved_table(n_rows: int = 600) -> Floats:
    """Waves, of which a Gaussian knows nothing."""
    phase = np.array([0.0, 1.0, 2.0])
    return _with_holes(np.cos(_angle(n_rows) * [1, 2, 2] + phase))


def straight_table(n_rows: int = 600) -> Floats:
    """Multiples, of which a Gaussian knows everything."""
    return _with_holes(_angle(n_rows) * [1, -1, 2])


def _angle(n_rows: int) -> Floats:
    return np.random.default_rng(0).uniform(0.0, 2 * np.pi, (n_rows, 1))


def _with_holes(X: Floats) -> Floats:
    generator = np.random.default_rng(1)
    noisy = X + 0.1 * X.std(axis=0) * generator.standard_normal(X.shape)
    return np.where(generator.random(X.shape) < 0.2, np.nan, noisy)
