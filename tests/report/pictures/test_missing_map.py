from __future__ import annotations

import numpy as np
import pytest

from halfseen.report.pictures import missing_map_svg
from report.checked import checked_svg, with_class, words

WORDS = {"title": "T", "description": "D", "x_label": "rows"}


def area(root: object) -> float:
    total = 0.0
    for path in with_class(root, "cell-hole"):  # type: ignore[arg-type]
        for part in str(path.get("d")).split("M")[1:]:
            wide = float(part.split("h")[1].split("v")[0])
            high = float(part.split("v")[1].split("h")[0])
            total += wide * high
    return total


def test_nothing_is_missing() -> None:
    root = checked_svg(missing_map_svg(np.zeros((2, 5)), ["a", "b"], **WORDS))
    assert not with_class(root, "cell-hole")


def test_the_holes_cover_their_share_of_the_map() -> None:
    half = checked_svg(missing_map_svg([[1, 0, 1, 0], [0, 1, 0, 1]], ["a", "b"], **WORDS))
    all_of_it = checked_svg(missing_map_svg(np.ones((2, 4)), ["a", "b"], **WORDS))
    assert area(half) == pytest.approx(area(all_of_it) / 2, rel=1e-3)


def test_groups_are_as_wide_as_they_are_said_to_be() -> None:
    first = checked_svg(missing_map_svg([[1, 0]], ["a"], **WORDS, widths=[3, 1]))
    second = checked_svg(missing_map_svg([[0, 1]], ["a"], **WORDS, widths=[3, 1]))
    assert area(first) == pytest.approx(3 * area(second), rel=1e-2)


def test_neighbours_of_one_shade_are_one_piece() -> None:
    root = checked_svg(missing_map_svg(np.ones((1, 50)), ["a"], **WORDS))
    (path,) = with_class(root, "cell-hole")
    assert str(path.get("d")).count("M") == 1


def test_of_many_columns_some_are_named() -> None:
    names = [f"column <{i}>" for i in range(200)]
    root = checked_svg(missing_map_svg(np.ones((200, 3)), names, **WORDS))
    named = [text for text in words(root) if text.startswith("column")]
    assert 20 <= len(named) <= 40
    assert named[0] == "column <0>"
