"""Any table with its holes filled, in the container it came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.as_array import as_array
from halfseen.tables.fill_array import fill_array
from halfseen.tables.fill_frame import fill_frame
from halfseen.tables.frames import is_frame
from halfseen.tables.read_table import read_table


def fill_table(X: Any, fills: Sequence[NDArray[Any] | None]) -> Any:
    """Fill the holes of a table and nothing else.

    Observed cells come back bit by bit as they were; `X` is never modified.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        The table with holes.
    fills : sequence of ndarray of shape (n_rows,) or None
        Per column the values for its holes, or None to leave the column alone. Boolean columns
        receive True where the value is at least one half.

    Returns
    -------
    array or frame
        The same container with the same names, index and types, with these exceptions: an
        integer array becomes float64, an integer column of a frame becomes floating where a hole
        was filled, and a list of rows becomes an array (float64, or object when it holds text).

    Raises
    ------
    ValueError
        The fills do not match the table.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, np.nan], [np.nan, 4.0]])
    >>> fill_table(X, [np.array([7.0, 8.0]), None])
    array([[ 1., nan],
           [ 8.,  4.]])
    """
    table = read_table(X)
    if len(fills) != len(table.columns):
        raise ValueError(f"X has {len(table.columns)} columns, but {len(fills)} fills were given.")
    for name, fill in zip(table.names, fills, strict=True):
        if fill is not None and fill.shape != (table.n_rows,):
            raise ValueError(
                f"The fill of column {name!r} has shape {fill.shape}; "
                f"{(table.n_rows,)} was expected."
            )
    if is_frame(X):
        return fill_frame(X, table, fills)
    if isinstance(X, np.ndarray):
        return fill_array(X, table, fills)
    array = as_array(X, "X")
    if not hasattr(X, "__array__") and not any(raw.is_text for raw in table.columns):
        columns = [np.where(c.observed, c.values, np.nan) for c in table.columns]
        array = np.stack(columns, axis=1).astype(np.float64)
    return fill_array(array, table, fills)
