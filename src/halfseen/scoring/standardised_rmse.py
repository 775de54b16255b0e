"""Root mean squared error of filled-in values in standard deviations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._finite_entries import finite_entries
from halfseen.scoring._label_array import label_array
from halfseen.scoring._scored_values import scored_values
from halfseen.scoring.known import known


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
    spread = _spread_of_columns(true)[scored.column]
    varied = spread > 0
    if not varied.any():
        raise ValueError(
            "Every column with a hidden entry is constant, so there is no spread to measure by; "
            "use rmse."
        )
    return float(np.sqrt(np.mean((scored.error[varied] / spread[varied]) ** 2)))


def _spread_of_columns(true: object) -> NDArray[np.float64]:
    values = label_array(true)
    observed = known(values)
    numbers = np.full(values.shape, np.nan)
    numbers[observed] = finite_entries(true, observed, "true")
    columns = numbers[:, None] if numbers.ndim == 1 else numbers
    spread = np.zeros(columns.shape[1])
    for index, column in enumerate(columns.T):
        entries = column[~np.isnan(column)]
        # Rounding gives equal numbers a tiny standard deviation; their range is exactly zero.
        if entries.size and entries.min() < entries.max():
            spread[index] = entries.std()
    return spread
