from __future__ import annotations

import pytest

from halfseen.report.pictures.interval import interval_svg
from report.checked import checked_svg, number_of, with_class


def test_the_bar_is_where_the_interval_is() -> None:
    root = checked_svg(interval_svg(2.5, 5.0, 7.5, 0.0, 10.0, "from 2.5 to 7.5"))
    (bar,), (dot,) = with_class(root, "bar"), with_class(root, "ring")
    assert float(str(bar.get("x"))) == 4 + 112 / 4
    assert float(str(bar.get("width"))) == 112 / 2
    assert float(str(dot.get("cx"))) == 60


@pytest.mark.parametrize("ends", [(0.0, 0.0), (3.0, 4.0)])
def test_an_interval_beyond_the_range(ends: tuple[float, float]) -> None:
    root = checked_svg(interval_svg(1.0, 1.0, 1.0, *ends, "a point"))
    assert number_of(root, "circle") == 1
