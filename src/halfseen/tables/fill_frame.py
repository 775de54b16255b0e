"""The holes of a frame, filled in the frame's own library."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.fill_array import kept_within
from halfseen.tables.frames import import_narwhals, open_frame
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.table import Table


def fill_frame(frame: Any, table: Table, fills: Sequence[NDArray[Any] | None]) -> Any:
    """Fill the holes of a frame.

    Parameters
    ----------
    frame : frame of shape (n_rows, n_columns)
        A pandas, polars or pyarrow table; it is not modified.
    table : Table
        The same frame as it was read.
    fills : sequence of ndarray of shape (n_rows,) or None
        Per column the values for its holes, or None to leave it alone.

    Returns
    -------
    frame
        Of the same library, with the same names, index and types. Integer columns become
        floating ones where a hole was filled; columns without holes are passed on untouched.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from halfseen.tables import read_table
    >>> X = pd.DataFrame({"age": pd.array([31, None], dtype="Int64")}, index=["ann", "bo"])
    >>> fill_frame(X, read_table(X), [np.array([40.5, 40.5])])
          age
    ann  31.0
    bo   40.5
    """
    nw = import_narwhals()
    opened = open_frame(frame, "X")
    todo = [
        j
        for j, (raw, fill) in enumerate(zip(table.columns, fills, strict=True))
        if fill is not None and not raw.observed.all()
    ]
    native = opened.to_native()
    series = list(opened.iter_columns())
    if opened.implementation.is_pandas_like():
        filled = native.copy()
        for j in todo:
            filled.isetitem(j, _pandas_column(series[j], table.columns[j], _some(fills[j])))
    elif opened.implementation.is_polars():
        filled = native.with_columns(
            _polars_column(series[j], table.columns[j], _some(fills[j])) for j in todo
        )
    else:
        filled = native
        for j in todo:
            array = _arrow_column(series[j], table.columns[j], _some(fills[j]))
            field = filled.schema.field(j).with_type(array.type)
            filled = filled.set_column(j, field, array)
    return nw.from_native(filled, eager_only=True) if isinstance(frame, nw.DataFrame) else filled


def _some(fill: NDArray[Any] | None) -> NDArray[Any]:
    assert fill is not None
    return fill


def _merged(raw: RawColumn, fill: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Observed values beside the filled holes, as numbers, booleans or objects."""
    if raw.is_text:
        cells = raw.values.copy()
        cells[~raw.observed] = fill[~raw.observed]
        return cells
    if raw.is_bool:
        return np.where(raw.observed, raw.values == 1.0, fill >= 0.5)
    # By name, because older narwhals knows no half floats.
    kind = np.dtype({"Float16": "float16", "Float32": "float32"}.get(str(dtype), "float64"))
    filled = raw.values.astype(kind)
    filled[~raw.observed] = kept_within(fill[~raw.observed], kind)
    return filled


def _pandas_column(series: Any, raw: RawColumn, fill: NDArray[Any]) -> Any:
    nw = import_narwhals()
    rows = np.flatnonzero(~raw.observed)
    values = _merged(raw, fill, series.dtype)[rows]
    if series.dtype.is_integer() or series.dtype.is_decimal():
        series = series.cast(nw.Float64)
    column = series.to_native().copy()
    if hasattr(column, "sparse"):  # pandas cannot set entries of a sparse column
        column = column.sparse.to_dense()
    if series.dtype in (nw.Categorical, nw.Enum):
        new = [value for value in dict.fromkeys(values) if value not in column.cat.categories]
        column = column.cat.add_categories(new) if new else column
    # One by one in Python's own types for object and text columns, else as one array.
    column.iloc[rows] = values if series.dtype.is_numeric() else values.tolist()
    return column


def _polars_column(series: Any, raw: RawColumn, fill: NDArray[Any]) -> Any:
    polars = import_module("polars")
    native = series.to_native()
    values = _merged(raw, fill, series.dtype)
    if not raw.is_text:
        return polars.Series(native.name, values)
    dtype = native.dtype
    if isinstance(dtype, polars.Enum):
        dtype = polars.Enum(list(dict.fromkeys([*dtype.categories.to_list(), *values.tolist()])))
    return polars.Series(native.name, values.tolist(), dtype=dtype)


def _arrow_column(series: Any, raw: RawColumn, fill: NDArray[Any]) -> Any:
    pyarrow = import_module("pyarrow")
    values = _merged(raw, fill, series.dtype)
    if not raw.is_text:
        return pyarrow.array(values)
    return pyarrow.array(values.tolist(), type=series.to_native().type)
