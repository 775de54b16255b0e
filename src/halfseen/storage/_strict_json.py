"""JSON from an untrusted file, with bounds on depth and number of tokens."""

import json
import math
import re
from reprlib import repr as short_repr
from typing import Any, Final, NoReturn

# Possessive quantifiers: an unterminated string must not cost quadratic time.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,"]|[^\[\]{}:,"\s]++', re.DOTALL)
_MOST_DIGITS: Final = 1000


def strict_json(text: str, *, most_tokens: int, deepest: int) -> dict[str, Any]:
    """Parse a JSON object, refusing all that JSON leaves open.

    Python's parser would accept ``NaN``, keep the last of two equal keys, turn ``1e999`` into
    infinity, recurse as deep as the text says, spend ages on a long integer and build objects many
    times the size of the text. Depth and tokens are therefore counted first, without building
    anything. The count agrees with the parser up to the first error in the text, and there the
    parser stops.

    Parameters
    ----------
    text : str
        The JSON text.
    most_tokens : int
        Largest number of tokens (strings, numbers, words, brackets, colons and commas).
    deepest : int
        Largest number of brackets open at once.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    ValueError
        When the text is not such an object; the message completes "..., because it ...".

    Examples
    --------
    >>> strict_json('{"a": [1, 2]}', most_tokens=20, deepest=2)
    {'a': [1, 2]}
    >>> strict_json('{"a": [1, [2]]}', most_tokens=20, deepest=2)
    Traceback (most recent call last):
    ...
    ValueError: nests deeper than 2 levels
    """
    _check_extent(text, most_tokens, deepest)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object_with_distinct_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_short_int,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("is not a JSON object")
    return value


def _check_extent(text: str, most_tokens: int, deepest: int) -> None:
    depth = 0
    for n_tokens, token in enumerate(_TOKEN.finditer(text), start=1):
        if n_tokens > most_tokens:
            raise ValueError(f"has more than {most_tokens:,} JSON tokens")
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > deepest:
                raise ValueError(f"nests deeper than {deepest} levels")
        elif first in "]}":
            depth -= 1
        elif first == '"' and token.end() == token.start() + 1:
            raise ValueError("is not JSON: a string does not end")


def _object_with_distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct: dict[str, Any] = {}
    for key, value in pairs:
        if key in distinct:
            raise ValueError(f"has the key {short_repr(key)} twice")
        distinct[key] = value
    return distinct


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"is not JSON: {word} is not a number")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("has a number beyond the range of float64")
    return value


def _short_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"has an integer of more than {_MOST_DIGITS:,} digits")
    return int(digits)
