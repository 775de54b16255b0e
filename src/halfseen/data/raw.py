"""A column as it was given: its cells, which of them are observed, and what identifies a category.

Missing is NaN, None, ``pandas.NA`` or ``NaT``; nothing behind a missing entry is ever read.
"""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import NoneType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Category = bool | int | float | str
RawKind = Literal["number", "bool", "text", "category", "date"]

_BOOLS = (bool, np.bool_)
_NUMBERS = (*_BOOLS, int, float, np.integer, np.floating, Decimal, Fraction)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
# By name, because pandas is not imported here.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType", "MaskedConstant"})
# "007" and "+7" are codes, not numbers.
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d*)?")
_NUMBER = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
EXACT = 2.0**53  # from here on, not every whole number is a float64


@dataclass(frozen=True)
class RawColumn:
    """One column as it was given."""

    values: NDArray[Any]  # numbers, booleans or objects; meaningless where unobserved
    observed: Bools
    kind: RawKind  # "category" is a categorical type of a data frame
    levels: tuple[Category, ...] | None = None  # order of an ordered categorical type

    def __len__(self) -> int:
        return len(self.observed)

    @property
    def seen(self) -> NDArray[Any]:
        """The observed values, of shape (n_observed,)."""
        return self.values if self.observed.all() else self.values[self.observed]

    def row(self, position: int) -> int:
        """Row of the observed value at this position of `seen`."""
        return int(np.flatnonzero(self.observed)[position])

    def numbers(self, name: object) -> NDArray[np.float64]:
        """Observed values as float64; refuses text and dates, naming the row."""
        if self.values.dtype != object and self.kind != "date":
            return self.seen.astype(np.float64)
        numbers = np.empty(int(self.observed.sum()))
        for position, cell in enumerate(self.seen.tolist()):
            try:
                numbers[position] = float(cell)
            except (TypeError, ValueError):
                problem = f"Column {name!r} is numeric, but row {self.row(position)} holds {cell!r}"
                remedy = "Convert it, use NaN for missing, or make the column categorical."
                raise ValueError(f"{problem}. {remedy}") from None
        return numbers

    def codes(self, positions: dict[str, int]) -> tuple[NDArray[np.int64], list[Any]]:
        """Code of each observed value by its category key (-1: unknown), and unknown values."""
        distinct, inverse = distinct_values(self.seen)
        found = [positions.get(category_key(value), -1) for value in distinct]
        unknown = [value for value, code in zip(distinct, found, strict=True) if code < 0]
        return np.array(found, np.int64)[inverse], unknown


