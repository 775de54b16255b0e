"""What each feature column is, learned from its observed entries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.column import Category, Column, Transform
from halfseen.tables.is_heavy_tailed_count import is_heavy_tailed_count
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.table import Table

KINDS = ("auto", "numeric", "linear", "log", "ordinal", "binary", "categorical")
_MOST_LEVELS = 256
# Squares of values within these bounds neither overflow nor vanish in float64.
_LARGEST, _SMALLEST = 2.0**400, 2.0**-400


def learn_columns(
    table: Table, kinds: str | Mapping[str | int, str] = "auto"
) -> tuple[Column, ...]:
    """Learn what each column of a table is.

    Parameters
    ----------
    table : Table
        The training table.
    kinds : "auto", one kind for all, or a mapping from column name or position to kind
        Kinds are "auto", "numeric", "linear", "log", "ordinal", "binary" and "categorical". By
        "auto", text is categorical; booleans, and columns whose observed values are 0 and 1 with
        both present, are binary; everything else is numeric. "linear" is numeric on a linear scale,
        "log" numeric on a log scale, for any values not below 0; "numeric" leaves the scale to the
        rule below. "ordinal" is numeric, and only its observed values are answers.
        Forced "binary" also takes grey levels between 0 and 1.

    Returns
    -------
    tuple of Column
        One per column. A column without an observed entry is "empty" and has no units.

    Warns
    -----
    UserWarning
        Names the columns in which nothing is observed.

    Raises
    ------
    ValueError
        A kind or column is unknown, or a column does not fit the kind asked for.

    Notes
    -----
    Heavy-tailed counts are taken on a log scale: a numeric column whose observed values are all
    whole numbers not below 0, with a maximum of at least 10 and a skewness above 3. All other
    numeric columns stay linear.

    Examples
    --------
    >>> from halfseen.tables import read_table
    >>> table = read_table([[1.5, 0, "red"], [None, 1, "blue"], [2.5, 1, None]])
    >>> [column.kind for column in learn_columns(table)]
    ['numeric', 'binary', 'categorical']
    >>> learn_columns(table, {"x1": "numeric"})[1].kind
    'numeric'
    >>> visits = read_table([[0], [1], [1], [2], [0], [3], [1], [0], [2], [1], [1], [0], [400]])
    >>> learn_columns(visits)[0].transform
    'log'
    >>> learn_columns(visits, "linear")[0].transform
    'linear'
    """
    asked = _kind_per_column(table, kinds)
    columns = tuple(
        _learn(raw, name, kind)
        for raw, name, kind in zip(table.columns, table.names, asked, strict=True)
    )
    empty = [column.name for column in columns if column.kind == "empty"]
    if empty:
        listed = ", ".join(repr(name) for name in empty)
        warnings.warn(
            f"Nothing is observed in column(s) {listed}; left unfilled.", UserWarning, stacklevel=2
        )
    return columns


def mean_and_scale(values: NDArray[Any]) -> tuple[float, float]:
    """Mean and standard deviation, safe at any scale that float64 can hold.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        At least one value, all finite.

    Returns
    -------
    mean, scale : float
        A constant column has scale 1.

    Examples
    --------
    >>> import numpy as np
    >>> mean_and_scale(np.array([1e300, 3e300]))
    (2e+300, 1e+300)
    >>> mean_and_scale(np.array([0.1, 0.1, 0.1]))
    (0.1, 1.0)
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 1.0
    peak = max(-low, high)
    wide = values.astype(np.float64)
    exponent = 0
    if not _SMALLEST < peak < _LARGEST:
        exponent = int(np.frexp(peak)[1])
        wide = np.ldexp(wide, -exponent)
    mean = float(wide.mean())
    scale = float(np.sqrt(np.mean(np.square(wide - mean))))
    with np.errstate(under="ignore"):
        mean, scale = float(np.ldexp(mean, exponent)), float(np.ldexp(scale, exponent))
    return mean, scale if scale > 0.0 else 1.0


def learn_categories(values: NDArray[Any]) -> tuple[tuple[Category, ...], tuple[float, ...]]:
    """Categories in sorted order, and how often each occurs.

    Values that Python holds equal (1, 1.0 and True) are one category. Numbers come before text.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Observed values.

    Returns
    -------
    categories : tuple
        The distinct values.
    frequencies : tuple of float
        Their shares, which sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> learn_categories(np.array(["b", "a", "b", 3], dtype=object))
    ((3, 'a', 'b'), (0.25, 0.25, 0.5))
    """
    if values.dtype != object:
        numbers, counts = np.unique(values, return_counts=True)
        return tuple(numbers.tolist()), tuple((counts / len(values)).tolist())
    tally: dict[Any, int] = {}
    for value in values.tolist():
        tally[value] = tally.get(value, 0) + 1
    ordered = sorted(tally, key=lambda value: (isinstance(value, str), value))
    return tuple(ordered), tuple(tally[value] / len(values) for value in ordered)


def _kind_per_column(table: Table, kinds: str | Mapping[str | int, str]) -> list[str]:
    if isinstance(kinds, str):
        return [_known(kinds, "all columns")] * len(table.names)
    asked = ["auto"] * len(table.names)
    for key, kind in kinds.items():
        asked[_position(table, key)] = _known(kind, f"column {key!r}")
    return asked


def _known(kind: str, where: str) -> str:
    if kind not in KINDS:
        valid = ", ".join(repr(known) for known in KINDS)
        raise ValueError(f"Unknown kind {kind!r} for {where}; valid kinds are {valid}.")
    return kind


