"""Root mean squared error of filled-in values in standard deviations."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._scored_values import scored_values
from halfseen.scoring.spread_of_columns import spread_of_columns


def standardised_rmse(true: object, filled: object, hidden: object) -> float:
    """Root mean squared error over hidden entries, each in units of its column's spread.

    The spread of a column is the standard deviation of all its known true
    values, hidden or not, so that every method is measured with the same rod;
    filling in the mean scores about 1. Constant columns have no spread and are
    skipped.

    Parameters
    ----------
    true : array-like of shape (n_rows, n_columns)
        The numbers before hiding. Entries that were never known are skipped.
    filled : array-like of the same shape
        The table with the hidden entries filled in. Other entries are not
        looked at.
    hidden : array-like of bool of the same shape
        True where an entry was hidden from the method that filled it, and is
        scored.

    Returns
    -------
    float
        0 is perfect.

    Raises
    ------
    ValueError
        When no hidden entry has a known value, one was not filled in, or all
        scored columns are constant.

    Examples
    --------
    >>> true = [[0.0, 5.0], [2.0, 5.0], [4.0, 5.0], [6.0, 5.0]]
    >>> filled = [[3.0, 5.0], [2.0, 9.0], [4.0, 5.0], [6.0, 5.0]]
    >>> hidden = [[True, False], [False, True], [False, False], [False, False]]
    >>> round(standardised_rmse(true, filled, hidden), 4)  # 3 / sqrt(5)
    1.3416
    """
    scored = scored_values(true, filled, hidden)
    spread = spread_of_columns(true)[scored.column]
    varied = spread > 0
    if not varied.any():
        raise ValueError(
            "Every column with a hidden entry is constant, so there is no spread to measure by; "
            "use rmse."
        )
    return float(np.sqrt(np.mean((scored.error[varied] / spread[varied]) ** 2)))
