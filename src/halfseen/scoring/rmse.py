"""Root mean squared error of filled-in values."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._scored_values import scored_values


def rmse(true: object, filled: object, hidden: object) -> float:
    """Root mean squared error over all hidden entries, pooled, in raw units.

    Columns of large spread dominate; `standardised_rmse` gives every column
    the same weight.

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
        When no hidden entry has a known value, or one was not filled in.

    Examples
    --------
    >>> rmse([[1.0, 2.0], [3.0, 4.0]], [[4.0, 2.0], [3.0, 8.0]], [[True, False], [False, True]])
    3.5355339059327378
    """
    return float(np.sqrt(np.mean(scored_values(true, filled, hidden).error ** 2)))
