"""What a value of a JSON document may be, asked before it is believed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from reprlib import repr as short_repr
from typing import Any


def wrong_value(values: Mapping[str, Any], allowed: Mapping[str, Callable[[Any], bool]]) -> str:
    """What the first value is that cannot be, in words; nothing if all can.

    Examples
    --------
    >>> wrong_value({"n_rows": 7, "method": 3}, {"n_rows": is_whole, "method": is_text})
    'holds 3 as method'
    >>> wrong_value({"n_rows": 7}, {"n_rows": is_whole})
    ''
    """
    for name, value in values.items():
        if not allowed[name](value):
            return f"holds {short_repr(value)} as {name}"
    return ""


def is_text(value: Any) -> bool:
    """Whether it is a text."""
    return isinstance(value, str)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number that a machine can count to; true and false are none.

    Examples
    --------
    >>> is_whole(3), is_whole(3.0), is_whole(True), is_whole(10**400)
    (True, False, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def is_number(value: Any) -> bool:
    """Whether it is a number, and a finite one.

    Examples
    --------
    >>> is_number(0.5), is_number(float("inf"))
    (True, False)
    """
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_number_or_null(value: Any) -> bool:
    """Whether it is a number, finite or not, or the null that those are written as."""
    return value is None or is_whole(value) or isinstance(value, float)


def are_numbers_or_null(value: Any) -> bool:
    """Whether it is a list of numbers and nulls."""
    return isinstance(value, list | tuple) and all(map(is_number_or_null, value))


def is_mapping(value: Any) -> bool:
    """Whether it is an object of JSON."""
    return isinstance(value, Mapping)


def are_texts(value: Any) -> bool:
    """Whether it is an object of which all values are texts, as versions are.

    Examples
    --------
    >>> are_texts({"numpy": "2.4.6"}), are_texts({"numpy": 2})
    (True, False)
    """
    return is_mapping(value) and all(map(is_text, value.values()))


def are_scores(value: Any) -> bool:
    """Whether it is an object of which all values are numbers or null."""
    return is_mapping(value) and all(map(is_number_or_null, value.values()))


def are_triples(value: Any) -> bool:
    """Whether it is a list of triples of numbers, as the bins of probabilities are.

    Examples
    --------
    >>> are_triples([[0.1, 0.2, 7]]), are_triples([[0.1, 0.2]])
    (True, False)
    """
    return isinstance(value, list | tuple) and all(
        are_numbers_or_null(one) and len(one) == 3 for one in value
    )
