"""One batch of rows, read from whatever it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.cells import Cells
from halfseen.inspection.read_objects import read_numbers, read_objects, read_texts
from halfseen.tables import RawColumn, Table
from halfseen.tables.as_array import as_array
from halfseen.tables.frames import column_names, import_narwhals, is_frame, open_frame


@dataclass(frozen=True, eq=False)
class Batch:
    """One batch of rows.

    Attributes
    ----------
    names : tuple of str
        Column names.
    columns : tuple of Cells
        One per name.
    n_rows : int
        Number of rows, which may be 0.

    Examples
    --------
    >>> batch = read_batch({"a": ([1.0, 2.0], [True, False])})
    >>> batch.names, batch.n_rows, batch.columns[0].observed
    (('a',), 2, array([ True, False]))
    """

    names: tuple[str, ...]
    columns: tuple[Cells, ...]
    n_rows: int


def read_batch(data: Any) -> Batch:
    """Read one batch of rows.

    Nothing is refused that can at least be counted: dates, infinite numbers and cells that are
    neither text nor numbers are told apart, not turned away.

    Parameters
    ----------
    data : frame, Table, mapping or array-like of shape (n_rows, n_columns)
        A pandas, polars or pyarrow table; a `halfseen.tables.Table`; a mapping from column name to
        ``(values, observed)``; or a numpy array or list of rows, whose columns become "x0",
        "x1", ... NaN, None, ``pandas.NA`` and nulls are missing.

    Returns
    -------
    Batch
        Its columns.

    Raises
    ------
    ValueError
        Columns of unlike length, repeated names, or data that are not two-dimensional.

    Examples
    --------
    >>> import pandas as pd
    >>> batch = read_batch(pd.DataFrame({"size": [1.5, None], "colour": ["red", None]}))
    >>> [cells.sort for cells in batch.columns]
    ['number', 'text']
    """
    if isinstance(data, Batch):
        return data
    if isinstance(data, Table):
        return Batch(data.names, tuple(map(_from_raw, data.columns)), data.n_rows)
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if is_frame(data):
        frame = open_frame(data, "The table")
        columns = tuple(_from_series(series) for series in frame.iter_columns())
        return Batch(column_names(data), columns, len(frame))
    return _from_array(as_array(data, "The table"))


def _from_array(array: NDArray[Any]) -> Batch:
    if array.ndim != 2:
        raise ValueError(
            f"The table must have rows and columns, but the data have {array.ndim} dimension(s)."
        )
    names = tuple(f"x{j}" for j in range(array.shape[1]))
    columns = tuple(_from_values(array[:, j]) for j in range(len(names)))
    return Batch(names, columns, len(array))


def _from_mapping(data: Mapping[Any, Any]) -> Batch:
    names = tuple(str(name) for name in data)
    columns = tuple(_from_pair(values, observed) for values, observed in data.values())
    lengths = {len(cells) for cells in columns}
    if len(lengths) > 1:
        listed = ", ".join(f"{n!r}: {len(c)}" for n, c in zip(names, columns, strict=True))
        raise ValueError(f"The columns of a batch must have equally many rows ({listed}).")
    return Batch(names, columns, lengths.pop() if lengths else 0)


def _from_pair(values: Any, observed: Any) -> Cells:
    seen = np.asarray(observed, dtype=bool)
    array = as_array(values, "A column")
    if array.dtype.kind in "fiub":
        return read_numbers(array, seen, "bool" if array.dtype.kind == "b" else "number")
    # What lies behind a hole is never looked at.
    objects = array.astype(object)
    objects[~seen] = None
    return read_objects(objects.tolist())


def _from_raw(raw: RawColumn) -> Cells:
    if raw.is_text:
        return read_texts(raw.values.tolist())
    return read_numbers(raw.values, raw.observed, "bool" if raw.is_bool else "number")


def _from_values(values: NDArray[Any]) -> Cells:
    kind = values.dtype.kind
    if kind in "fiub":
        return read_numbers(values, np.ones(len(values), bool), "bool" if kind == "b" else "number")
    if kind == "M":
        return _from_moments(values)
    return read_objects(values.tolist())


def _from_moments(values: NDArray[Any]) -> Cells:
    moments = values.astype("datetime64[us]")
    observed = ~np.isnat(moments)
    return read_numbers(np.where(observed, moments.astype(np.int64), 0), observed, "date")


def _from_series(series: Any) -> Cells:
    nw = import_narwhals()
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return read_texts(series.to_list())
    observed = ~np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype in (nw.Date, nw.Datetime):
        moments = series.dt.timestamp("us").cast(nw.Float64).fill_null(0.0)
        return read_numbers(moments.to_numpy(), observed, "date")
    if dtype == nw.Boolean:
        return read_numbers(series.fill_null(False).to_numpy(), observed, "bool")
    if dtype.is_numeric():
        return read_numbers(series.cast(nw.Float64).fill_null(0.0).to_numpy(), observed, "number")
    return read_objects(series.to_list())
