from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report.pictures import histogram_svg, share_svg, spark_svg
from report.checked import checked_svg, with_class

WORDS = {"title": "T", "description": "D", "x_label": "size"}


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), max_size=50))
def test_any_values_make_a_picture(values: list[float]) -> None:
    root = checked_svg(histogram_svg(values, **WORDS, mark_x=0.0, mark_text="here"))
    assert len(with_class(root, "bar")) <= 30
    assert bool(with_class(root, "bar")) == bool(np.isfinite(values).any())


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_a_spark_is_as_high_as_its_largest_bin(counts: list[int]) -> None:
    svg = spark_svg(counts, "values <a>")
    if not counts or not max(counts):
        assert svg == ""
        return
    (path,) = with_class(checked_svg(svg), "bar")
    heights = [-float(part.split("h")[0]) for part in str(path.get("d")).split("v")[1::2]]
    assert max(heights) == pytest.approx(14, abs=0.06)
    assert len(heights) <= 16


@pytest.mark.parametrize(("share", "width"), [(0.5, 32), (-1, 0), (7, 64)])
def test_a_share_is_a_part_of_the_bar(share: float, width: float) -> None:
    whole, part = (
        float(str(rect.get("width"))) for rect in checked_svg(share_svg(share, "missing"))[2:]
    )
    assert (whole, part) == (64, width)
