"""Containers: numpy, lists, pandas, polars, Arrow in; the same container out, with fills.

Observed cells are never rewritten: a fill replaces missing cells in the container's own type, so
that large integers, decimals, dates and categories stay exactly as they were.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from itertools import compress
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from sklearn.utils import check_consistent_length, column_or_1d

from halfseen.data.raw import EXACT, Bools, RawColumn, category_key, distinct_values, read_column

TargetType = Literal["binary", "multiclass", "multilabel-indicator", "multiclass-multioutput"]
Decoded = Sequence[NDArray[Any] | None]


class Container(BaseModel):
    """Kind of a container and the types of its columns, so that samples come in the same."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["numpy", "pandas", "polars", "pyarrow"]
    dtypes: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table as it was given, column by column, and what it came in."""

    columns: tuple[RawColumn, ...]
    names: tuple[str, ...] | None  # if all are text
    container: Container

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @property
    def observed(self) -> Bools:
        """Where cells are observed, of shape (n_rows, n_columns)."""
        return np.stack([column.observed for column in self.columns], axis=1)

    def label(self, position: int) -> str | int:
        """Name of a column, or its position in a table without names."""
        return position if self.names is None else self.names[position]


@dataclass(frozen=True)
class Target(Table):
    """A target as it was given, with unknown entries and scikit-learn's name for its type."""

    type: TargetType


def read_table(X: Any) -> Table:
    """Read a table from an array, a list of rows, or a data frame."""
    return _read(_open(X, "X"), "X")


def read_target(y: Any, n_rows: int | None = None, target_type: str = "auto") -> Target:
    """Read a target with unknown entries, for a table of `n_rows` rows if that is given."""
    if y is None:
        raise ValueError("Expected array-like (array or non-string sequence), got None for y.")
    data = _open(y, "y")
    table = _read(data, "y")
    if n_rows is not None:
        check_consistent_length(range(n_rows), range(table.n_rows))
    for j, column in enumerate(table.columns):
        _check_classes(column, table.label(j), len(table.columns))
    found = check_target_type(table.columns, target_type)
    if len(data.shape) == 2 and len(table.columns) == 1 and target_type == "auto":
        column_or_1d(np.zeros(data.shape), warn=True)
    return Target(table.columns, table.names, table.container, found)


def fill_table(X: Any, decoded: Decoded, observed: Bools) -> Any:
    """A copy of the table with missing cells replaced; a column decoded as None stays as it is."""
    opened = _open(X, "X")
    if isinstance(opened, np.ndarray):
        return _fill_array(opened, decoded, observed)
    if isinstance(opened, nw.Series):  # a target of one column
        filled = _fill_series(opened, np.asarray(decoded[0]), ~observed[:, 0])
    else:
        filled = _fill_frame(opened, decoded, observed)
    is_wrapped = isinstance(X, nw.DataFrame | nw.Series)
    return nw.from_native(filled, allow_series=True) if is_wrapped else filled


def align(X: Any, model: Any) -> Any:
    """Give a data frame the columns of the training table, in its order.

    `model` is a fitted estimator, or the names of its columns. Other columns are dropped. Absent
    ones are missing throughout; a UserWarning names them.

    Examples
    --------
    >>> import pandas as pd
    >>> list(align(pd.DataFrame({"c": [0], "b": [1], "a": [2]}), ["a", "b"]))
    ['a', 'b']
    """
    frame, feature_names = _open(X, "X"), list(map(str, getattr(model, "feature_names_in_", model)))
    if not isinstance(frame, nw.DataFrame):
        raise TypeError("Only a table with column names can be aligned; pass a data frame.")
    absent = [name for name in feature_names if name not in frame.columns]
    if len(absent) == len(feature_names):
        expected = feature_names[:10]
        raise ValueError(f"No column of X is one of the training table: {expected}.")
    if absent:
        shown = ", ".join(map(repr, absent))
        warnings.warn(f"Columns {shown} are absent and taken as missing.", stacklevel=2)
        frame = frame.with_columns(nw.lit(None).alias(name) for name in absent)
    aligned = frame.select(feature_names)
    return aligned if isinstance(X, nw.DataFrame) else aligned.to_native()


