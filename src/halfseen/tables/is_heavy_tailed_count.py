"""Whether observed numbers are counts with a heavy tail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALLEST_MAXIMUM = 10.0
_SKEWNESS = 3.0


def is_heavy_tailed_count(values: NDArray[Any]) -> bool:
    """Whether observed numbers are counts with a heavy tail.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        At least one value, all finite.

    Returns
    -------
    bool
        All are whole numbers not below 0, with a maximum of at least 10 and a skewness above 3.
        Of fewer than 12 values the skewness cannot be that high.

    Examples
    --------
    >>> import numpy as np
    >>> is_heavy_tailed_count(np.array([0.0] * 12 + [1.0, 2.0, 3.0, 400.0]))
    True
    >>> is_heavy_tailed_count(np.arange(400.0))
    False
    """
    low, high = float(values.min()), float(values.max())
    if low < 0.0 or high < _SMALLEST_MAXIMUM or low == high:
        return False
    if not np.array_equal(values, np.floor(values)):
        return False
    # Skewness knows neither place nor scale; within 0 to 1 no power can overflow.
    within = (values.astype(np.float64) - low) / (high - low)
    away = within - within.mean()
    spread = float(np.sqrt(np.mean(np.square(away))))
    return float(np.mean((away / spread) ** 3)) > _SKEWNESS
