"""Any target with holes, as columns beside `observed`."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from halfseen.tables.as_array import as_array
from halfseen.tables.frames import (
    column_names,
    has_columns,
    import_narwhals,
    is_frame,
    open_frame,
    open_series,
)
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.read_array import read_array
from halfseen.tables.read_cells import read_categories
from halfseen.tables.read_series import read_series
from halfseen.tables.target import Target, TargetKind

NOTHING_OBSERVED = (
    "y has no observed label; at least one is needed (HalfseenImputer fits features alone)."
)
_KINDS = ("auto", "classes", "labels", "outputs")
# Whole numbers beyond this are no longer told apart by float64.
_EXACT = 2.0**53
_WIDEST_TEXT = 2**16


def read_target(y: Any, kind: Literal["auto", "classes", "labels", "outputs"] = "auto") -> Target:
    """Read a target with holes.

    Parameters
    ----------
    y : array-like, series or frame of shape (n_rows,) or (n_rows, n_columns)
        NaN, None, ``pandas.NA`` and nulls are unknown labels.
    kind : {"auto", "classes", "labels", "outputs"}, default "auto"
        By "auto", one column is classes; several columns are labels when every observed value
        is 0 or 1, otherwise outputs. With a kind given, a target without any observed label can
        be read too (a later batch, for instance).

    Returns
    -------
    Target
        Its columns.

    Warns
    -----
    DataConversionWarning
        Classes came as a matrix of one column.

    Raises
    ------
    ValueError
        Nothing is observed, the values are continuous or infinite, or the kind does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> read_target(["cat", None, "dog"]).kind
    'classes'
    >>> read_target(np.array([[0, np.nan], [1, 1]])).kind
    'labels'
    >>> read_target(np.array([[0, 2], [1, 1]])).kind
    'outputs'
    """
    if kind not in _KINDS:
        valid = ", ".join(repr(known) for known in _KINDS)
        raise ValueError(f"Unknown kind of target {kind!r}; valid kinds are {valid}.")
    if y is None:
        raise ValueError("Expected array-like (array or non-string sequence), got None for y.")
    columns, names, dtypes, is_matrix = _read_frame(y) if is_frame(y) else _read_array(y)
    resolved = _resolve(kind, columns, is_matrix)
    if resolved == "labels":
        _refuse_other_than_labels(columns, names)
    else:
        _refuse_continuous(columns, names)
    n_rows = len(columns[0].values)
    target = Target(resolved, columns, names, n_rows, dtypes)
    if kind == "auto" and target.n_observed == 0:
        raise ValueError(NOTHING_OBSERVED)
    if is_matrix and resolved == "classes":
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
    return target


_Read = tuple[tuple[RawColumn, ...], tuple[str, ...], tuple[str, ...], bool]


def _read_array(y: Any) -> _Read:
    array = as_array(y, "y")
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise ValueError(
            "y should be a 1d array of classes, or a 2d array with a column per label, got an "
            f"array of shape {array.shape} instead."
        )
    matrix = array.reshape(len(array), -1) if array.ndim == 2 else array[:, np.newaxis]
    names = tuple(f"y{j}" for j in range(matrix.shape[1])) if array.ndim == 2 else ("y",)
    columns = read_array(matrix, names, "y")
    dtypes = tuple(_array_dtype(matrix[:, j], column) for j, column in enumerate(columns))
    exact = tuple(
        _exact(column, dtype, matrix[:, j], names[j])
        for j, (column, dtype) in enumerate(zip(columns, dtypes, strict=True))
    )
    return exact, names, dtypes, array.ndim == 2


def _read_frame(y: Any) -> _Read:
    single = open_series(y)
    if single is not None:
        opened = [single]
        names: tuple[str, ...] = (str(single.name) if single.name else "y",)
    elif not has_columns(y):
        return _read_array(np.asarray(y, dtype=object))  # an index or an extension array
    else:
        opened = list(open_frame(y, "y").iter_columns())
        names = column_names(y)
    if not opened:
        raise ValueError("y should be a series of classes, or a frame with a column per label.")
    columns, dtypes = [], []
    for series, name in zip(opened, names, strict=True):
        column = read_series(series, name, "y")
        dtype = _series_dtype(series, column)
        if dtype.startswith(("int", "uint")):
            column = _exact(column, dtype, series.to_list(), name)
        columns.append(column)
        dtypes.append(dtype)
    return tuple(columns), names, tuple(dtypes), single is None


def _exact(column: RawColumn, dtype: str, cells: Any, name: str) -> RawColumn:
    """Keep whole numbers as they are where float64 would merge neighbours."""
    whole = dtype.startswith(("int", "uint")) or dtype == "object"
    if column.is_text or not whole or not (np.abs(column.values) >= _EXACT).any():
        return column
    return read_categories(cells, name, "y")


def _array_dtype(cells: NDArray[Any], column: RawColumn) -> str:
    dtype = cells.dtype
    if dtype.kind == "U":
        width = max(dtype.itemsize // 4, 1)
        return f"<U{width}" if width <= _WIDEST_TEXT else "object"
    if dtype.kind == "f" and dtype.itemsize > 8:
        return "float64"
    return dtype.newbyteorder("=").name if dtype.kind in "iufb" else _cell_dtype(cells, column)


def _cell_dtype(cells: Any, column: RawColumn) -> str:
    """Choose the numpy type of classes that came as Python objects."""
    if column.is_bool:
        return "bool"
    seen = [cells[row] for row in np.flatnonzero(column.observed).tolist()]
    if all(isinstance(cell, int | np.integer) for cell in seen) and seen:
        limits = np.iinfo(np.int64)
        fits = limits.min <= min(seen) and max(seen) <= limits.max
        return "int64" if fits else "object"
    return "object" if column.is_text else "float64"


def _series_dtype(series: Any, column: RawColumn) -> str:
    nw = import_narwhals()
    known = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)
    if series.dtype in (*known, nw.Float32, nw.Float64):
        return str(series.dtype).lower()
    return _cell_dtype(column.values if column.is_text else series.to_list(), column)


def _resolve(kind: str, columns: tuple[RawColumn, ...], is_matrix: bool) -> TargetKind:
    if kind == "labels":
        return "labels"
    if kind == "outputs":
        return "outputs"
    if kind == "classes" and len(columns) > 1:
        raise ValueError(
            f"y has {len(columns)} columns, but classes are a single one; "
            "pass kind 'labels' or 'outputs'."
        )
    if len(columns) == 1:
        return "classes"
    return "labels" if all(_wrong_label(column) is None for column in columns) else "outputs"


def _wrong_label(column: RawColumn) -> int | None:
    if column.is_text:
        return column.first_row(column.observed)
    return column.first_row((column.values != 0.0) & (column.values != 1.0))


def _refuse_other_than_labels(columns: tuple[RawColumn, ...], names: tuple[str, ...]) -> None:
    for column, name in zip(columns, names, strict=True):
        row = _wrong_label(column)
        if row is not None:
            value = column.values[row : row + 1].tolist()[0]
            raise ValueError(
                f"Labels are 0 or 1, but column {name!r} of y holds {value!r} in row {row}. "
                "Use 0 and 1 with NaN for unknown, or read y as 'outputs'."
            )


def _refuse_continuous(columns: tuple[RawColumn, ...], names: tuple[str, ...]) -> None:
    label_type = "continuous" if len(columns) == 1 else "continuous-multioutput"
    for column, name in zip(columns, names, strict=True):
        if column.is_text:
            continue
        row = column.first_row(column.values != np.floor(column.values))
        if row is not None:
            raise ValueError(
                f"Unknown label type: {label_type}. Column {name!r} of y holds "
                f"{column.values[row].item()!r} in row {row}; classes are whole numbers or text. "
                "Bin the values, or add the column to X as a numeric feature."
            )
