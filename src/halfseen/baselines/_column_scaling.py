"""Columns brought to the range that a network wants, judged by their observed entries alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._observed_scale import observed_scale


class ColumnScaling(NamedTuple):
    """An affine map for each column.

    A constant column has scale 0: whatever the network says, it comes back as that constant. A
    column without any observed entry comes back as 0.
    """

    offset: NDArray[np.float64]  # (n_columns,)
    scale: NDArray[np.float64]  # (n_columns,)

    def scaled(self, X: NDArray[np.float64]) -> NDArray[np.float32]:
        """X of shape (n_rows, n_columns) in the network's range; 0 where missing."""
        divisor = np.where(self.scale > 0, self.scale, 1.0)
        return np.where(np.isnan(X), 0.0, (X - self.offset) / divisor).astype(np.float32)

    def unscaled(self, scaled: NDArray[np.float32]) -> NDArray[np.float64]:
        """Back from the network's range."""
        return self.offset + self.scale * scaled.astype(np.float64)


def standardising(X: NDArray[np.float64]) -> ColumnScaling:
    """Mean 0 and variance 1 over the observed entries of each column.

    Examples
    --------
    >>> standardising(np.array([[1.0, np.nan], [3.0, np.nan]]))
    ColumnScaling(offset=array([2., 0.]), scale=array([1., 0.]))
    """
    mean, spread = observed_scale(X)
    lowest, highest = _range(X)
    # Rounding leaves a constant column with a spread that is not exactly zero.
    return ColumnScaling(mean, np.where(highest > lowest, spread, 0.0))


def to_unit_interval(X: NDArray[np.float64]) -> ColumnScaling:
    """Smallest observed entry of each column to 0, largest to 1.

    Examples
    --------
    >>> to_unit_interval(np.array([[1.0, np.nan], [3.0, np.nan]]))
    ColumnScaling(offset=array([1., 0.]), scale=array([2., 0.]))
    """
    lowest, highest = _range(X)
    return ColumnScaling(lowest, highest - lowest)


def _range(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    observed = ~np.isnan(X)
    seen = observed.any(axis=0)
    lowest = np.where(observed, X, np.inf).min(axis=0)
    highest = np.where(observed, X, -np.inf).max(axis=0)
    return np.where(seen, lowest, 0.0), np.where(seen, highest, 0.0)
