"""Containers: numpy, lists, pandas, polars, Arrow in; the same container out, with fills.

Observed cells are never rewritten: a fill replaces missing cells in the container's own type, so
that large integers, decimals, dates and categories stay exactly as they were.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_array

from halfseen.data.raw import RawColumn, category_key, is_missing, read_column

TargetType = Literal["binary", "multiclass", "multilabel-indicator", "multiclass-multioutput"]
Decoded = Sequence[NDArray[Any] | None]
_EXACT = 2**53


class Container(BaseModel):
    """Kind of a container and the types of its columns, so that samples come in the same."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["numpy", "pandas", "polars", "pyarrow"]
    dtypes: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table as it was given, column by column.

    Attributes
    ----------
    columns : tuple of RawColumn
        The columns.
    names : tuple of str or None
        Column names, if all are text.
    n_rows : int
        Number of rows.
    container : Container
        What the table came in.

    Examples
    --------
    >>> read_table([[1.5, "red"], [None, "blue"]]).observed.tolist()
    [[True, True], [False, True]]
    """

    columns: tuple[RawColumn, ...]
    names: tuple[str, ...] | None
    n_rows: int
    container: Container

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Where cells are observed, of shape (n_rows, n_columns)."""
        return np.stack([column.observed for column in self.columns], axis=1)

    def label(self, position: int) -> str | int:
        """Name of a column, or its position in a table without names."""
        return position if self.names is None else self.names[position]


@dataclass(frozen=True)
class Target:
    """A target as it was given, with unknown entries.

    Attributes
    ----------
    columns : tuple of RawColumn
        One column of classes, or one per label or output.
    names : tuple of str or None
        Column names, if there are any.
    n_rows : int
        Number of rows.
    type : {"binary", "multiclass", "multilabel-indicator", "multiclass-multioutput"}
        scikit-learn's name for the type of target.

    Examples
    --------
    >>> read_target([[1, 0], [None, 1]]).type
    'multilabel-indicator'
    """

    columns: tuple[RawColumn, ...]
    names: tuple[str, ...] | None
    n_rows: int
    type: TargetType

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Where entries are known, of shape (n_rows, n_columns)."""
        return np.stack([column.observed for column in self.columns], axis=1)


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

    Raises
    ------
    TypeError
        `X` is not a table, is sparse or lazy, or holds other objects than text and numbers.
    ValueError
        The shape is wrong, or a value is infinite or complex.

    Examples
    --------
    >>> import pandas as pd
    >>> read_table(pd.DataFrame({"age": [31, 40]})).names
    ('age',)
    """
    frame = _open(X, "X")
    if frame is None:
        return _read_array(as_array(X, "X"), parse_text)
    if isinstance(frame, nw.Series):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a series. Reshape your data with "
            "X.to_frame() if it is a single feature."
        )
    n_rows, n_columns = frame.shape
    for size, what in ((n_rows, "sample"), (n_columns, "feature")):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={frame.shape}) while a minimum of 1 is "
                "required."
            )
    series = list(frame.iter_columns())
    names = _text_names(X, frame)
    columns = tuple(
        _read_series(one, j if names is None else names[j], "X", parse_text)
        for j, one in enumerate(series)
    )
    container = Container(kind=_kind(frame), dtypes=tuple(_dtype_name(one) for one in series))
    return Table(columns, names, n_rows, container)


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

    Raises
    ------
    ValueError
        Nothing is known, or the values are no classes.

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
    found = _target_type(columns, target_type)
    if target_type == "auto" and not any(column.observed.any() for column in columns):
        raise ValueError("y has no known entry; at least one class or label is needed.")
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
    """Replace unknown entries of a target, and nothing else; see `fill_table`.

    Parameters
    ----------
    y : array-like, series or data frame of shape (n_rows,) or (n_rows, n_columns)
        The target; it is not modified.
    decoded : sequence of ndarray of shape (n_rows,) or None
        Classes per column.
    observed : ndarray of bool, shape (n_rows, n_columns)
        Where entries stay as they are.

    Returns
    -------
    ndarray, series or data frame
        The container of `y`.

    Examples
    --------
    >>> fill_target(["cat", None], [np.array(["dog", "dog"])], np.array([[True], [False]]))
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
    native = frame.to_native()
    if decoded[0] is None or not missing.any():
        return y
    filled = _fill_series(frame, decoded[0], missing)
    if frame.implementation.is_pandas_like():
        filled = type(native)(filled, index=native.index, name=native.name)
    return nw.from_native(filled, series_only=True) if isinstance(y, nw.Series) else filled


def align(X: Any, feature_names: Sequence[str]) -> Any:
    """Give a data frame the columns of the training table, in its order.

    Parameters
    ----------
    X : data frame
        Any columns; those of other names are dropped.
    feature_names : sequence of str
        Columns of the training table.

    Returns
    -------
    data frame
        Absent columns are missing throughout; a UserWarning names them.

    Raises
    ------
    TypeError
        `X` has no column names.
    ValueError
        No column matches.

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
            UserWarning,
            stacklevel=2,
        )
        frame = frame.with_columns(nw.lit(None).alias(name) for name in absent)
    aligned = frame.select(list(feature_names))
    return aligned if isinstance(X, nw.DataFrame) else aligned.to_native()


