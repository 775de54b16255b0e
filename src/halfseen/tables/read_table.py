"""Any table with holes, as columns beside `observed`."""

from __future__ import annotations

from typing import Any

from halfseen.tables.as_array import as_array
from halfseen.tables.frames import column_names, is_frame, open_frame
from halfseen.tables.read_array import read_array
from halfseen.tables.read_series import read_series
from halfseen.tables.table import Table


def read_table(X: Any, what: str = "X") -> Table:
    """Read a table with holes.

    Missing is NaN, None, ``pandas.NA`` or a null; no number stands for missing. Text and
    categorical columns are text; an object column is text as soon as one cell is.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_columns)
        numpy array, list of rows, or pandas, polars or pyarrow table. It is never modified.
    what : str, default "X"
        Name of the table, for messages.

    Returns
    -------
    Table
        Its columns.

    Raises
    ------
    TypeError
        Sparse data, dates, or a cell that is neither text nor a number.
    ValueError
        Not two-dimensional, empty, complex or infinite values, or repeated column names.

    Examples
    --------
    >>> import numpy as np
    >>> table = read_table(np.array([[0.5, np.nan], [1.5, 2.0]]))
    >>> table.names
    ('x0', 'x1')
    >>> table.columns[1].observed
    array([False,  True])
    """
    if is_frame(X):
        return _read_frame(X, what)
    array = as_array(X, what)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead for {what}. Reshape your data: "
            "array.reshape(-1, 1) for a single column, array.reshape(1, -1) for a single row."
        )
    n_rows, n_columns = array.shape
    _refuse_nothing(n_rows, n_columns, what)
    names = tuple(f"x{j}" for j in range(n_columns))
    return Table(read_array(array, names, what), names, n_rows)


def _read_frame(X: Any, what: str) -> Table:
    frame = open_frame(X, what)
    names = column_names(X)
    n_rows = len(frame)
    _refuse_nothing(n_rows, len(names), what)
    series = frame.iter_columns()
    columns = tuple(read_series(s, name, what) for s, name in zip(series, names, strict=True))
    return Table(columns, names, n_rows)


def _refuse_nothing(n_rows: int, n_columns: int, what: str) -> None:
    shape = f"(shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
    if n_columns == 0:
        raise ValueError(f"Found {what} with 0 feature(s) {shape}")
    if n_rows == 0:
        raise ValueError(f"Found {what} with 0 sample(s) {shape}")
