from __future__ import annotations

import numpy as np

from halfseen.report.pictures import heat_map_svg
from report.checked import checked_svg, with_class, words

WORDS = {"title": "T", "description": "D", "value_label": "coupling"}
N_KEY = 11


def test_signs_and_sizes_become_colours() -> None:
    svg = heat_map_svg([[2.0, -1.0, np.nan]], ["row <a>"], ["x", "y", "z"], **WORDS)
    root = checked_svg(svg)
    warm, cool = with_class(root, "cell-warm"), with_class(root, "cell-cool")
    assert len(warm) + len(cool) == 2 + N_KEY
    assert warm[0].get("fill-opacity") == "1"
    assert cool[0].get("fill-opacity") == "0.5"
    assert "row <a>" in words(root)


def test_nothing_but_zeros() -> None:
    checked_svg(heat_map_svg(np.zeros((2, 2)), ["a", "b"], ["a", "b"], **WORDS))
    checked_svg(heat_map_svg(np.full((1, 1), np.nan), ["a"], ["b"], **WORDS))


def test_many_columns_keep_their_size_and_scroll() -> None:
    names = [f"column {i}" for i in range(60)]
    assert checked_svg(heat_map_svg(np.ones((1, 60)), ["a"], names, **WORDS)).get("class") == "wide"
    assert checked_svg(heat_map_svg([[1.0]], ["a"], ["b"], **WORDS)).get("class") == "fits"