def make_table(
    decoded: Decoded, container: Container, names: Sequence[str] | None, n_rows: int
) -> Any:
    """Make a new table of the container and types of the training table.

    Parameters
    ----------
    decoded : sequence of ndarray of shape (n_rows,) or None
        Values per column; None makes a column that is missing throughout.
    container : Container
        Kind and types.
    names : sequence of str or None
        Column names.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray or data frame
        An array is float64, or object if a column holds categories that are not numbers.

    Examples
    --------
    >>> container = Container(kind="pandas", dtypes=("Int64",))
    >>> make_table([np.array([1.2, 2.7])], container, ["n"], 2)["n"].tolist()
    [1, 3]
    """
    if container.kind == "numpy":
        return _make_array(decoded, container, n_rows)
    labels = list(names) if names is not None else [str(j) for j in range(len(decoded))]
    missing = np.ones(n_rows, dtype=bool)
    columns = []
    for values, label, dtype in zip(decoded, labels, container.dtypes, strict=True):
        empty = _empty_series(label, dtype, container.kind, n_rows)
        native = empty.to_native() if values is None else _fill_series(empty, values, missing)
        columns.append(native)
    if container.kind == "pandas":
        import pandas as pd

        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = pd.Index(labels if names is not None else range(len(labels)))
        return frame
    if container.kind == "polars":
        import polars as pl

        return pl.DataFrame([one.alias(label) for one, label in zip(columns, labels, strict=True)])
    import pyarrow as pa

    return pa.table(columns, names=labels)


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn an array, list of rows or list of classes into one array without merging types."""
    if data is None or isinstance(data, str | bytes | dict | set) or hasattr(data, "__next__"):
        raise TypeError(
            f"{what} is a {type(data).__name__}, not a table; pass a numpy array, a list of rows, "
            "or a data frame of pandas, polars or pyarrow. (argument must be a string or a number)"
        )
    if isinstance(data, np.ma.MaskedArray):
        is_float = data.dtype.kind == "f"
        data = data.filled(np.nan) if is_float else data.astype(object).filled(None)
    if not isinstance(data, np.ndarray) and not hasattr(data, "toarray"):
        data = _array_of_list(data, what)
    if isinstance(data, np.ndarray) and data.dtype.names is not None:
        raise TypeError(f"{what} is a structured array; pass a data frame or a plain array.")
    nested = {"ensure_2d": False, "allow_nd": True} if what == "y" else {}
    minimum = 0 if what == "y" else 1
    array: NDArray[Any] = check_array(
        data, dtype=None, ensure_all_finite=False, ensure_min_samples=1,
        ensure_min_features=minimum, input_name=what, **nested,
    )  # fmt: skip
    return array


def _array_of_list(data: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(data)
        if array.dtype.kind in "iubc":
            return array
        if array.dtype.kind == "f" and not (np.abs(array) >= _EXACT).any():
            return array
        return np.array(data, dtype=object)
    except ValueError:
        raise ValueError(f"Rows of {what} differ in length; give each as many cells.") from None


def _read_array(array: NDArray[Any], parse_text: bool) -> Table:
    n_rows, n_columns = array.shape
    if array.dtype.kind in "iufb":
        array = np.asfortranarray(array)  # one copy makes all passes over columns fast
    columns = tuple(read_column(array[:, j], j, parse_text=parse_text) for j in range(n_columns))
    container = Container(kind="numpy", dtypes=(array.dtype.name,) * n_columns)
    return Table(columns, None, n_rows, container)


def _open(data: Any, what: str) -> Any:
    """A narwhals frame or series; None for what no data-frame library made."""
    if hasattr(data, "to_pylist") and hasattr(data, "offset"):
        import pyarrow as pa

        data = pa.chunked_array([data])
    names = getattr(data, "column_names", getattr(data, "columns", None))
    if names is not None and not callable(names):
        repeated = [name for name, count in Counter(map(str, names)).items() if count > 1]
        if repeated:
            raise ValueError(
                f"Column names of {what} repeat: {', '.join(map(repr, repeated))}. Give each "
                "column its own name."
            )
    opened = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(opened, nw.LazyFrame):
        raise TypeError(f"{what} is a lazy frame; call {what}.collect() first.")
    return opened if isinstance(opened, nw.DataFrame | nw.Series) else None


def _text_names(data: Any, frame: Any) -> tuple[str, ...] | None:
    names = list(frame.columns)
    return tuple(map(str, names)) if all(isinstance(name, str) for name in names) else None


def _kind(frame: Any) -> Literal["pandas", "polars", "pyarrow"]:
    if frame.implementation.is_pandas_like():
        return "pandas"
    return "polars" if frame.implementation.is_polars() else "pyarrow"


def _dtype_name(series: Any) -> str:
    """Native name in pandas, whose types narwhals merges; narwhals' name elsewhere."""
    if series.implementation.is_pandas_like():
        return str(series.to_native().dtype)
    return str(series.dtype)


