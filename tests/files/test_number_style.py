from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files.number_style import NumberStyle


@pytest.mark.parametrize(
    ("style", "value", "text"),
    [
        (NumberStyle(True, 0, False), -0.4, "0"),
        (NumberStyle(True, None, False), 2.5, "2"),
        (NumberStyle(True, 1, False), 3.7, "4.0"),
        (NumberStyle(True, 2, True), 3.7, "4,00"),
        (NumberStyle(True, 0, False), 1e20, "100000000000000000000"),
        (NumberStyle(False, 3, False), 1 / 3, "0.333"),
        (NumberStyle(False, None, False), 99999.96, "100000"),
        (NumberStyle(False, None, False), 123456789.4, "123456789"),
        (NumberStyle(False, None, True), -1 / 3, "-0,333333"),
    ],
)
def test_numbers_are_written_short(style: NumberStyle, value: float, text: str) -> None:
    assert style.texts(np.array([value])) == [text]


@given(st.floats(-1e12, 1e12))
@settings(max_examples=100, deadline=None)
def test_six_digits_are_kept(value: float) -> None:
    (text,) = NumberStyle(False, None, False).texts(np.array([value]))
    assert float(text) == pytest.approx(value, rel=1e-5)