def distinct_values(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct values in any order, and the position of each value among them."""
    if values.dtype == object:
        # Types belong to the key, because Python holds 1 and True equal.
        positions: dict[tuple[type, Any], int] = {}
        keys = ((type(cell), cell) for cell in values.tolist())
        places = [positions.setdefault(key, len(positions)) for key in keys]
        return [cell for _, cell in positions], np.array(places, np.int64)
    distinct = np.unique(values)
    # Faster than return_inverse=True, which sorts positions too.
    return distinct.tolist(), np.searchsorted(distinct, values)


def category_key(value: Any) -> str:
    """Text by which values are one category: numbers match text that writes the same number."""
    if isinstance(value, _BOOLS):
        return str(bool(value))
    if isinstance(value, str):
        text = value.strip()
    else:
        number = float(value) if isinstance(value, Fraction) else value
        # str gives the shortest digits of a float32 too; "f" writes out exponents.
        text = format(Decimal(str(number)), "f")
    if not _PLAIN_NUMBER.fullmatch(text):
        return text
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def class_text(value: Any) -> str:
    """A category as text."""
    return value if isinstance(value, str) else category_key(value)


def shortened(text: str, longest: int) -> str:
    """Text whose end is cut off where it is too long."""
    return text if len(text) <= longest else text[: longest - 1] + "\N{HORIZONTAL ELLIPSIS}"


def read_column(
    cells: Any, name: object = "values", *, parse_text: bool = True, what: str = "X"
) -> RawColumn:
    """Read a column; with `parse_text`, text becomes numbers if every observed cell writes one."""
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind in "iufb":
            return _read_numbers(cells, name, what)
        if cells.dtype.kind in "Mm":
            return RawColumn(cells, ~np.isnat(cells), "date")
        cells = cells.tolist()
    if set(map(type, cells)) <= {float, NoneType}:  # quickly, as most columns of JSON are these
        return _read_numbers(np.array(cells, np.float64), name, what)
    values = np.fromiter(cells, object, len(cells))
    observed = np.array([not is_missing(cell) for cell in values], bool)
    rows = np.flatnonzero(observed).tolist()
    kinds = {type(values[row]) for row in rows}
    if kinds and all(issubclass(kind, _DATES) for kind in kinds):
        return RawColumn(values, observed, "date")
    for row in rows:
        if isinstance(values[row], (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: column {name!r}, row {row} of {what}.")
        if not isinstance(values[row], (str, *_NUMBERS)):
            problem = f"argument must be a string or a number, not {type(values[row]).__name__!r}"
            remedy = "Make the column all numbers, all text or all dates, or leave it out."
            raise TypeError(f"Column {name!r}, row {row} of {what}: {problem}. {remedy}")
    if kinds and all(issubclass(kind, _BOOLS) for kind in kinds):
        return RawColumn(values, observed, "bool")
    if not any(issubclass(kind, str) for kind in kinds):
        return _read_objects(values, observed, name, what)
    if parse_text and (numbers := _parsed(values, observed)) is not None:
        return RawColumn(numbers, observed, "number")
    for row in rows:
        values[row] = plain(values[row])
        if values[row] in (np.inf, -np.inf):
            raise _infinite(name, row, what)
    return RawColumn(values, observed, "text")


def plain(cell: Any) -> Category:
    """Text, boolean or number as a type of Python."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, _BOOLS):
        return bool(cell)
    return int(cell) if isinstance(cell, (int, np.integer)) else float(cell)


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, ``pandas.NA``, ``NaT`` or a masked entry."""
    may_be_nan = isinstance(cell, (float, np.floating, Decimal, np.datetime64, np.timedelta64))
    return type(cell).__name__ in _MISSING_TYPES or (may_be_nan and bool(cell != cell))


def _infinite(name: object, row: Any, what: str) -> ValueError:
    problem = f"Input {what} contains infinity (inf): column {name!r}, row {row}"
    return ValueError(f"{problem}. Replace it by a finite number, or use NaN for missing.")


def _read_numbers(array: NDArray[Any], name: object, what: str) -> RawColumn:
    rows = np.flatnonzero(np.isinf(array))
    if rows.size:
        raise _infinite(name, rows[0], what)
    return RawColumn(array, ~np.isnan(array), "bool" if array.dtype.kind == "b" else "number")


def _read_objects(values: NDArray[Any], observed: Bools, name: object, what: str) -> RawColumn:
    """Numbers held as Python objects: int64 where whole numbers fit it, else float64."""
    seen = values[observed]
    if len(seen) and all(isinstance(cell, (int, np.integer)) for cell in seen):
        whole = np.zeros(len(values), np.int64)
        with suppress(OverflowError):
            whole[observed] = [int(cell) for cell in seen]
            return RawColumn(whole, observed, "number")
    numbers = np.full(len(values), np.nan)
    for row in np.flatnonzero(observed):
        try:
            numbers[row] = float(values[row])
        except OverflowError:
            problem = "is too large for float64; rescale the column, or pass it as text"
            raise ValueError(f"Column {name!r}, row {row} of {what} {problem}.") from None
    return _read_numbers(numbers, name, what)


def _parsed(values: NDArray[Any], observed: Bools) -> NDArray[np.float64] | None:
    """Numbers that text writes; None unless every observed cell is one that float64 can hold."""
    # Booleans and fractions write no number.
    texts = [str(cell).strip() for cell in values[observed]]
    if not all(map(_NUMBER.fullmatch, texts)):
        return None
    numbers = np.full(len(values), np.nan)
    numbers[observed] = [float(text) for text in texts]
    # Whole numbers of this size are keys; as floats neighbours would merge.
    keys = (text for text in texts if text.lstrip("-").isdigit() and abs(float(text)) >= EXACT)
    return None if np.isinf(numbers).any() or any(keys) else numbers
