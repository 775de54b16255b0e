from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report.pictures import Reliability
from halfseen.report.pictures.named_points import NamedPoint, named_points_svg
from halfseen.report.pictures.ranked_curves import RankedCurve, ranked_curves_svg
from halfseen.report.pictures.reliability_panels import reliability_panels_svg
from halfseen.report.pictures.room import common_range, spaced
from report.checked import checked_svg, with_class, words

WORDS = {"title": "T", "description": "D"}
AXES = {"x_label": "hidden, %", "y_label": "AUC"}
EVIL = "<script>alert('&')</script>"
NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


class TestCommonRange:
    @given(NUMBERS, st.booleans())
    def test_the_best_and_most_of_them_are_always_in_it(
        self, values: list[float], higher: bool
    ) -> None:
        low, high = common_range(values, higher_is_better=higher)
        assert low <= (max if higher else min)(values) <= high
        assert 2 * sum(low <= value <= high for value in values) >= len(values)

    @given(NUMBERS)
    def test_lower_is_better_is_its_mirror(self, values: list[float]) -> None:
        low, high = common_range(values, higher_is_better=True)
        assert common_range([-v for v in values], higher_is_better=False) == (-high, -low)

    def test_nothing_finite(self) -> None:
        assert common_range([np.nan], higher_is_better=True) == (0.0, 1.0)


class TestSpaced:
    @given(st.lists(st.floats(0, 100), min_size=1, max_size=9))
    def test_apart_inside_and_in_order(self, places: list[float]) -> None:
        moved = np.array(spaced(places, 10.0, 0.0, 100.0))
        order = np.argsort(places, kind="stable")
        assert (np.diff(moved[order]) >= 10 - 0.02).all()
        assert moved.min() >= -0.01
        assert moved.max() <= 100.01

    def test_what_stands_apart_is_not_moved(self) -> None:
        assert spaced([50.0, 10.0, 90.0], 10.0, 0.0, 100.0) == [50.0, 10.0, 90.0]

    def test_without_room_they_share_it(self) -> None:
        assert spaced([5.0, 5.0, 5.0], 10.0, 0.0, 10.0) == [0.0, 5.0, 10.0]


class TestRankedCurves:
    def drawn(self, curves: list[RankedCurve], higher: bool = True) -> str:
        return ranked_curves_svg(
            curves, **WORDS, **AXES, x_ticks=[30, 50, 80], higher_is_better=higher
        )

    def test_coloured_ones_have_bands_marks_and_names_and_grey_ones_none(self) -> None:
        x, y = [30, 50, 80], np.array([0.9, 0.8, 0.7])
        curves = [
            RankedCurve(EVIL, x, y, 0.01 * np.ones(3), 0),
            RankedCurve("grey", x, y - 0.01, 0.01 * np.ones(3), None, named=False),
        ]
        root = checked_svg(self.drawn(curves))
        assert len(with_class(root, "band")) == 1
        assert len(with_class(root, "dot")) == 3
        assert len(with_class(root, "faint")) == 1
        assert EVIL[:21] in "".join(words(root))
        assert "grey" not in words(root)

    @pytest.mark.parametrize(("higher", "arrow"), [(True, "↓"), (False, "↑")])
    def test_what_is_far_worse_has_an_arrow_and_its_figure(self, higher: bool, arrow: str) -> None:
        near = [RankedCurve(f"n{i}", [30, 50], [0.9 + 0.01 * i] * 2, position=i) for i in range(4)]
        far = RankedCurve("prior", [30, 50], [0.5 if higher else 5.0] * 2, position=7)
        texts = words(checked_svg(self.drawn([*near, far], higher)))
        assert f"{arrow} prior {0.5 if higher else 5:g}" in texts
        assert sum(text[0] in "↑↓" for text in texts) == 1

    def test_lines_end_at_the_edges(self) -> None:
        near = [RankedCurve(f"n{i}", [30, 80], [0.9 + 0.01 * i] * 2, position=i) for i in range(4)]
        crossing = RankedCurve("grey", [30, 50, 80], [0.1, 1.7, 0.1], named=False)
        root = checked_svg(self.drawn([*near, crossing]))
        (faint,) = with_class(root, "faint")
        up = [
            float(place.split()[1]) for place in re.findall(r"[-\d.]+ [-\d.]+", faint.get("d", ""))
        ]
        assert len(up) == 4
        assert (min(up), max(up)) == (24.0, 248.0)

    def test_names_do_not_touch(self) -> None:
        curves = [RankedCurve(f"n{i}", [30, 50], [0.9, 0.9], position=i) for i in range(8)]
        root = checked_svg(self.drawn(curves))
        places = sorted(float(str(one.get("y"))) for one in with_class(root, "series"))
        assert len(places) == 8
        assert min(np.diff(places)) > 12

    def test_a_point_alone_and_nothing_at_all(self) -> None:
        one = RankedCurve("one", [30], [0.9], [0.1], 0)
        assert len(with_class(checked_svg(self.drawn([one])), "whisker")) == 1
        checked_svg(self.drawn([RankedCurve("none", [30], [np.nan], position=0)]))
        checked_svg(self.drawn([]))