def _position(table: Table, key: str | int) -> int:
    if isinstance(key, str) and key in table.names:
        return table.names.index(key)
    is_whole = isinstance(key, int | np.integer) and not isinstance(key, bool)
    if is_whole and 0 <= int(key) < len(table.names):
        return int(key)
    shown = ", ".join(repr(name) for name in table.names[:20])
    more = ", ..." if len(table.names) > 20 else ""
    raise ValueError(
        f"Unknown column {key!r} in kinds; valid columns are {shown}{more}, "
        f"or positions 0 to {len(table.names) - 1}."
    )


def _learn(raw: RawColumn, name: str, kind: str) -> Column:
    n = raw.n_observed
    if n == 0:
        return Column(name, "empty", "none", 0.0, 1.0, (), "float64", (), 0)
    if kind == "auto":
        kind = _natural_kind(raw)
    if kind == "categorical":
        categories, frequencies = learn_categories(raw.observed_values)
        dtype = "object" if raw.is_text else "float64"
        return Column(name, "categorical", "softmax", 0.0, 1.0, categories, dtype, frequencies, n)
    values = numbers_of(raw, name)
    if kind == "binary":
        refuse_outside_unit(raw, values, name)
        p = float(values[raw.observed].mean(dtype=np.float64))
        return Column(name, "binary", "bernoulli", 0.0, 1.0, (), "float64", (p,), n)
    if kind == "log":
        refuse_negative(raw, values, name)
    seen = values if n == len(values) else values[raw.observed]
    if kind == "ordinal":
        return _learn_ordinal(seen, name)
    transform: Transform = "linear"
    if kind == "log" or (kind == "numeric" and is_heavy_tailed_count(seen)):
        transform, seen = "log", np.log1p(seen, dtype=np.float64)
    mean, scale = mean_and_scale(seen)
    return Column(name, "numeric", "gaussian", mean, scale, (), "float64", (0.0,), n, transform)


def _learn_ordinal(seen: NDArray[Any], name: str) -> Column:
    levels = np.unique(seen).astype(np.float64)
    if len(levels) > _MOST_LEVELS:
        raise ValueError(
            f"Column {name!r} is to be ordinal, but has {len(levels):,} different values; more "
            f"than {_MOST_LEVELS} are no levels. Make the column 'numeric'."
        )
    mean, scale = mean_and_scale(seen)
    made = tuple(levels.tolist()), "float64", (0.0,), len(seen), "ordinal"
    return Column(name, "numeric", "gaussian", mean, scale, *made)  # type: ignore[arg-type]


def _natural_kind(raw: RawColumn) -> str:
    if raw.is_text:
        return "categorical"
    if raw.is_bool:
        return "binary"
    ones = np.count_nonzero(raw.values == 1.0)
    zeros = np.count_nonzero((raw.values == 0.0) & raw.observed)
    return "binary" if ones and zeros and ones + zeros == raw.n_observed else "numeric"


def numbers_of(raw: RawColumn, name: str) -> NDArray[Any]:
    """Values of a column that must hold numbers.

    Parameters
    ----------
    raw : RawColumn
        The column.
    name : str
        Its name, for the message.

    Returns
    -------
    ndarray of float, shape (n_rows,)
        The numbers, 0 behind unobserved entries.

    Raises
    ------
    ValueError
        A cell is text.

    Examples
    --------
    >>> from halfseen.tables import read_table
    >>> numbers_of(read_table([[1], [None]]).columns[0], "x0")
    array([1., 0.])
    """
    if not raw.is_text:
        return raw.values
    for row, value in enumerate(raw.values.tolist()):
        if isinstance(value, str):
            raise ValueError(
                f"Column {name!r} holds numbers, but row {row} is the text {value!r}. Convert it "
                "to a number, mark it as missing (NaN), or make the column categorical."
            )
    return np.array([0.0 if v is None else float(v) for v in raw.values.tolist()])


def refuse_outside_unit(raw: RawColumn, values: NDArray[Any], name: str) -> None:
    """Refuse a binary column with an observed value outside 0 to 1.

    Parameters
    ----------
    raw : RawColumn
        The column.
    values : ndarray of float, shape (n_rows,)
        Its numbers.
    name : str
        Its name, for the message.

    Raises
    ------
    ValueError
        With column, row, value and remedy.

    Examples
    --------
    >>> from halfseen.tables import read_table
    >>> raw = read_table([[0.25], [1]]).columns[0]
    >>> refuse_outside_unit(raw, raw.values, "x0")
    """
    row = raw.first_row((values < 0.0) | (values > 1.0))
    if row is not None:
        raise ValueError(
            f"Column {name!r} is binary, but row {row} holds {values[row].item()!r}, which is "
            "outside 0 to 1. Rescale the column, or make it numeric."
        )


def refuse_negative(raw: RawColumn, values: NDArray[Any], name: str) -> None:
    """Refuse a column for a log scale with an observed value below 0.

    Parameters
    ----------
    raw : RawColumn
        The column.
    values : ndarray of float, shape (n_rows,)
        Its numbers.
    name : str
        Its name, for the message.

    Raises
    ------
    ValueError
        With column, row, value and remedy.

    Examples
    --------
    >>> from halfseen.tables import read_table
    >>> raw = read_table([[0], [250]]).columns[0]
    >>> refuse_negative(raw, raw.values, "x0")
    """
    row = raw.first_row(values < 0.0)
    if row is not None:
        raise ValueError(
            f"Column {name!r} is to be on a log scale, but row {row} holds "
            f"{values[row].item()!r}, which is below 0. Mark such values as missing (NaN), or make "
            "the column 'linear'."
        )
