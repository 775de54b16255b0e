"""Mean width of intervals in standard deviations."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._bounded_values import bounded_values
from halfseen.scoring.spread_of_columns import spread_of_columns


def interval_width(true: object, lower: object, upper: object, hidden: object) -> float:
    """Mean width of the intervals of hidden entries, each in units of its column's spread.

    The spread of a column is the standard deviation of all its known true
    values, hidden or not. Constant columns have no spread and are skipped. Of
    two methods with the same `interval_coverage`, the one with the narrower
    intervals knows more.

    Parameters
    ----------
    true : array-like of shape (n_rows, n_columns)
        The numbers before hiding. Entries that were never known are skipped.
    lower, upper : array-like of the same shape
        Bounds of the hidden entries. Other entries are not looked at.
    hidden : array-like of bool of the same shape
        True where an entry was hidden from the method that gave the bounds,
        and is scored.

    Returns
    -------
    float
        At least 0; 3.29 for intervals of level 0.9 that know nothing but mean
        and spread of normal columns.

    Raises
    ------
    ValueError
        When no hidden entry has a known value, one has no bounds, a lower
        bound lies above its upper bound, or all scored columns are constant.

    Examples
    --------
    >>> true = [[0.0], [2.0], [4.0], [6.0]]  # the spread is sqrt(5)
    >>> round(interval_width(true, [[0.0]] * 4, [[5.0]] * 4, [[True]] * 4), 4)
    2.2361
    """
    bounded = bounded_values(true, lower, upper, hidden)
    spread = spread_of_columns(true)[bounded.column]
    varied = spread > 0
    if not varied.any():
        raise ValueError(
            "Every column with a hidden entry is constant, so there is no spread to measure by."
        )
    return float(np.mean((bounded.above - bounded.below)[varied] / spread[varied]))
