"""Containers: numpy, lists, pandas, polars, Arrow in; the same container out, with fills.

Observed cells are never rewritten: a fill replaces missing cells in the container's own type, so
that large integers, decimals, dates and categories stay exactly as they were.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from sklearn.exceptions import DataConversionWarning

from halfseen.data.raw import RawColumn, category_key, distinct_values, read_column

TargetType = Literal["binary", "multiclass", "multilabel-indicator", "multiclass-multioutput"]
Decoded = Sequence[NDArray[Any] | None]
_EXACT = 2**53


class Container(BaseModel):
    """Kind of a container and the types of its columns, so that samples come in the same."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["numpy", "pandas", "polars", "pyarrow"]
    dtypes: tuple[str, ...]


@dataclass(frozen=True)
class _Columns:
    columns: tuple[RawColumn, ...]
    names: tuple[str, ...] | None
    n_rows: int

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Where cells are observed, of shape (n_rows, n_columns)."""
        return np.stack([column.observed for column in self.columns], axis=1)

    def label(self, position: int) -> str | int:
        """Name of a column, or its position in a table without names."""
        return position if self.names is None else self.names[position]


@dataclass(frozen=True)
class Table(_Columns):
    """A table as it was given, column by column.

    It has columns, names if all are text, a number of rows, and what it came in.

    Examples
    --------
    >>> read_table([[1.5, "red"], [None, "blue"]]).observed.tolist()
    [[True, True], [False, True]]
    """

    container: Container


@dataclass(frozen=True)
class Target(_Columns):
    """A target as it was given, with unknown entries and scikit-learn's name for its type.

    Examples
    --------
    >>> read_target([[1, 0], [None, 1]]).type
    'multilabel-indicator'
    """

    type: TargetType


def read_table(X: Any, *, parse_text: bool = True) -> Table:
    """Read a table from any supported container.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        numpy array, list of rows, or a table of pandas, polars, pyarrow or narwhals.
    parse_text : bool, default=True
        Whether a column of text that writes numbers is a column of numbers.

    Returns
    -------
    Table
        Its columns; numbers are not copied more than once.

    Examples
    --------
    >>> import pandas as pd
    >>> read_table(pd.DataFrame({"age": [31, 40]})).names
    ('age',)
    """
    frame = _open(X, "X")
    if frame is None:
        array = as_array(X, "X")
        if array.dtype.kind in "iufb":
            array = np.asfortranarray(array)  # one copy makes all passes over columns fast
        cells = enumerate(array.T)
        columns = tuple(read_column(column, j, parse_text=parse_text) for j, column in cells)
        dtypes = (array.dtype.name,) * len(columns)
        return Table(columns, None, len(array), Container(kind="numpy", dtypes=dtypes))
    _check_shape(frame.shape)
    series = list(frame.iter_columns())
    names = _names(frame)
    columns = tuple(
        _read_series(one, j if names is None else names[j], "X", parse_text)
        for j, one in enumerate(series)
    )
    # narwhals merges types of pandas, such as int64 and Int64.
    pandas = frame.implementation.is_pandas_like()
    dtypes = tuple(str(one.to_native().dtype if pandas else one.dtype) for one in series)
    container = Container(kind=_kind(frame), dtypes=dtypes)
    return Table(columns, names, len(frame), container)


def read_target(y: Any, n_rows: int | None = None, target_type: str = "auto") -> Target:
    """Read a target with unknown entries.

    Parameters
    ----------
    y : array-like, series or data frame of shape (n_rows,) or (n_rows, n_columns)
        Classes or labels; NaN, None, ``pandas.NA`` and nulls are unknown.
    n_rows : int, optional
        Number of rows of the table it belongs to.
    target_type : str, default="auto"
        One of scikit-learn's types. By "auto", one column is classes; several columns are labels
        if all known entries are 0 or 1, and outputs otherwise.

    Returns
    -------
    Target
        Its columns.

    Examples
    --------
    >>> read_target(["cat", None, "dog"]).type
    'binary'
    """
    if y is None:
        raise ValueError("Expected array-like (array or non-string sequence), got None for y.")
    columns, names, is_matrix = _target_columns(y)
    rows = len(columns[0])
    if n_rows is not None and rows != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, rows]}"
        )
    for j, column in enumerate(columns):
        _check_classes(column, names[j] if names else j, len(columns))
    found = check_target_type(columns, target_type)
    if is_matrix and len(columns) == 1 and target_type == "auto":
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
    return Target(columns, names, rows, found)


def fill_table(X: Any, decoded: Decoded, observed: NDArray[np.bool_]) -> Any:
    """Replace missing cells, and nothing else.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        The table; it is not modified.
    decoded : sequence of ndarray of shape (n_rows,) or None
        Values per column; None leaves a column as it is.
    observed : ndarray of bool, shape (n_rows, n_columns)
        Where cells stay as they are.

    Returns
    -------
    ndarray or data frame
        The container of `X` (an array for a list) with the same types, names and index. Fills of
        integer columns are rounded.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"n": pd.array([2**60 + 1, None], dtype="Int64")})
    >>> fill_table(X, [np.array([0.0, 6.6])], np.array([[True], [False]]))["n"].tolist()
    [1152921504606846977, 7]
    """
    frame = _open(X, "X")
    if frame is None:
        return _fill_array(as_array(X, "X"), decoded, observed)
    native = frame.to_native()
    kind = _kind(frame)
    filled = native.copy() if kind == "pandas" else native
    for j, (values, one) in enumerate(zip(decoded, frame.iter_columns(), strict=True)):
        missing = ~observed[:, j]
        if values is None or not missing.any():
            continue
        column = _fill_series(one, values, missing)
        if kind == "pandas":
            filled.isetitem(j, column)
        elif kind == "polars":
            filled = filled.with_columns(column.alias(one.name))
        else:
            filled = filled.set_column(j, filled.schema.field(j).with_type(column.type), column)
    return nw.from_native(filled, eager_only=True) if isinstance(X, nw.DataFrame) else filled


def fill_target(y: Any, decoded: Decoded, observed: NDArray[np.bool_]) -> Any:
    """Replace unknown entries of a target, and nothing else; as `fill_table` does.

    Examples
    --------
    >>> fill_target(["cat", None], [np.array(["dog"] * 2, object)], np.array([[True], [False]]))
    array(['cat', 'dog'], dtype=object)
    """
    frame = _open(y, "y")
    if frame is None:
        array = as_array(y, "y")
        matrix = array if array.ndim == 2 else array[:, np.newaxis]
        return _fill_array(matrix, decoded, observed).reshape(array.shape)
    if not isinstance(frame, nw.Series):
        return fill_table(y, decoded, observed)
    missing = ~observed[:, 0]
    if decoded[0] is None or not missing.any():
        return y
    filled = _fill_series(frame, decoded[0], missing)
    return nw.from_native(filled, series_only=True) if isinstance(y, nw.Series) else filled


def align(X: Any, feature_names: Sequence[str]) -> Any:
    """Give a data frame the columns of the training table, in its order.

    Other columns are dropped. Absent ones are missing throughout; a UserWarning names them.

    Examples
    --------
    >>> import pandas as pd
    >>> list(align(pd.DataFrame({"c": [0], "b": [1], "a": [2]}), ["a", "b"]))
    ['a', 'b']
    """
    frame = _open(X, "X")
    if frame is None or isinstance(frame, nw.Series):
        raise TypeError("Only a table with column names can be aligned; pass a data frame.")
    absent = [name for name in feature_names if name not in frame.columns]
    if len(absent) == len(feature_names):
        raise ValueError(
            f"No column of X is one of the training table: {list(feature_names)[:10]!r}. "
            "Check the header."
        )
    if absent:
        warnings.warn(
            f"Columns {', '.join(map(repr, absent))} are absent and taken as missing.",
            stacklevel=2,
        )
        frame = frame.with_columns(nw.lit(None).alias(name) for name in absent)
    aligned = frame.select(list(feature_names))
    return aligned if isinstance(X, nw.DataFrame) else aligned.to_native()


def make_table(
    decoded: Decoded, container: Container, names: Sequence[str] | None, n_rows: int
) -> Any:
    """Make a new table in the container of the training table, from values per column.

    Types are those of the training table where they can be made from their names. A column
    without values is missing throughout. An array is float64, or object if it holds text.

    Examples
    --------
    >>> container = Container(kind="pandas", dtypes=("Int64",))
    >>> make_table([np.array([1.2, 2.7])], container, ["n"], 2)["n"].tolist()
    [1, 3]
    """
    if container.kind == "numpy":
        return _make_array(decoded, n_rows)
    labels = list(names) if names is not None else [str(j) for j in range(len(decoded))]
    everywhere = np.ones(n_rows, dtype=bool)
    columns = []
    for values, label, dtype in zip(decoded, labels, container.dtypes, strict=True):
        empty = _empty_series(label, dtype, container.kind, values, n_rows)
        native = empty.to_native() if values is None else _fill_series(empty, values, everywhere)
        columns.append(native)
    frames = (
        nw.from_native(column, series_only=True).alias(label).to_frame()
        for column, label in zip(columns, labels, strict=True)
    )
    made: Any = nw.concat(list(frames), how="horizontal").to_native()
    if names is None and container.kind == "pandas":
        made.columns = range(len(labels))
    return made


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn an array, list of rows or list of classes into one array without merging types."""
    if hasattr(data, "toarray"):
        raise TypeError(f"{what} is sparse, but dense data is required; pass {what}.toarray().")
    sized = hasattr(data, "__len__") or hasattr(data, "__array__")
    if not sized or isinstance(data, str | bytes | dict | set):
        raise TypeError(
            f"{what} is a {type(data).__name__}, not a table; pass a numpy array, a list of rows, "
            "or a data frame of pandas, polars or pyarrow. (argument must be a string or a number)"
        )
    if isinstance(data, np.ma.MaskedArray):
        hidden, data = np.ma.getmaskarray(data), data.data
        data = data.astype(data.dtype if data.dtype.kind == "f" else object)
        data[hidden] = None
    array = data if isinstance(data, np.ndarray) else _array_of_list(data, what)
    if array.dtype.names is not None:
        raise TypeError(f"{what} is a structured array; pass a data frame or a plain array.")
    if what == "X":
        _check_shape(array.shape)
    elif array.ndim not in (1, 2) or 0 in array.shape:
        raise ValueError(
            f"{what} should be a 1d array of classes, or a 2d array with a column per label, got "
            f"an array of shape {array.shape} instead."
        )
    return array


