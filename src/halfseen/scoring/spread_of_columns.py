"""Standard deviations of columns: the rod by which errors and widths are measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._finite_entries import finite_entries
from halfseen.scoring._label_array import label_array
from halfseen.scoring.known import known


def spread_of_columns(true: object) -> NDArray[np.float64]:
    """Standard deviation of the known values of every column.

    Parameters
    ----------
    true : array-like of shape (n_rows, n_columns) or (n_rows,)
        Numbers, missing where unknown; one dimension is one column.

    Returns
    -------
    ndarray of shape (n_columns,)
        Exactly 0 where the known values are all the same, or there are none.

    Raises
    ------
    ValueError
        When a known entry is not a finite number.

    Examples
    --------
    >>> spread_of_columns([[0.0, 0.1, None], [2.0, 0.1, None], [None, 0.1, None]])
    array([1., 0., 0.])
    """
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
