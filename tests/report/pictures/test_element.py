from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report.pictures.element import drawing, element, label, number
from report.checked import checked_svg


@given(st.floats(-1e5, 1e5))
def test_coordinates_are_short_and_near(value: float) -> None:
    text = number(value)
    assert float(text) == pytest.approx(value, abs=0.0051)
    assert "e" not in text
    assert text != "-0"


def test_attributes() -> None:
    assert (
        element("g", class_="a", stroke_width=1.25, d=None) == '<g class="a" stroke-width="1.25"/>'
    )


def test_an_empty_text_and_description_are_still_there() -> None:
    root = checked_svg(drawing(5, 5, "a", "", label("", 0, 0)))
    assert root[1].text == "."
