from __future__ import annotations

import numpy as np

from halfseen.report.pictures import Curve, curves_svg
from report.checked import checked_svg, with_class, words

WORDS = {"title": "T", "description": "D", "x_label": "epoch", "y_label": "loss"}


def test_a_band_lies_around_its_curve() -> None:
    curve = Curve("loss", [0, 1, 2], [3.0, 2.0, 1.5], [2.5, 1.5, 1.0], [3.5, 2.5, 2.0])
    root = checked_svg(curves_svg([curve], **WORDS))
    assert len(with_class(root, "band")) == 1
    assert len(with_class(root, "line")) == 1
    assert len(with_class(root, "dot")) == 3


def test_missing_points_are_left_out() -> None:
    curve = Curve("loss", [0, 1, 2, 3], [3.0, np.nan, 1.5, np.inf])
    assert curve.points[:, :2].tolist() == [[0.0, 3.0], [2.0, 1.5]]
    assert len(with_class(checked_svg(curves_svg([curve], **WORDS)), "dot")) == 2


def test_long_curves_are_thinned_but_keep_their_ends() -> None:
    points = Curve("loss", np.arange(10_000), np.arange(10_000.0)).points
    assert len(points) <= 600
    assert points[0, 0] == 0
    assert points[-1, 0] == 9999


def test_several_curves_have_a_legend_and_one_has_none() -> None:
    one, two = Curve("first", [0, 1], [1, 2]), Curve("second <b>", [0, 1], [2, 1])
    assert "first" not in words(checked_svg(curves_svg([one], **WORDS)))
    root = checked_svg(curves_svg([one, two], **WORDS, mark_x=0.5, mark_text="kept"))
    assert {"first", "second <b>", "kept"} <= set(words(root))
    assert {group.get("class") for group in with_class(root, "s2")} == {"s2"}


def test_nothing_to_draw_is_still_a_picture() -> None:
    checked_svg(curves_svg([Curve("loss", [0.0], [np.nan])], **WORDS))
    checked_svg(curves_svg([], **WORDS))
    checked_svg(curves_svg([Curve("a", [1, 10], [1, 100])], **WORDS, x_is_log=True, y_is_log=True))
