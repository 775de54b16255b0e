"""Mean and spread of each column over its observed entries, and the way there and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# A spread below this share of a column's size is rounding, not variation.
ROUNDING = 1e-10


class ObservedScale(NamedTuple):
    """What a column is shifted and divided by.

    Examples
    --------
    >>> scale = observed_scale(np.array([[1.0, 5.0], [3.0, np.nan]]))
    >>> scale.standardised(np.array([[1.0, 6.0]]))
    array([[-1.,  1.]])
    >>> scale.restored(np.array([[-1.0, 1.0]]))
    array([[1., 6.]])
    """

    mean: NDArray[np.float64]  # (n_columns,)
    spread: NDArray[np.float64]  # (n_columns,), positive

    def standardised(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The table in units of spread around the mean; NaN stays NaN."""
        return (table - self.mean) / self.spread

    def restored(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The table back in its own units."""
        return table * self.spread + self.mean


def observed_scale(table: NDArray[np.float64]) -> ObservedScale:
    """Mean and standard deviation over what is observed in each column.

    A column without observed entries has mean 0, and one without variation has spread 1.

    Examples
    --------
    >>> observed_scale(np.array([[2.0, np.nan, 7.0], [4.0, np.nan, 7.0]])).mean
    array([3., 0., 7.])
    """
    observed = ~np.isnan(table)
    n_observed = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, table, 0.0).sum(axis=0) / n_observed
    deviation = np.where(observed, table - mean, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / n_observed)
    varies = spread > ROUNDING * np.abs(mean)
    return ObservedScale(mean, np.where(varies, spread, 1.0))
