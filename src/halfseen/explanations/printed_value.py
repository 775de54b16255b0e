"""A cell as a person would write it."""

from __future__ import annotations

from typing import Any

_DIGITS = 4


def printed_value(value: Any) -> str:
    """Text of a cell: whole numbers without a point, others with four digits.

    Examples
    --------
    >>> printed_value(3.0), printed_value(0.123456), printed_value("red"), printed_value(True)
    ('3', '0.1235', 'red', 'True')
    """
    if isinstance(value, float):
        return (
            str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.{_DIGITS}g}"
        )
    return str(value)
