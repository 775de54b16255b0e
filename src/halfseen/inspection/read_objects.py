"""Cells of one column that are Python objects."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.cells import Cells, Sort, common_sort, number_text

_BOOLS = (bool, np.bool_)
_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
_DATES = (datetime.date, np.datetime64)
# Known by name, because pandas is not imported here.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})


def read_objects(objects: Sequence[Any]) -> Cells:
    """Read cells that are Python objects.

    Parameters
    ----------
    objects : sequence, length n_rows
        Texts, numbers, booleans, dates or anything else; None, NaN and ``pandas.NA`` are missing.

    Returns
    -------
    Cells
        A single text makes all cells texts; dates beside anything else make them "other".

    Examples
    --------
    >>> read_objects([1, None, 2.5]).values
    array([1. , 0. , 2.5])
    >>> read_objects(["red", None, 7]).values
    array(['red', '', '7'], dtype=object)
    >>> read_objects([[1], None]).sort
    'other'
    """
    if all(kind is str or kind.__name__ in _MISSING_TYPES for kind in set(map(type, objects))):
        return read_texts(objects)
    observed = np.fromiter((not _is_missing(cell) for cell in objects), bool, len(objects))
    seen = [objects[row] for row in np.flatnonzero(observed).tolist()]
    sort = common_sort([_sort_of(kind) for kind in set(map(type, seen))])
    if sort == "text":
        return read_texts(objects)
    values = np.zeros(len(objects))
    if sort in ("bool", "number"):
        values[observed] = [_float(cell) for cell in seen]
    elif sort == "date":
        values[observed] = [_microseconds(cell) for cell in seen]
    return read_numbers(values, observed, sort)


def read_texts(objects: Sequence[Any]) -> Cells:
    """Read cells as texts, whatever they are.

    Parameters
    ----------
    objects : sequence, length n_rows
        Texts, numbers or missing cells.

    Returns
    -------
    Cells
        Numbers as `number_text` writes them.

    Examples
    --------
    >>> read_texts([3, None, "a"]).values
    array(['3', '', 'a'], dtype=object)
    """
    values = np.empty(len(objects), dtype=object)
    values[:] = objects
    observed = np.fromiter((isinstance(cell, str) for cell in objects), bool, len(objects))
    infinite = np.zeros(len(objects), dtype=bool)
    for row in np.flatnonzero(~observed).tolist():
        missing = _is_missing(values[row])
        values[row] = "" if missing else number_text(_float(values[row]))
        observed[row] = not missing
    return Cells(values, observed, infinite, "text" if observed.any() else "nothing")


def read_numbers(values: NDArray[Any], observed: NDArray[np.bool_], sort: Sort) -> Cells:
    """Read cells that are numbers already.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers or booleans; NaN is missing, infinite numbers are set apart.
    observed : ndarray of bool, shape (n_rows,)
        True where the cell was seen.
    sort : str
        What the numbers stand for.

    Returns
    -------
    Cells
        Of that sort, or "nothing".

    Examples
    --------
    >>> import numpy as np
    >>> cells = read_numbers(np.array([1.0, np.nan, np.inf]), np.ones(3, bool), "number")
    >>> cells.observed, cells.infinite
    (array([ True, False, False]), array([False, False,  True]))
    """
    numbers = np.array(values, dtype=np.float64)
    infinite = np.isinf(numbers) & observed
    seen = observed & np.isfinite(numbers)
    numbers[~seen] = 0.0
    return Cells(numbers, seen, infinite, sort if seen.any() else "nothing")


def _is_missing(cell: Any) -> bool:
    if type(cell).__name__ in _MISSING_TYPES:
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, np.datetime64):
        return bool(np.isnat(cell))
    return isinstance(cell, float | np.floating) and bool(cell != cell)


def _sort_of(kind: type) -> Sort:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, _BOOLS):
        return "bool"
    if issubclass(kind, _NUMBERS):
        return "number"
    return "date" if issubclass(kind, _DATES) else "other"


def _float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:  # a whole number beyond float64
        return float("inf") if cell > 0 else float("-inf")


def _microseconds(cell: Any) -> float:
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return float(np.datetime64(cell, "us").astype(np.int64))