def _read_series(series: Any, name: str | int, what: str, parse_text: bool) -> RawColumn:
    dtype = series.dtype
    if dtype.is_temporal():
        observed = ~np.asarray(series.is_null().to_numpy(), dtype=bool)
        return RawColumn(np.full(len(observed), None, dtype=object), observed, "date")
    if dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean:
        null = np.asarray(series.is_null().to_numpy(), dtype=bool)
        zero = False if dtype == nw.Boolean else 0
        values = (series.fill_null(zero) if null.any() else series).to_numpy()
        values = np.asarray(values, dtype=bool) if dtype == nw.Boolean else np.asarray(values)
        if null.any() and values.dtype.kind == "f":
            values = np.where(null, np.nan, values)
        raw = read_column(values, name, what=what)
        return RawColumn(raw.values, raw.observed & ~null, raw.kind)
    is_category = dtype in (nw.Categorical, nw.Enum)
    raw = read_column(series.to_list(), name, parse_text=parse_text and not is_category, what=what)
    if is_category and raw.kind != "date":
        return RawColumn(raw.values, raw.observed, "category", _levels(series.to_native()))
    return raw


def _levels(native: Any) -> tuple[Any, ...] | None:
    """Categories of an ordered categorical type of pandas or Arrow, else None."""
    dtype = getattr(native, "dtype", getattr(native, "type", None))
    if not getattr(getattr(dtype, "pyarrow_dtype", dtype), "ordered", False):
        return None
    if hasattr(dtype, "categories"):
        return tuple(dtype.categories.tolist())
    arrow = native.array.__arrow_array__() if hasattr(native, "array") else native
    return tuple(_dictionary(arrow).dictionary.to_pylist())


def _dictionary(chunked: Any) -> Any:
    """One dictionary array of a chunked one."""
    import pyarrow as pa

    if isinstance(chunked, pa.ChunkedArray):
        chunked = chunked.unify_dictionaries().combine_chunks()
    if isinstance(chunked, pa.ChunkedArray):
        chunked = chunked.chunk(0)
    return chunked


