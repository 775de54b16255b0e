from __future__ import annotations

import math

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files.parse_numbers import are_numbers, parse_numbers

TEXTS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers().map(str),
    st.text(alphabet="0123456789+-.,eE ", min_size=1, max_size=8),
    st.sampled_from(["inf", "nan", "1e999", "Infinity", "0x1f", "1_0", ".", "-", "1.", ".5", "+1"]),
)


def number(text: str, decimal_comma: bool) -> float | None:
    if decimal_comma:
        text = text.replace(".", "x").replace(",", ".")
    if not text.isascii() or any(mark in text for mark in "_ ") or text.strip("+-").isalpha():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@given(st.lists(TEXTS, min_size=1, max_size=5), st.booleans())
@settings(max_examples=150, deadline=None)
def test_numbers_are_those_of_python(texts: list[str], decimal_comma: bool) -> None:
    expected = [number(text, decimal_comma) for text in texts]
    found = are_numbers(pa.array(texts), decimal_comma=decimal_comma)
    assert found.tolist() == [value is not None for value in expected]
    parsed = parse_numbers(pa.array([*texts, None]), decimal_comma=decimal_comma)
    if None in expected:
        assert parsed is None
    else:
        assert parsed is not None
        assert parsed[:-1].tolist() == expected
        assert math.isnan(parsed[-1])