class TestNamedPoints:
    def drawn(self, points: list[NamedPoint]) -> str:
        axes = {"x_label": "seconds", "y_label": "AUC"}
        return named_points_svg(points, **WORDS, **axes, higher_is_better=True)

    def test_rings_and_marks(self) -> None:
        points = [NamedPoint("a", 1, 0.8, 0), NamedPoint("b", 9, 0.9, 1, hollow=True)]
        root = checked_svg(self.drawn([*points, NamedPoint("c", 3, 0.85)]))
        assert len(with_class(root, "ring")) == 1
        assert len(with_class(root, "dot")) == 1
        assert len(with_class(root, "faintdot")) == 1
        assert {"a", "b", "c"} <= set(words(root))

    def test_the_line_passes_those_that_no_quicker_one_beats(self) -> None:
        points = [NamedPoint("quick", 1, 0.8), NamedPoint("beaten", 5, 0.7)]
        alone = checked_svg(self.drawn(points))
        assert with_class(alone, "guide") == []
        (line,) = with_class(
            checked_svg(self.drawn([*points, NamedPoint("best", 9, 0.9)])), "guide"
        )
        assert str(line.get("d")).count("H") == 1

    def test_names_that_find_no_room_are_left_to_pointing(self) -> None:
        points = [NamedPoint(f"a rather long name {i}", 1, 0.8) for i in range(40)]
        root = checked_svg(self.drawn(points))
        assert 1 <= sum(text.startswith("a rather") for text in words(root)) < 40

    def test_what_has_no_place_on_the_axis_is_left_out(self) -> None:
        points = [NamedPoint("zero", 0, 0.8), NamedPoint("nan", 1, np.nan), NamedPoint("a", 1, 1)]
        root = checked_svg(self.drawn(points))
        assert "a" in words(root)
        assert not {"zero", "nan"} & set(words(root))
        checked_svg(self.drawn([]))


def test_reliability_panels() -> None:
    curves = [Reliability(f"m{i}", [0.1, 0.5, 0.9], [0.2, 0.5, 0.8], [9, 0, 4]) for i in range(4)]
    positions = [0, None, 2, 3]
    svg = reliability_panels_svg(curves, positions, ["0.1", "", "0.2", "0.3"], **WORDS)
    root = checked_svg(svg)
    assert len(with_class(root, "guide")) == 4
    assert len(with_class(root, "dot")) == 6  # bins of none are not drawn
    assert len(with_class(root, "faintdot")) == 2
    assert float(str(root.get("width"))) < 440
    checked_svg(reliability_panels_svg([], [], [], **WORDS))
