"""One column of a frame, through narwhals."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfseen.tables.frames import import_narwhals
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.read_array import date_error
from halfseen.tables.read_cells import read_categories, read_cells, refuse_infinity


def read_series(series: Any, name: str, what: str) -> RawColumn:
    """Read one column of a frame.

    Nullable columns keep arbitrary bytes behind their nulls; nulls are NaN, or are filled, before
    the buffer is read, so those bytes never matter. Numbers are not filled by narwhals: for that it
    changes the filters of warnings, which belong to all threads (as pandas does for nullable ones).

    Parameters
    ----------
    series : narwhals.Series
        The column.
    name : str
        Its name, for messages.
    what : str
        Name of the frame, for messages.

    Returns
    -------
    RawColumn
        The column; text, categorical and enumeration types are text columns.

    Raises
    ------
    TypeError
        The column holds dates, or objects that are neither text nor numbers.
    ValueError
        The column holds complex or infinite values.

    Examples
    --------
    >>> import narwhals as nw
    >>> import pandas as pd
    >>> ages = pd.Series([31, None, 45], dtype="Int64")
    >>> read_series(nw.from_native(ages, series_only=True), "age", "X").values
    array([31.,  0., 45.])
    """
    nw = import_narwhals()
    dtype = series.dtype
    if dtype.is_temporal():
        raise date_error(name, str(dtype), what)
    if dtype == nw.Boolean:
        return _read_booleans(series)
    if dtype.is_numeric():
        return _read_numbers(series, name, what)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return read_categories(series.to_list(), name, what)
    return read_cells(series.to_list(), name, what)


def _read_booleans(series: Any) -> RawColumn:
    observed = ~np.asarray(series.is_null().to_numpy(), dtype=bool)
    filled = series if observed.all() else series.fill_null(False)
    values = np.asarray(filled.to_numpy(), dtype=np.float32)
    return RawColumn(np.where(observed, values, np.float32(0)), observed, False, is_bool=True)


def _read_numbers(series: Any, name: str, what: str) -> RawColumn:
    nw = import_narwhals()
    short = series.dtype in (nw.Float32, nw.Int8, nw.Int16, nw.UInt8, nw.UInt16)
    observed = ~np.asarray(series.is_null().to_numpy(), dtype=bool)
    floats = series.cast(nw.Float32 if short else nw.Float64)
    values = np.array(floats.to_numpy(), dtype=np.float32 if short else np.float64)
    observed &= ~np.isnan(values)
    np.copyto(values, 0.0, where=~observed)
    refuse_infinity(values, name, what)
    return RawColumn(values, observed, is_text=False, is_bool=False)