def _target_columns(y: Any) -> tuple[tuple[RawColumn, ...], tuple[str, ...] | None, bool]:
    frame = _open(y, "y")
    if isinstance(frame, nw.Series):
        name = str(frame.name) if frame.name else "y"
        return (_read_series(frame, name, "y", False),), (name,), False
    if frame is not None:
        if not frame.columns or not len(frame):
            raise ValueError(f"y is an empty table of shape {frame.shape}.")
        names = _text_names(y, frame)
        series = enumerate(frame.iter_columns())
        read = (_read_series(one, names[j] if names else j, "y", False) for j, one in series)
        return tuple(read), names, True
    array = as_array(y, "y")
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise ValueError(
            f"y should be a 1d array of classes, or a 2d array with a column per label, got an "
            f"array of shape {array.shape} instead."
        )
    matrix = array if array.ndim == 2 else array[:, np.newaxis]
    columns = (
        read_column(matrix[:, j], j, parse_text=False, what="y") for j in range(matrix.shape[1])
    )
    return tuple(columns), None, array.ndim == 2


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
    elif column.values.dtype.kind == "f" and column.kind == "number":
        numbers = column.seen
        fractional = np.flatnonzero(numbers != np.floor(numbers))
        if fractional.size:
            position = int(fractional[0])
            kind = "continuous" if n_columns == 1 else "continuous-multioutput"
            raise ValueError(
                f"Unknown label type: {kind}. Column {name!r} of y holds "
                f"{numbers[position].item()!r} in row {column.row(position)}; a classifier needs "
                "classes. Bin the values, or make them a feature of X: HalfseenImputer and "
                "RBMImputer fill numbers."
            )


def _target_type(columns: tuple[RawColumn, ...], asked: str) -> TargetType:
    if asked not in ("auto", *TargetType.__args__):  # type: ignore[attr-defined]
        raise ValueError(f"Unknown target_type {asked!r}; use 'auto' or {TargetType.__args__!r}.")  # type: ignore[attr-defined]
    if asked in ("binary", "multiclass") and len(columns) > 1:
        raise ValueError(f"y has {len(columns)} columns, but a {asked} target has one.")
    wrong = next((found for found in map(_not_a_label, enumerate(columns)) if found), None)
    if asked == "multilabel-indicator" and wrong is not None:
        j, row, value = wrong
        raise ValueError(
            f"Labels are 0 or 1, but column {j} of y holds {value!r} in row {row}. Use 0, 1, and "
            "NaN for unknown."
        )
    if asked != "auto":
        return asked  # type: ignore[return-value]
    if len(columns) > 1:
        return "multilabel-indicator" if wrong is None else "multiclass-multioutput"
    column = columns[0]
    keys = {category_key(value) for value in set(column.seen.tolist())}
    return "multiclass" if len(keys) > 2 else "binary"


def _not_a_label(numbered: tuple[int, RawColumn]) -> tuple[int, int, Any] | None:
    j, column = numbered
    codes, unknown = column.codes({"0": 0, "1": 1, "False": 0, "True": 1})
    if not unknown and column.kind != "text":
        return None
    position = int(np.argmin(codes)) if len(codes) else 0
    return (j, column.row(position), column.seen[position]) if len(codes) else None


def _fill_array(array: NDArray[Any], decoded: Decoded, observed: NDArray[np.bool_]) -> NDArray[Any]:
    filled = array.copy()
    for j, values in enumerate(decoded):
        missing = ~observed[:, j]
        if values is None or not missing.any():
            continue
        if array.dtype == object:
            cells = _cells_like(values[missing], array[observed[:, j], j])
            filled[missing, j] = cells
        else:
            filled[missing, j] = values[missing].astype(array.dtype)
    return filled


def _objects(cells: list[Any]) -> NDArray[Any]:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _cells_like(values: NDArray[Any], seen: Any) -> NDArray[Any]:
    """Fills for a column of Python objects, in the type of its observed cells."""
    kinds = {type(cell) for cell in seen}
    if kinds and all(issubclass(kind, Decimal) for kind in kinds):
        digits = min((cell.as_tuple().exponent for cell in seen), default=0)
        return _objects([_decimal(value, -digits) for value in values])
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return _objects([_text(value) for value in values])
    whole = kinds and all(issubclass(kind, int | np.integer) for kind in kinds)
    if whole and bool not in kinds and values.dtype.kind == "f":
        return _objects([round(value) for value in values.tolist()])
    return _objects(values.tolist())


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
    array = native.array
    if hasattr(native.dtype, "pyarrow_dtype"):
        return type(array)(_fill_arrow(array.__arrow_array__(), cells, missing))
    if series.dtype in (nw.Categorical, nw.Enum):
        by_key = {category_key(value): value for value in native.dtype.categories}
        new = [cell for cell in dict.fromkeys(cells) if category_key(cell) not in by_key]
        filled = array.add_categories(new) if new else array.copy()
        filled[missing] = _objects([by_key.get(category_key(cell), cell) for cell in cells])
        return filled
    if hasattr(native, "sparse"):  # a sparse column of pandas cannot be set
        dense = np.asarray(array).copy()
        dense[missing] = cells
        return type(array)(dense, dtype=native.dtype)
    filled = array.copy()
    if native.dtype == object:
        filled[missing] = _cells_like(values[missing], native[~missing])
    else:
        is_text = series.dtype == nw.String
        filled[missing] = _objects(cells) if is_text else cells
    return filled


