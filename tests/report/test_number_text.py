from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report.number_text import MINUS, measured_text, number_text, percent_text


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14))
def test_the_number_can_be_read_back(value: float) -> None:
    text = number_text(value, 4).replace(MINUS, "-").replace(",", "")
    assert float(text) == pytest.approx(value, rel=6e-4, abs=1e-300)


@given(st.integers(-(10**14), 10**14))
def test_whole_numbers_are_whole(value: int) -> None:
    assert int(number_text(value).replace(MINUS, "-").replace(",", "")) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), "∞"),
        (float("-inf"), f"{MINUS}∞"),
        (float("nan"), "\N{EN DASH}"),
        (1e20, "1.00e20"),
        (0.0001, "0.000100"),
        (-1234.5, f"{MINUS}1,234"),
    ],
)
def test_ends(value: float, text: str) -> None:
    assert number_text(value) == text


def test_measured_numbers_keep_their_digits() -> None:
    assert [measured_text(value) for value in (1.0, -2.0, 10.0, 0.5)] == [
        "1.00",
        f"{MINUS}2.00",
        "10.0",
        "0.500",
    ]
    assert measured_text(float("inf")) == "∞"


@given(st.floats(0, 1))
def test_shares(share: float) -> None:
    text = percent_text(share)
    assert text.endswith("\u00a0%")
    if not text.startswith("<"):
        assert float(text[:-2]) == pytest.approx(100 * share, abs=0.5)
