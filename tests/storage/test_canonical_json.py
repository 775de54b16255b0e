"""One document has one text, and the text gives the document back."""

import enum
import random
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.storage._canonical_json import (
    DEEPEST_DOCUMENT,
    MOST_DOCUMENT_TOKENS,
    canonical_json,
    parse_document,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


class Colour(enum.IntEnum):
    RED = 1


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_round_trip(document: dict[str, Any]) -> None:
    text = canonical_json(document)
    assert text.isascii()
    assert parse_document(text) == document
    assert canonical_json(parse_document(text)) == text


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.integers(), min_size=2), st.randoms())
def test_order_of_keys_does_not_matter(document: dict[str, int], shuffler: random.Random) -> None:
    keys = list(document)
    shuffler.shuffle(keys)
    shuffled = OrderedDict((key, document[key]) for key in keys)
    assert canonical_json({"in": shuffled}) == canonical_json({"in": document})


def test_relatives_of_plain_types_are_taken() -> None:
    document = MappingProxyType({"t": (1, 2), "f": np.float64(0.1), "e": Colour.RED, "b": True})
    assert canonical_json(document) == '{"b":true,"e":1,"f":0.1,"t":[1,2]}'


def test_a_lone_surrogate_comes_back() -> None:
    document = {"category": "caf\udce9"}
    assert parse_document(canonical_json(document)) == document


def test_a_split_pair_would_not_come_back() -> None:
    with pytest.raises(ValueError, match="would not come back"):
        canonical_json({"category": "\ud83d\ude00"})


@pytest.mark.parametrize(
    ("document", "error", "complaint"),
    [
        ([], TypeError, "must be a mapping, not list"),
        ({"a": [np.zeros(2)]}, TypeError, r"document\['a'\]\[0\] is of type ndarray"),
        ({"a": np.int64(1)}, TypeError, r"document\['a'\] is of type int64"),
        ({"a": {1, 2}}, TypeError, r"document\['a'\] is of type set"),
        ({"a": b"x"}, TypeError, r"document\['a'\] is of type bytes"),
        ({"a": {1: 2}}, TypeError, r"document\['a'\] has the key 1 of type int"),
        ({"a": {True: 2, "true": 3}}, TypeError, "has the key True of type bool"),
        ({"a": [0.0, float("nan")]}, ValueError, r"document\['a'\]\[1\] is nan"),
        ({"a": -float("inf")}, ValueError, r"document\['a'\] is -inf"),
        ({"a": np.float64("inf")}, ValueError, r"document\['a'\] is inf"),
        ({"a": 10**1000}, ValueError, "more than 1,000 digits"),
        ({"a": 10**9999}, ValueError, "cannot be kept as JSON"),
        ({"a": [0] * (MOST_DOCUMENT_TOKENS // 2)}, ValueError, "numbers as arrays"),
    ],
)
def test_refuses_and_says_where(document: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        canonical_json(document)


def nested(depth: int) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for _ in range(depth - 1):
        document = {"a": document}
    return document


def test_depth_has_one_bound_for_writer_and_reader() -> None:
    assert parse_document(canonical_json(nested(DEEPEST_DOCUMENT))) == nested(DEEPEST_DOCUMENT)
    for depth in (DEEPEST_DOCUMENT + 1, 5000):
        with pytest.raises(ValueError, match="nests deeper"):
            canonical_json(nested(depth))
        with pytest.raises(ValueError, match="nests deeper"):
            parse_document('{"a":' * depth + "1" + "}" * depth)


def test_a_circle_is_refused() -> None:
    document: dict[str, Any] = {}
    document["self"] = document
    with pytest.raises(ValueError, match="nests deeper"):
        canonical_json(document)