def _native_cells(series: Any, values: NDArray[Any]) -> list[Any]:
    """Fills as Python values of the column's type."""
    dtype = series.dtype
    if dtype.is_integer():
        bits = int("".join(filter(str.isdigit, str(dtype))))
        signed = str(dtype).startswith("Int")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
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


def _fill_polars(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import polars as pl

    placed = np.full(len(missing), None, dtype=object)
    placed[missing] = _objects(cells)
    dtype = native.dtype
    if isinstance(dtype, pl.Enum):
        dtype = pl.Enum(list(dict.fromkeys([*dtype.categories.to_list(), *map(_text, cells)])))
    fills = pl.Series(native.name, placed.tolist(), dtype=dtype)
    return native.cast(dtype).zip_with(pl.Series(~missing), fills)


def _fill_arrow(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    mask = pa.array(missing)
    if pa.types.is_dictionary(native.type):
        return _fill_dictionary(native, cells, missing)
    placed = np.full(len(missing), None, dtype=object)
    placed[missing] = _objects(cells)
    return pc.if_else(mask, pa.array(placed.tolist(), type=native.type), native)


def _fill_dictionary(native: Any, cells: list[Any], missing: NDArray[np.bool_]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    one = _dictionary(native)
    words = one.dictionary.to_pylist()
    positions = {category_key(word): position for position, word in enumerate(words)}
    for cell in cells:
        if category_key(cell) not in positions:
            positions[category_key(cell)] = len(words)
            words.append(cell)
    placed = np.full(len(missing), None, dtype=object)
    placed[missing] = _objects([positions[category_key(cell)] for cell in cells])
    fills = pa.array(placed.tolist(), type=native.type.index_type)
    indices = pc.if_else(pa.array(missing), fills, one.indices)
    dictionary = pa.array(words, type=native.type.value_type)
    made = pa.DictionaryArray.from_arrays(indices, dictionary, ordered=native.type.ordered)
    return pa.chunked_array([made])


def _make_array(decoded: Decoded, container: Container, n_rows: int) -> NDArray[Any]:
    numeric = all(
        values is None or not any(isinstance(value, str) for value in values) for values in decoded
    )
    table = np.full(
        (n_rows, len(decoded)), np.nan if numeric else None, float if numeric else object
    )
    for j, values in enumerate(decoded):
        if values is not None:
            table[:, j] = values
    return table


def _empty_series(name: str, dtype: str, kind: str, n_rows: int) -> Any:
    """A column that is missing throughout, of a type that can be missing."""
    if kind == "pandas":
        import pandas as pd

        # numpy's integers and booleans hold no missing value; samples do not need one.
        nullable = {"bool": "boolean"} | {
            f"{sign}int{bits}": f"{sign.upper()}Int{bits}"
            for sign in ("", "u")
            for bits in (8, 16, 32, 64)
        }
        array = pd.array([None] * n_rows, dtype=nullable.get(dtype, dtype))
        return nw.from_native(pd.Series(array, name=name), series_only=True)
    word, _, rest = dtype.partition("(")
    native = nw.Categorical if word == "Enum" else getattr(nw, word)
    if word == "Decimal":
        digits = [int("".join(filter(str.isdigit, part))) for part in rest.split(",")]
        native = nw.Decimal(*digits)
    return nw.new_series(name, [None] * n_rows, native, backend=kind)


def missing_cells(cells: Any) -> NDArray[np.bool_]:
    """Where Python objects are missing, of shape (n,)."""
    return np.fromiter((is_missing(cell) for cell in cells), bool, len(cells))
