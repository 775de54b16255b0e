"""A target with holes, its holes decided."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.as_array import as_array
from halfseen.tables.frames import has_columns, import_narwhals, is_frame, open_series
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.target import Target


def fill_target(y: Any, target: Target, decided: NDArray[Any]) -> Any:
    """Fill the unknown labels of a target with decisions; known ones stay as they are.

    Parameters
    ----------
    y : array-like, series or frame of shape (n_rows,) or (n_rows, n_columns)
        The target; it is not modified.
    target : Target
        The same target as it was read.
    decided : ndarray of the shape of y
        A class or label for every entry.

    Returns
    -------
    array, series or frame
        Like y, with the index and names it had; a list comes back as an array. Where the type of y
        cannot hold a decision (a column of NaN that is filled with text), the type gives way.

    Raises
    ------
    ValueError
        A column that cannot hold objects has numbers, and text was decided, or the reverse.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import read_target
    >>> y = ["cat", None, "dog"]
    >>> fill_target(y, read_target(y), np.array(["cat", "dog", "cat"]))
    array(['cat', 'dog', 'dog'], dtype=object)
    """
    by_column = np.asarray(decided).reshape(target.n_rows, len(target.columns))
    answers = [_answers(raw, by_column[:, j].tolist()) for j, raw in enumerate(target.columns)]
    if is_frame(y) and (has_columns(y) or open_series(y) is not None):
        return _filled_frame(y, target, answers)
    # An index or an extension array is neither a series nor a frame.
    array = np.asarray(y, dtype=object) if is_frame(y) else as_array(y, "y")
    return _filled_array(array, target, answers)


def _answers(raw: RawColumn, answers: list[Any]) -> list[Any]:
    """Decisions in Python's own types, as truth values where the column holds those."""
    if raw.is_bool and all(answer in (0, 1) for answer in answers):
        return [bool(answer) for answer in answers]
    return answers


def _filled_array(array: NDArray[Any], target: Target, answers: list[list[Any]]) -> NDArray[Any]:
    seen = np.stack([raw.observed for raw in target.columns], axis=1)
    if seen.all():
        return array.copy()
    is_text = any(isinstance(answer, str) for column in answers for answer in column)
    dtype = array.dtype if array.dtype.kind in "fiub" and not is_text else np.dtype(object)
    filled = array.astype(dtype).reshape(seen.shape)
    for j, column in enumerate(answers):
        for row in np.flatnonzero(~seen[:, j]).tolist():
            filled[row, j] = column[row]
    return filled.reshape(array.shape)


def _filled_frame(y: Any, target: Target, answers: list[list[Any]]) -> Any:
    nw = import_narwhals()
    native = nw.to_native(y, pass_through=True)
    single = open_series(native)
    opened = [single] if single is not None else list(nw.from_native(native).iter_columns())
    columns = [
        _filled_series(series, raw, column)
        for series, raw, column in zip(opened, target.columns, answers, strict=True)
    ]
    filled = columns[0] if single is not None else _reassembled(native, columns)
    if native is y:
        return filled
    return nw.from_native(filled, allow_series=True)


def _reassembled(frame: Any, columns: list[Any]) -> Any:
    if hasattr(frame, "isetitem"):  # pandas and its kin
        filled = frame.copy()
        for j, column in enumerate(columns):
            filled.isetitem(j, column)
        return filled
    if hasattr(frame, "with_columns"):  # polars
        return frame.with_columns(columns)
    for j, column in enumerate(columns):
        field = frame.schema.field(j).with_type(column.type)
        frame = frame.set_column(j, field, column)
    return frame


def _filled_series(series: Any, raw: RawColumn, answers: list[Any]) -> Any:
    if raw.observed.all():
        return series.to_native()
    rows = np.flatnonzero(~raw.observed).tolist()
    fits = _fits(series, [answers[row] for row in rows])
    if fits and series.dtype.is_integer():
        answers = [int(answer) for answer in answers]
    if series.implementation.is_pandas_like():
        return _pandas_column(series, rows, [answers[row] for row in rows], fits)
    if not fits and raw.n_observed:
        raise ValueError(
            f"Column {series.name!r} of y has the type {series.dtype}, which cannot hold the class "
            f"{answers[rows[0]]!r}; give y the type that it had in fit."
        )
    cells = series.to_list()
    for row in rows:
        cells[row] = answers[row]
    make = _polars_column if series.implementation.is_polars() else _arrow_column
    return make(series.to_native(), cells, fits)


def _fits(series: Any, answers: list[Any]) -> bool:
    """Whether the type of a column can hold the answers, categories that are new among them."""
    nw = import_narwhals()
    is_text = [isinstance(answer, str) for answer in answers]
    if series.dtype.is_integer() and not any(is_text):
        limits = np.iinfo(str(series.dtype).lower())
        return bool(limits.min <= min(answers) and max(answers) <= limits.max)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return not any(is_text)
    if series.dtype == nw.String:
        return all(is_text)
    return series.dtype in (nw.Categorical, nw.Enum, nw.Object)


def _pandas_column(series: Any, rows: list[int], answers: list[Any], fits: bool) -> Any:
    column = series.to_native().copy()
    if not fits:
        column = column.astype(object)
    elif hasattr(column, "cat"):
        known = column.cat.categories
        new = [answer for answer in dict.fromkeys(answers) if answer not in known]
        column = column.cat.add_categories(new) if new else column
    column.iloc[rows] = answers
    return column


def _polars_column(native: Any, cells: list[Any], fits: bool) -> Any:
    polars = import_module("polars")
    if not fits:
        return polars.Series(native.name, cells)
    dtype = native.dtype
    if isinstance(dtype, polars.Enum):
        dtype = polars.Enum(list(dict.fromkeys([*dtype.categories.to_list(), *cells])))
    return polars.Series(native.name, cells, dtype=dtype)


def _arrow_column(native: Any, cells: list[Any], fits: bool) -> Any:
    pyarrow = import_module("pyarrow")
    return pyarrow.chunked_array([pyarrow.array(cells, type=native.type if fits else None)])