def make_table(
    decoded: Decoded, container: Container, names: Sequence[str] | None, n_rows: int
) -> Any:
    """A new table in the container and, where they can hold the values, types of `container`."""
    if container.kind == "numpy":
        columns = [np.full(n_rows, np.nan) if values is None else values for values in decoded]
        texts = (isinstance(cell, str) for c in columns if c.dtype == object for cell in c)
        return np.stack(columns, axis=1).astype(object if any(texts) else np.float64)
    labels = list(names) if names is not None else [str(j) for j in range(len(decoded))]
    frames = []
    for values, label, dtype in zip(decoded, labels, container.dtypes, strict=True):
        column = _empty_series(label, dtype, container.kind, values, n_rows)
        if values is not None:
            filled = _fill_series(column, values, np.ones(n_rows, dtype=bool))
            column = nw.from_native(filled, series_only=True)
        frames.append(column.alias(label).to_frame())
    made: Any = nw.concat(frames, how="horizontal").to_native()
    if names is None and container.kind == "pandas":
        made.columns = range(len(labels))
    return made


def _open(data: Any, what: str) -> Any:
    """An array, or a narwhals frame or series of what a data-frame library made."""
    if hasattr(data, "to_pylist") and hasattr(data, "offset"):
        import pyarrow as pa

        data = pa.chunked_array([data])
    try:
        opened = nw.from_native(data, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"Column names of {what} repeat. {error}") from None
    if isinstance(opened, nw.LazyFrame):
        raise TypeError(f"{what} is a lazy frame; call {what}.collect() first.")
    if isinstance(opened, nw.DataFrame | nw.Series):
        return opened
    if hasattr(data, "toarray"):
        raise TypeError(f"{what} is sparse, but dense data is required; pass {what}.toarray().")
    is_list = isinstance(data, Sequence) and not isinstance(data, str | bytes)
    first = next(iter(data), None) if is_list else None
    if isinstance(first, Mapping | Set | Iterator) or not (is_list or hasattr(data, "__array__")):
        found = type(data).__name__ + ("" if first is None else f" of {type(first).__name__}")
        raise TypeError(
            f"{what} is a {found}, not a table; pass a numpy array, a list of rows, or a data "
            "frame of pandas, polars or pyarrow. (argument must be a string or a number)"
        )
    if isinstance(data, np.ma.MaskedArray):
        as_float = data.dtype.kind == "f"
        data = np.ma.filled(data if as_float else data.astype(object), np.nan)
    if isinstance(data, np.ndarray):
        if data.dtype.names is not None:
            raise TypeError(f"{what} is a structured array; pass a data frame or a plain array.")
        return data
    try:
        array = np.asarray(data)
        # Mixed types would become text, and large integers beside a fraction would be rounded.
        rounded = array.dtype.kind == "f" and bool((np.abs(array) >= EXACT).any())
        return array if array.dtype.kind in "iufbc" and not rounded else np.array(data, object)
    except ValueError:
        raise ValueError(f"Rows of {what} differ in length; give each as many cells.") from None


def _check_classes(column: RawColumn, name: str | int, n_columns: int) -> None:
    if column.kind == "date":
        raise ValueError(f"Column {name!r} of y holds dates; a classifier needs classes.")
    if column.values.dtype == object:
        texts = [isinstance(cell, str) for cell in column.seen.tolist()]
        if any(texts) and not all(texts):
            row = column.row(texts.index(not texts[0]))
            problem = f"mixes text and numbers: row {row} holds {column.values[row]!r}"
            raise ValueError(f"Column {name!r} of y {problem}. Make all classes text or numbers.")
    elif (fractional := np.flatnonzero(column.seen % 1)).size:
        kind = "continuous" if n_columns == 1 else "continuous-multioutput"
        row = column.row(fractional[0])
        raise ValueError(
            f"Unknown label type: {kind}. Column {name!r} of y holds {column.values[row].item()!r} "
            f"in row {row}. Bin the values, or make them a feature of X: "
            "HalfseenImputer and RBMImputer fill numbers."
        )