def _check_shape(shape: tuple[int, ...]) -> None:
    """In the words of scikit-learn, whose checks look for them."""
    if len(shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(shape)}D array instead: X has shape {shape}. Reshape "
            "your data with X.reshape(-1, 1) or X.to_frame() if it is a single feature, or with "
            "X.reshape(1, -1) if it is a single sample."
        )
    for size, what in zip(shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )


def _array_of_list(data: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(data)
        # Mixed types would become text, and large integers beside a fraction would be rounded.
        rounded = array.dtype.kind == "f" and bool((np.abs(array) >= _EXACT).any())
        return array if array.dtype.kind in "iufbc" and not rounded else np.array(data, object)
    except ValueError:
        raise ValueError(f"Rows of {what} differ in length; give each as many cells.") from None


def _open(data: Any, what: str) -> Any:
    """A narwhals frame or series; None for what no data-frame library made."""
    if hasattr(data, "to_pylist") and hasattr(data, "offset"):
        import pyarrow as pa

        data = pa.chunked_array([data])
    try:
        opened = nw.from_native(data, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"Column names of {what} repeat. {error}") from None
    if isinstance(opened, nw.LazyFrame):
        raise TypeError(f"{what} is a lazy frame; call {what}.collect() first.")
    return opened if isinstance(opened, nw.DataFrame | nw.Series) else None


def _names(frame: Any) -> tuple[str, ...] | None:
    return tuple(frame.columns) if all(isinstance(name, str) for name in frame.columns) else None


def _kind(frame: Any) -> Literal["pandas", "polars", "pyarrow"]:
    if frame.implementation.is_pandas_like():
        return "pandas"
    return "polars" if frame.implementation.is_polars() else "pyarrow"


def _read_series(series: Any, name: str | int, what: str, parse_text: bool = False) -> RawColumn:
    dtype = series.dtype
    if dtype.is_temporal():
        observed = ~np.asarray(series.is_null().to_numpy(), dtype=bool)
        return RawColumn(np.full(len(observed), None, dtype=object), observed, "date")
    if dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean:
        null = np.asarray(series.is_null().to_numpy(), dtype=bool)
        zero = False if dtype == nw.Boolean else 0
        values = (series.fill_null(zero) if null.any() else series).to_numpy()
        values = np.asarray(values, dtype=bool) if dtype == nw.Boolean else np.asarray(values)
        raw = read_column(values, name, what=what)
        return RawColumn(raw.values, raw.observed & ~null, raw.kind)
    is_category = dtype in (nw.Categorical, nw.Enum)
    raw = read_column(series.to_list(), name, parse_text=parse_text and not is_category, what=what)
    if is_category and raw.kind != "date":
        return RawColumn(raw.values, raw.observed, "category", _levels(series.to_native()))
    return raw


def _levels(native: Any) -> tuple[Any, ...] | None:
    """Categories of an ordered categorical type of pandas or Arrow, else None."""
    dtype: Any = getattr(native, "dtype", getattr(native, "type", None))
    if not getattr(getattr(dtype, "pyarrow_dtype", dtype), "ordered", False):
        return None
    if hasattr(dtype, "categories"):
        return tuple(dtype.categories.tolist())
    arrow = native.array.__arrow_array__() if hasattr(native, "array") else native
    return tuple(_dictionary(arrow).dictionary.to_pylist())


def _dictionary(array: Any) -> Any:
    """One dictionary array of one that may be chunked."""
    array = array.unify_dictionaries().combine_chunks() if hasattr(array, "chunks") else array
    return array.chunk(0) if hasattr(array, "chunks") else array


def _target_columns(y: Any) -> tuple[tuple[RawColumn, ...], tuple[str, ...] | None, bool]:
    """Columns, their names, and whether `y` has two dimensions."""
    frame = _open(y, "y")
    if frame is None:
        array = as_array(y, "y")
        matrix = array if array.ndim == 2 else array[:, np.newaxis]
        cells = enumerate(matrix.T)
        read = [read_column(column, j, parse_text=False, what="y") for j, column in cells]
        return tuple(read), None, array.ndim == 2
    if 0 in frame.shape:
        raise ValueError(f"y is empty: it has shape {frame.shape}.")
    is_matrix = isinstance(frame, nw.DataFrame)
    # A series without a name becomes column 0 in pandas, and "" in polars and pyarrow.
    frame = frame if is_matrix else frame.to_frame()
    names = _names(frame) if frame.columns[0] != "" else None
    series = enumerate(frame.iter_columns())
    read = [_read_series(one, names[j] if names else j, "y") for j, one in series]
    return tuple(read), names, is_matrix


def _check_classes(column: RawColumn, name: str | int, n_columns: int) -> None:
    if column.kind == "date":
        raise ValueError(f"Column {name!r} of y holds dates; a classifier needs classes.")
    if column.values.dtype == object:
        texts = [isinstance(cell, str) for cell in column.seen.tolist()]
        if any(texts) and not all(texts):
            row = column.row(texts.index(not texts[0]))
            raise ValueError(
                f"Column {name!r} of y mixes text and numbers: row {row} holds "
                f"{column.values[row]!r}. Make all classes text, or all numbers."
            )
    elif column.values.dtype.kind == "f":
        fractional = np.flatnonzero(column.seen != np.floor(column.seen))
        if fractional.size:
            kind = "continuous" if n_columns == 1 else "continuous-multioutput"
            raise ValueError(
                f"Unknown label type: {kind}. Column {name!r} of y holds "
                f"{column.seen[fractional[0]].item()!r} in row {column.row(int(fractional[0]))}; a "
                "classifier needs classes. Bin the values, or make them a feature of X: "
                "HalfseenImputer and RBMImputer fill numbers."
            )


def check_target_type(columns: Sequence[RawColumn], asked: str = "auto") -> TargetType:
    """Type of a target, checked if it is not "auto"."""
    if asked not in ("auto", *get_args(TargetType)):
        raise ValueError(f"Unknown target_type {asked!r}; use 'auto' or {get_args(TargetType)!r}.")
    if asked in ("binary", "multiclass") and len(columns) > 1:
        raise ValueError(f"y has {len(columns)} columns, but a {asked} target has one.")
    labels = ("0", "1", "False", "True")
    distinct = [distinct_values(column.seen)[0] for column in columns]
    others = [
        [v for v in d if isinstance(v, str) or category_key(v) not in labels] for d in distinct
    ]
    for j, values in enumerate(others):
        if asked == "multilabel-indicator" and values:
            raise ValueError(
                f"Labels are 0 or 1, but column {j} of y holds {values[0]!r}. Use 0, 1, and NaN "
                "for unknown."
            )
    if asked != "auto":
        return asked  # type: ignore[return-value]
    if len(columns) > 1:
        return "multiclass-multioutput" if any(others) else "multilabel-indicator"
    return "multiclass" if len(set(map(category_key, distinct[0]))) > 2 else "binary"


def _fill_array(array: NDArray[Any], decoded: Decoded, observed: NDArray[np.bool_]) -> NDArray[Any]:
    filled = array.copy()
    for j, values in enumerate(decoded):
        missing = ~observed[:, j]
        if values is None or not missing.any():
            continue
        like = array[observed[:, j], j] if array.dtype == object else ()
        filled[missing, j] = _cells_like(values[missing], like)
    return filled


def _objects(cells: list[Any]) -> NDArray[Any]:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _cells_like(values: NDArray[Any], seen: Any) -> NDArray[Any]:
    """Fills for a column of Python objects, in the type of its observed cells."""
    kinds = {type(cell) for cell in seen}
    if kinds == {Decimal}:
        digits = -min(cell.as_tuple().exponent for cell in seen)
        return _objects([_decimal(value, digits) for value in values])
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return _objects([_text(value) for value in values])
    whole = (
        kinds and all(issubclass(kind, int | np.integer) for kind in kinds) and bool not in kinds
    )
    return _objects([round(v) if whole and isinstance(v, float) else v for v in values.tolist()])


def _decimal(value: Any, digits: int) -> Decimal:
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else category_key(value)


def _fill_series(series: Any, values: NDArray[Any], missing: NDArray[np.bool_]) -> Any:
    """The native column with its missing cells replaced."""
    native = series.to_native()
    cells = _native_cells(series, values[missing])
    if series.implementation.is_polars():
        return _fill_polars(native, cells, missing)
    if not series.implementation.is_pandas_like():
        return _fill_arrow(native, cells, missing)
    array, dtype = native.array, native.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        array = type(array)(_fill_arrow(array.__arrow_array__(), cells, missing))
        dtype = array.dtype
    elif hasattr(dtype, "categories"):
        cells, new = _match(cells, dtype.categories)
        array = array.add_categories(new) if new else array.copy()
        array[missing] = _objects(cells)
        dtype = array.dtype
    else:
        # A sparse array cannot be set.
        array = np.asarray(array).copy() if hasattr(native, "sparse") else array.copy()
        if dtype.kind == "O":
            cells = _cells_like(values[missing], native[~missing]).tolist()
        array[missing] = cells if series.dtype.is_numeric() else _objects(cells)
    return type(native)(array, index=native.index, name=native.name, dtype=dtype)


def _native_cells(series: Any, values: NDArray[Any]) -> list[Any]:
    """Fills as Python values of the column's type."""
    dtype = series.dtype
    if dtype.is_integer():
        signed = str(dtype).startswith("Int")
        high = 2 ** (int(re.sub(r"\D", "", str(dtype))) - signed) - 1
        low = -high - 1 if signed else 0
        return [min(max(round(value), low), high) for value in values.tolist()]
    if dtype.is_float():
        return [float(value) for value in values.tolist()]
    if dtype.is_decimal():
        return [_decimal(value, dtype.scale) for value in values.tolist()]
    if dtype == nw.String:
        return [_text(value) for value in values.tolist()]
    if dtype == nw.Boolean:
        return [bool(value) for value in values.tolist()]
    return list(values.tolist())


def _placed(cells: list[Any], missing: NDArray[np.bool_]) -> list[Any]:
    """Fills in their rows, None elsewhere."""
    placed = np.full(len(missing), None, dtype=object)
    placed[missing] = _objects(cells)
    return list(placed.tolist())


def _fill_polars(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import polars as pl

    dtype = native.dtype
    if dtype == pl.Null:
        return pl.Series(native.name, _placed(cells, missing))
    if isinstance(dtype, pl.Enum):
        cells, new = _match(cells, dtype.categories)
        dtype = pl.Enum([*dtype.categories, *new])
    fills = pl.Series(native.name, _placed(cells, missing), dtype=dtype)
    return native.cast(dtype).zip_with(pl.Series(~missing), fills)


def _fill_arrow(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(native.type):
        return _fill_dictionary(native, cells, missing)
    if pa.types.is_null(native.type):
        return pa.chunked_array([pa.array(_placed(cells, missing))])
    fills = pa.array(_placed(cells, missing), type=native.type)
    return pc.if_else(pa.array(missing), fills, native)


def _fill_dictionary(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    type, old = native.type, _dictionary(native)
    words = old.dictionary.to_pylist()
    cells, new = _match(cells, words)
    codes = {word: code for code, word in enumerate(words + new)}
    fills = pa.array(_placed([codes[cell] for cell in cells], missing), type=type.index_type)
    indices = pc.if_else(pa.array(missing), fills, old.indices)
    dictionary = pa.array(words + new, type=type.value_type)
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(indices, dictionary, ordered=type.ordered)]
    )


def _match(cells: list[Any], categories: Any) -> tuple[list[Any], list[Any]]:
    """Cells as the categories whose keys they have, and cells that are new categories."""
    by_key = {category_key(value): value for value in categories}
    new = [cell for cell in dict.fromkeys(cells) if category_key(cell) not in by_key]
    return [by_key.get(category_key(cell), cell) for cell in cells], new


def _make_array(decoded: Decoded, n_rows: int) -> NDArray[Any]:
    objects = [values for values in decoded if values is not None and values.dtype == object]
    text = any(isinstance(cell, str) for values in objects for cell in set(values.tolist()))
    table = np.full((n_rows, len(decoded)), None if text else np.nan, object if text else float)
    for j, values in enumerate(decoded):
        if values is not None:
            table[:, j] = values
    return table


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
    text = values is not None and values.dtype == object
    native = getattr(nw, "Categorical" if word == "Enum" else word, nw.String)
    if word == "Decimal":
        native = nw.Decimal(*map(int, re.findall(r"\d+", dtype)))
    elif word in ("Unknown", "Object"):
        native = nw.String if text else nw.Float64
    return nw.new_series(name, [None] * n_rows, native, backend=kind)  # type: ignore[arg-type]
