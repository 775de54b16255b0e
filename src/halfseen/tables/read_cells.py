"""A column of Python objects, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.raw_column import RawColumn

_BOOLS = (bool, np.bool_)
_NUMBERS = (*_BOOLS, int, float, np.integer, np.floating, Decimal, Fraction)
_COMPLEX = (complex, np.complexfloating)
# Known by name, because pandas is not imported here.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})


def read_cells(cells: Sequence[Any] | NDArray[Any], name: str, what: str) -> RawColumn:
    """Read a column of Python objects.

    Numbers, booleans and missing cells make a numeric column; a single text makes the column
    categorical over all its values. None, NaN and ``pandas.NA`` are missing.

    Parameters
    ----------
    cells : sequence of objects, length n_rows
        The cells.
    name : str
        Column name, for messages.
    what : str
        Name of the table, for messages.

    Returns
    -------
    RawColumn
        The column.

    Raises
    ------
    TypeError
        A cell is neither text nor a number.
    ValueError
        A cell is infinite or complex.

    Examples
    --------
    >>> read_cells([1, None, 2.5], "size", "X").values
    array([1. , 0. , 2.5])
    >>> read_cells(["red", None, 7], "colour", "X").values
    array(['red', None, 7], dtype=object)
    """
    observed = _observed(cells)
    _refuse_strange(cells, observed, name, what)
    if any(issubclass(kind, str) for kind in set(map(type, cells))):
        return _categories(cells, observed, name, what)
    values = np.zeros(len(cells), dtype=np.float64)
    for row in np.flatnonzero(observed).tolist():
        values[row] = _float(cells[row], name, row, what)
    refuse_infinity(values, name, what)
    kinds = {type(cells[row]) for row in np.flatnonzero(observed).tolist()}
    is_bool = bool(kinds) and all(issubclass(kind, _BOOLS) for kind in kinds)
    return RawColumn(values, observed, is_text=False, is_bool=is_bool)


def read_categories(cells: Sequence[Any] | NDArray[Any], name: str, what: str) -> RawColumn:
    """Read a column of Python objects as categories, whatever they are.

    Parameters
    ----------
    cells : sequence of objects, length n_rows
        The cells.
    name : str
        Column name, for messages.
    what : str
        Name of the table, for messages.

    Returns
    -------
    RawColumn
        A text column; numbers stay numbers inside it.

    Examples
    --------
    >>> read_categories([3, None, 5], "grade", "X").values
    array([3, None, 5], dtype=object)
    """
    observed = _observed(cells)
    _refuse_strange(cells, observed, name, what)
    return _categories(cells, observed, name, what)


def refuse_infinity(values: NDArray[Any], name: str, what: str) -> None:
    """Refuse a column that holds an infinite value.

    Parameters
    ----------
    values : ndarray of float, shape (n_rows,)
        The column.
    name : str
        Column name, for the message.
    what : str
        Name of the table, for the message.

    Raises
    ------
    ValueError
        With column, row and remedy.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_infinity(np.array([1.0, 2.0]), "size", "X")
    """
    rows = np.flatnonzero(np.isinf(values))
    if rows.size:
        raise _infinity(name, int(rows[0]), what)


def _infinity(name: str, row: int, what: str) -> ValueError:
    return ValueError(
        f"Input {what} contains infinity: column {name!r}, row {row}. "
        "Replace it by a finite number, or by NaN to mark the entry as missing."
    )


def _is_missing(cell: Any) -> bool:
    if type(cell).__name__ in _MISSING_TYPES:
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    return isinstance(cell, float | np.floating) and bool(cell != cell)


def _observed(cells: Sequence[Any] | NDArray[Any]) -> NDArray[np.bool_]:
    return np.fromiter((not _is_missing(cell) for cell in cells), dtype=bool, count=len(cells))


def _refuse_strange(
    cells: Sequence[Any] | NDArray[Any], observed: NDArray[np.bool_], name: str, what: str
) -> None:
    strange = {kind for kind in set(map(type, cells)) if not issubclass(kind, (str, *_NUMBERS))}
    strange = {kind for kind in strange if kind.__name__ not in _MISSING_TYPES}
    if not strange:
        return
    for row in np.flatnonzero(observed).tolist():
        kind = type(cells[row])
        if kind in strange and issubclass(kind, _COMPLEX):
            raise ValueError(
                f"Complex data not supported: column {name!r}, row {row} of {what}. "
                "Split it into a real and an imaginary column."
            )
        if kind in strange:
            raise TypeError(
                f"Column {name!r}, row {row} of {what}: argument must be a string or a number, "
                f"not {kind.__name__!r}. Convert the column to numbers or to text, "
                "or leave it out."
            )


def _float(cell: Any, name: str, row: int, what: str) -> float:
    try:
        return float(cell)
    except OverflowError:
        raise ValueError(
            f"Column {name!r}, row {row} of {what} holds a whole number too large for float64. "
            "Rescale the column, or pass it as text to use it as a category."
        ) from None


def _categories(
    cells: Sequence[Any] | NDArray[Any], observed: NDArray[np.bool_], name: str, what: str
) -> RawColumn:
    values = np.full(len(cells), None, dtype=object)
    for row in np.flatnonzero(observed).tolist():
        value = _plain(cells[row])
        if isinstance(value, float) and isinf(value):
            raise _infinity(name, row, what)
        values[row] = value
    return RawColumn(values, observed, is_text=True, is_bool=False)


def _plain(cell: Any) -> str | int | float | bool:
    """Return the cell as one of the four types that a document can hold."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, _BOOLS):
        return bool(cell)
    if isinstance(cell, int | np.integer):
        return int(cell)
    return float(cell)
