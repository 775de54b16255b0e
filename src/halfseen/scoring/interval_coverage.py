"""Share of hidden numbers that lie within their intervals."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._bounded_values import bounded_values


def interval_coverage(true: object, lower: object, upper: object, hidden: object) -> float:
    """Share of hidden entries whose true value lies within its interval, bounds included.

    Intervals are honest when the share is their level, such as 0.9. Wide ones
    hold everything: report `interval_width` beside it.

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
        Between 0 and 1.

    Raises
    ------
    ValueError
        When no hidden entry has a known value, one has no bounds, or a lower
        bound lies above its upper bound.

    Examples
    --------
    >>> hidden = [[True, False], [True, True]]
    >>> interval_coverage([[1.0, 2.0], [3.0, 4.0]], [[0.0, 9.0], [4.0, 4.0]],
    ...     [[2.0, 9.0], [5.0, 6.0]], hidden)
    0.6666666666666666
    """
    bounded = bounded_values(true, lower, upper, hidden)
    return float(np.mean((bounded.below <= 0) & (bounded.above >= 0)))
