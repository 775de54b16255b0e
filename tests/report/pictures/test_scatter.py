from __future__ import annotations

import numpy as np

from halfseen.report.pictures import Cloud, scatter_svg
from report.checked import checked_svg, number_of, with_class, words

WORDS = {"title": "T", "description": "D", "x_label": "seconds", "y_label": "AUC"}


def test_named_points() -> None:
    cloud = Cloud("m", [0.1, 0.0, 10.0], [0.5, 0.7, np.nan], ("a <b>", "zero", "nowhere"))
    root = checked_svg(scatter_svg([cloud], **WORDS, x_is_log=True))
    assert number_of(root, "circle") == 1
    assert "a <b>" in words(root)
    assert "zero" not in words(root)


def test_many_points_are_one_path() -> None:
    x = np.linspace(0, 1, 5000)
    root = checked_svg(scatter_svg([Cloud("m", x, x)], **WORDS))
    (path,) = with_class(root, "speck")
    assert 500 < str(path.get("d")).count("M") <= 1500


def test_the_diagonal_is_where_both_are_equal() -> None:
    root = checked_svg(scatter_svg([Cloud("m", [0.0, 4.0], [1.0, 2.0])], **WORDS, diagonal=True))
    (line,) = with_class(root, "guide")
    start, end = (tuple(map(float, part.split())) for part in str(line.get("d"))[1:].split("L", 1))
    first, last = (
        (float(str(c.get("cx"))), float(str(c.get("cy")))) for c in with_class(root, "dot")
    )
    # (0, 1) lies above the line and (4, 2) below it; upwards is downwards in a drawing.
    slope = (end[1] - start[1]) / (end[0] - start[0])
    assert first[1] < start[1] + slope * (first[0] - start[0])
    assert last[1] > start[1] + slope * (last[0] - start[0])


def test_names_do_not_lie_on_each_other() -> None:
    cloud = Cloud("m", [1.0, 1.0, 1.0], [2.0, 2.0, 2.0], ("first", "second", "third"))
    root = checked_svg(scatter_svg([cloud], **WORDS))
    heights = [
        float(str(text.get("y")))
        for text in root.iter()
        if text.text in ("first", "second", "third") and text.get("y")
    ]
    assert len(set(heights)) == 3
