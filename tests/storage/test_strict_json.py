"""What Python's parser lets through is refused, within bounds on time and memory."""

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.storage._strict_json import strict_json

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def parse(text: str) -> dict[str, Any]:
    return strict_json(text, most_tokens=10_000, deepest=50)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_agrees_with_the_plain_parser(
    value: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert parse(text) == json.loads(text)


@settings(deadline=None)
@given(st.text('{}[]",:\\ntrue01e-\x00\n ', max_size=40))
def test_any_text_parses_as_usual_or_is_refused(text: str) -> None:
    try:
        value = parse(text)
    except ValueError:
        return
    assert value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1e999}', "beyond the range"),
        ('{"a": 1' + "0" * 1000 + "}", "more than 1,000 digits"),
        ('{"a": 1, "a": 1}', "the key 'a' twice"),
        ('{"b": {"a": 1, "\\u0061": 2}}', "the key 'a' twice"),
        ("[1]", "not a JSON object"),
        ("", "not JSON"),
        ('{"a": "x}', "a string does not end"),
        ('{"a": "x\\"}', "a string does not end"),
        ("{'a': 1}", "not JSON"),
    ],
)
def test_refuses(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(text)


def test_depth_is_counted_outside_of_strings() -> None:
    assert strict_json('{"a[[[[\\"[[": "]]{{"}', most_tokens=10, deepest=1)
    assert strict_json('{"a": [[], [[]]]}', most_tokens=20, deepest=4)
    with pytest.raises(ValueError, match="deeper than 3 levels"):
        strict_json('{"a": [[], [[]]]}', most_tokens=20, deepest=3)


def test_tokens_are_counted() -> None:
    text = '{"a": [1, true]}'  # { "a" : [ 1 , true ] }
    assert strict_json(text, most_tokens=9, deepest=2) == {"a": [1, True]}
    with pytest.raises(ValueError, match="more than 8 JSON tokens"):
        strict_json(text, most_tokens=8, deepest=2)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' + "[" * 500_000,
        '{"a":' * 100_000,
        '{"a":[' + "[]," * 200_000,
        '{"a":"' + '\\"' * 250_000,
        "{" + '""' * 250_000,
        '{"a":' + "1" * 500_000 + "}",
        '{"a":' + "-" * 500_000 + "}",
    ],
    ids=["lists", "objects", "empty lists", "escapes", "strings", "digits", "signs"],
)
def test_hostile_text_costs_little(text: str) -> None:
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(ValueError, match=r"."):
            parse(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3e6
    assert time.process_time() - started < 2
