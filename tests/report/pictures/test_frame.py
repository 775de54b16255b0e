from __future__ import annotations

from halfseen.report.pictures.element import drawing
from halfseen.report.pictures.frame import Legend, axes, left_room, marker, series_class, text_width
from halfseen.report.pictures.scale import Scale
from report.checked import checked_svg, with_class, words


def test_axes_write_ticks_and_labels() -> None:
    svg = axes(Scale(0, 10, 40, 300), Scale(0, 1, 200, 20), "x & <y>", "up", x_ticks=(0, 5, 10))
    root = checked_svg(drawing(320, 240, "t", "d", svg))
    assert {"x & <y>", "up", "0", "5", "10", "0.2", "1.0"} <= set(words(root))
    assert len(with_class(root, "gridline")) == 6


def test_a_legend_breaks_into_lines() -> None:
    short, long = Legend(["a", "b"]), Legend([f"method number {i}" for i in range(9)])
    assert long.height > short.height > 0
    root = checked_svg(drawing(400, long.height, "t", "d", long.svg))
    assert len(words(root)) == 9


def test_the_first_marks_differ() -> None:
    assert len({marker(i, 0, 0) for i in range(4)}) == 4
    assert len({series_class(i) for i in range(8)}) == 8


def test_room_follows_the_texts() -> None:
    assert left_room(Scale(0, 1, 0, 1), [1000.0]) > left_room(Scale(0, 1, 0, 1), [1.0])
    assert text_width("漢字") > text_width("ab")