def check_target_type(columns: Sequence[RawColumn], asked: str = "auto") -> TargetType:
    """Type of a target; by "auto", several columns are labels if all known entries are 0 or 1."""
    if asked not in ("auto", *get_args(TargetType)):
        raise ValueError(f"Unknown target_type {asked!r}; use 'auto' or {get_args(TargetType)!r}.")
    if asked in ("binary", "multiclass") and len(columns) > 1:
        raise ValueError(f"y has {len(columns)} columns, but a {asked} target has one.")
    distinct = [distinct_values(column.seen)[0] for column in columns]
    others = [
        f"column {j} of y holds {value!r}"
        for j, values in enumerate(distinct)
        for value in values
        if isinstance(value, str) or category_key(value) not in ("0", "1", "False", "True")
    ]
    if asked == "multilabel-indicator" and others:
        raise ValueError(f"Labels are 0 or 1, but {others[0]}. Use 0, 1, and NaN for unknown.")
    if asked != "auto":
        return asked  # type: ignore[return-value]
    if len(columns) > 1:
        return "multiclass-multioutput" if others else "multilabel-indicator"
    return "multiclass" if len(set(map(category_key, distinct[0]))) > 2 else "binary"


def _read(data: Any, what: str) -> Table:
    shape = data.shape  # scikit-learn's checks look for the words of these messages
    if what == "y" and (len(shape) not in (1, 2) or 0 in shape):
        raise ValueError(f"y should be a 1d array, or 2d with a column per label; shape={shape}.")
    if what == "X" and len(shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(shape)}D array instead. Reshape your data with "
            "X.reshape(-1, 1) or X.to_frame() if it is one feature, X.reshape(1, -1) if one sample."
        )
    if 0 in shape:
        found = f"0 {'feature' if shape[0] else 'sample'}(s) (shape={shape})"
        raise ValueError(f"Found array with {found} while a minimum of 1 is required.")
    if isinstance(data, np.ndarray):
        # One copy makes all passes over columns fast.
        columns = np.asfortranarray(data.reshape(len(data), -1)).T
        read = (read_column(c, j, parse_text=what == "X", what=what) for j, c in enumerate(columns))
        container = Container(kind="numpy", dtypes=(data.dtype.name,) * len(columns))
        return Table(tuple(read), None, container)
    frame = data if isinstance(data, nw.DataFrame) else data.to_frame()
    # A series without a name becomes column 0 in pandas, and "" in polars and pyarrow.
    unnamed = frame is not data and frame.columns == [""]
    named = all(isinstance(name, str) for name in frame.columns) and not unnamed
    names = tuple(frame.columns) if named else None
    series = list(frame.iter_columns())
    pairs = zip(series, names or range(len(series)), strict=True)
    read = (_read_series(one, name, what) for one, name in pairs)
    # narwhals merges types of pandas, such as int64 and Int64.
    kind = frame.implementation.value
    dtypes = (str(one.to_native().dtype if kind == "pandas" else one.dtype) for one in series)
    return Table(tuple(read), names, Container(kind=kind, dtypes=tuple(dtypes)))


def _read_series(series: Any, name: str | int, what: str) -> RawColumn:
    dtype, is_bool = series.dtype, series.dtype == nw.Boolean
    null = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype.is_temporal():
        return RawColumn(np.full(len(null), None, dtype=object), ~null, "date")
    if (dtype.is_integer() and "128" not in str(dtype)) or dtype.is_float() or is_bool:
        filled = series.fill_null(False if is_bool else 0) if null.any() else series
        raw = read_column(np.asarray(filled.to_numpy(), bool if is_bool else None), name, what=what)
        return RawColumn(raw.values, raw.observed & ~null, raw.kind)
    is_category = dtype in (nw.Categorical, nw.Enum)
    is_parsed = what == "X" and not is_category
    raw = read_column(series.to_list(), name, parse_text=is_parsed, what=what)
    if not is_category or raw.kind == "date":
        return raw
    return RawColumn(raw.values, raw.observed, "category", _levels(series.to_native()))


