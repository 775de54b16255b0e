"""One text for one document, whatever the order it was put together in."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from halfseen.storage._strict_json import strict_json

MOST_DOCUMENT_TOKENS: Final = 2**20
DEEPEST_DOCUMENT: Final = 100


def canonical_json(document: Mapping[str, Any]) -> str:
    """Write a document as JSON: ASCII, sorted keys, no spaces, no NaN.

    The text is parsed again before it is handed out, so a document that could not be read back as
    it is cannot be written either.

    Parameters
    ----------
    document : mapping of str to JSON value
        Objects may be any mapping, lists may be tuples.

    Returns
    -------
    str
        The text; equal documents give equal texts.

    Raises
    ------
    TypeError
        When something in it is not a JSON value or a key is not a string; names the place.
    ValueError
        When a number is not finite, or the document is too deep or too long; names the place.

    Examples
    --------
    >>> canonical_json({"b": (1, 2.5), "a": None})
    '{"a":null,"b":[1,2.5]}'
    >>> canonical_json({"history": [{"loss": float("nan")}]})
    Traceback (most recent call last):
    ...
    ValueError: document['history'][0]['loss'] is nan, which JSON cannot hold: use None instead
    """
    if not isinstance(document, Mapping):
        raise TypeError(f"document must be a mapping, not {type(document).__name__}")
    plain = _plain(document, "document", 0)
    try:
        text = json.dumps(plain, allow_nan=False, sort_keys=True, separators=(",", ":"))
        again = parse_document(text)
    except ValueError as error:
        raise ValueError(
            f"the document cannot be kept as JSON ({error}): shorten it, and keep long lists of "
            "numbers as arrays"
        ) from error
    if again != plain:
        raise ValueError(
            "the document would not come back from JSON as it is: remove strings with split "
            "surrogate pairs from it"
        )
    return text


def parse_document(text: str) -> dict[str, Any]:
    """Read the text of a document within the bounds that its writer keeps.

    Parameters
    ----------
    text : str
        JSON text, canonical or not.

    Returns
    -------
    dict
        The document.

    Raises
    ------
    ValueError
        When it is not a document.

    Examples
    --------
    >>> parse_document('{"a":null}')
    {'a': None}
    """
    return strict_json(text, most_tokens=MOST_DOCUMENT_TOKENS, deepest=DEEPEST_DOCUMENT)


def _plain(value: Any, place: str, depth: int) -> Any:
    """Copy into dicts and lists, with the place at hand for the complaint."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place} is {value}, which JSON cannot hold: use None instead")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if not isinstance(value, Mapping | list | tuple):
        raise TypeError(
            f"{place} is of type {type(value).__name__}, which JSON cannot hold: use plain Python "
            "values there and put numbers in bulk into arrays"
        )
    if depth == DEEPEST_DOCUMENT:
        raise ValueError(f"the document nests deeper than {DEEPEST_DOCUMENT} levels: flatten it")
    if not isinstance(value, Mapping):
        return [_plain(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
    for key in value:
        if not isinstance(key, str):
            raise TypeError(
                f"{place} has the key {key!r} of type {type(key).__name__}: use strings as keys"
            )
    return {key: _plain(item, f"{place}[{key!r}]", depth + 1) for key, item in value.items()}
