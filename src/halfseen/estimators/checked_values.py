"""Parameters as users give them, checked with errors that name the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from halfseen.tables.learn_columns import KINDS

MOST = 10**9


def checked_kinds(kinds: Any, names: Sequence[str]) -> Any:
    """Kinds of columns as the user gave them, or an error that names the column.

    Examples
    --------
    >>> checked_kinds({"age": "numeric"}, ["age"])
    {'age': 'numeric'}
    """
    if not isinstance(kinds, str | Mapping):
        raise ValueError(
            "column_kinds must be one kind for all columns, or a mapping from column name or "
            f"position to kind, got {kinds!r}"
        )
    for kind in [kinds] if isinstance(kinds, str) else kinds.values():
        if kind not in KINDS:
            raise ValueError(f"column_kinds must be of {KINDS}, got {kind!r}")
    for column in () if isinstance(kinds, str) else kinds:
        is_place = isinstance(column, Integral) and not isinstance(column, bool)
        there = range(len(names)) if is_place else names
        if column not in there:
            raise ValueError(
                f"column_kinds names the column {column!r}, which X does not have; use a name "
                f"of {names[:20]} or a position from 0 to {len(names) - 1}"
            )
    return kinds


def checked_level(level: Any) -> float:
    """A probability strictly between 0 and 1, or a clear error.

    Examples
    --------
    >>> checked_level(0.9)
    0.9
    """
    is_number = isinstance(level, Real) and not isinstance(level, bool)
    if not is_number or not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, got {level!r}")
    return float(level)


def check_whole(name: str, value: Any, lowest: int, highest: int) -> None:
    """Raise unless a parameter is a whole number within its bounds.

    Examples
    --------
    >>> check_whole("n_draws", 0, 1, 9)
    Traceback (most recent call last):
    ValueError: n_draws must be a whole number from 1 to 9, got 0
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not lowest <= value <= highest:
        raise ValueError(
            f"{name} must be a whole number from {lowest} to {highest:,}, got {value!r}"
        )