def _levels(native: Any) -> tuple[Any, ...] | None:
    """Categories of an ordered categorical type of pandas or Arrow, else None."""
    dtype: Any = getattr(native, "dtype", getattr(native, "type", None))
    if not getattr(getattr(dtype, "pyarrow_dtype", dtype), "ordered", False):
        return None
    if hasattr(dtype, "categories"):
        return tuple(dtype.categories.tolist())
    arrow = native.array.__arrow_array__() if hasattr(native, "array") else native
    return tuple(arrow.unify_dictionaries().combine_chunks().dictionary.to_pylist())


def _fill_array(array: NDArray[Any], decoded: Decoded, observed: Bools) -> NDArray[Any]:
    filled = array.copy()
    matrix = filled.reshape(len(array), -1)
    for column, values, known in zip(matrix.T, decoded, observed.T, strict=True):
        if values is not None and not known.all():
            fills = values[~known]
            is_objects = array.dtype == object
            column[~known] = _cells(_type_of_objects(column[known]), fills) if is_objects else fills
    return filled


def _fill_frame(frame: Any, decoded: Decoded, observed: Bools) -> Any:
    kind, filled = frame.implementation.value, frame.to_native()
    filled = filled.copy() if kind == "pandas" else filled
    for j, (values, series) in enumerate(zip(decoded, frame.iter_columns(), strict=True)):
        if values is None or observed[:, j].all():
            continue
        column = _fill_series(series, values, ~observed[:, j])
        if kind == "pandas":
            filled.isetitem(j, column)
        elif kind == "polars":
            filled = filled.with_columns(column.alias(series.name))
        else:
            filled = filled.set_column(j, filled.schema.field(j).with_type(column.type), column)
    return filled


def _fill_series(series: Any, values: NDArray[Any], missing: Bools) -> Any:
    """The native column with its missing cells replaced."""
    native, is_pandas = series.to_native(), series.implementation.is_pandas()
    # narwhals knows only some of Arrow's decimals.
    is_objects = series.dtype == nw.Unknown or (is_pandas and native.dtype == object)
    seen = compress(series.to_list(), ~missing) if is_objects else ()
    cells = _cells(_type_of_objects(list(seen)) if is_objects else series.dtype, values[missing])
    placed = np.full(len(missing), None, dtype=object)
    placed[missing] = cells
    if not is_pandas:
        fill = _fill_polars if series.implementation.is_polars() else _fill_arrow
        return fill(native, placed.tolist(), missing)
    # A sparse array cannot be set.
    is_sparse = hasattr(native, "sparse")
    array: Any = np.array(native) if is_sparse else native.array.copy()
    if hasattr(native.dtype, "pyarrow_dtype"):
        array = type(array)(_fill_arrow(array.__arrow_array__(), placed.tolist(), missing))
    elif hasattr(native.dtype, "categories"):
        matched, new = _match(cells.tolist(), native.dtype.categories)
        array = array.add_categories(new)
        array[missing] = np.fromiter(matched, object, len(matched))
    else:
        array[missing] = cells.tolist() if series.dtype.is_numeric() else cells
    dtype = native.dtype if is_sparse else array.dtype
    return type(native)(array, index=native.index, name=native.name, dtype=dtype)


def _fill_polars(native: Any, fills: list[Any], missing: Bools) -> Any:
    import polars as pl

    dtype = None if native.dtype == pl.Null else native.dtype
    if isinstance(dtype, pl.Enum):
        fills, new = _match(fills, dtype.categories)
        dtype = pl.Enum([*dtype.categories, *new])
    filled = pl.Series(fills, dtype=dtype)
    return native.cast(filled.dtype).zip_with(pl.Series(~missing), filled)


def _fill_arrow(native: Any, fills: list[Any], missing: Bools) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    type = native.type
    if not pa.types.is_dictionary(type):
        filled = pa.array(fills, None if pa.types.is_null(type) else type)
        try:
            return pc.if_else(pa.array(missing), filled, native.cast(filled.type)).cast(filled.type)
        except pa.ArrowNotImplementedError:  # for views and run-end encoding
            cells = np.where(missing, fills, np.array([*native.to_pylist(), None], object)[:-1])
            return pa.chunked_array([pa.array(cells, filled.type)])
    old = native.unify_dictionaries().combine_chunks()
    words = old.dictionary.to_pylist()
    fills, new = _match(fills, words)
    codes = {word: code for code, word in enumerate(words + new)}
    filled = pa.array([codes.get(cell) for cell in fills], type.index_type)
    indices = pc.if_else(pa.array(missing), filled, old.indices)
    dictionary = pa.array(words + new, type.value_type if words else None)
    array = pa.DictionaryArray.from_arrays(indices, dictionary, ordered=type.ordered)
    return pa.chunked_array([array])


def _type_of_objects(seen: Any) -> Any:
    """Type of a column of Python objects, by its observed cells."""
    kinds = {type(cell) for cell in seen}
    if kinds == {Decimal}:
        return nw.Decimal(38, max(-cell.as_tuple().exponent for cell in seen))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return nw.String()
    integers = all(issubclass(kind, int | np.integer) for kind in kinds)
    return nw.Int128() if kinds and integers and bool not in kinds else nw.Object()


def _cells(dtype: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Fills as Python values of a column's type."""
    cells = values.tolist()
    if dtype.is_integer():
        bits = int(re.sub(r"\D", "", str(dtype)))
        low = -(2 ** (bits - 1)) if dtype.is_signed_integer() else 0
        cells = [min(max(round(value), low), low + 2**bits - 1) for value in cells]
    elif dtype.is_float():
        cells = [float(value) for value in cells]
    elif dtype.is_decimal():
        unit = Decimal(1).scaleb(-dtype.scale)
        cells = [Decimal(repr(float(value))).quantize(unit) for value in cells]
    elif dtype == nw.String:
        cells = [value if isinstance(value, str) else category_key(value) for value in cells]
    elif dtype == nw.Boolean:
        cells = [bool(value) for value in cells]
    return np.fromiter(cells, object, len(cells))


def _match(cells: list[Any], categories: Any) -> tuple[list[Any], list[Any]]:
    """Cells as the categories whose keys they have, and cells that are new categories."""
    by_key: dict[str | None, Any] = {category_key(value): value for value in categories}
    keys = {cell: category_key(cell) for cell in cells if cell is not None}
    new = [cell for cell, key in keys.items() if key not in by_key]
    return [by_key.get(keys.get(cell), cell) for cell in cells], new


def _empty_series(name: str, dtype: str, kind: str, values: Any, n_rows: int) -> Any:
    """A column that is missing throughout, of the named type if it can be missing."""
    if kind == "pandas":
        import pandas as pd

        # numpy's integers and booleans hold no missing value; their nullable forms do.
        if re.fullmatch(r"u?int\d+|bool", dtype):
            dtype = "boolean" if dtype == "bool" else dtype.replace("i", "I").replace("u", "U")
        series = pd.Series([None] * n_rows, name=name, dtype=object)
        # pandas cannot make a few types from their names, such as Arrow's decimals.
        with suppress(TypeError, ValueError, NotImplementedError):
            series = series.astype(dtype)  # type: ignore[call-overload]
        return nw.from_native(series, series_only=True)
    word = dtype.partition("(")[0]
    native = getattr(nw, "Categorical" if word == "Enum" else word, nw.String)
    if word == "Decimal":
        native = nw.Decimal(*map(int, re.findall(r"\d+", dtype)))
    elif word in ("Unknown", "Object"):
        native = nw.String if values is not None and values.dtype == object else nw.Float64
    if native is nw.Categorical:  # pyarrow before 26 makes a dictionary of nulls from texts alone
        texts = nw.new_series(name, [None] * n_rows, nw.String, backend=kind)  # type: ignore[arg-type]
        return texts.cast(native)
    return nw.new_series(name, [None] * n_rows, native, backend=kind)  # type: ignore[arg-type]
