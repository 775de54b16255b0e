from __future__ import annotations

import numpy as np
import pytest

from halfseen.report.pictures import Bar, bars_svg, dots_svg
from report.checked import checked_svg, with_class, words

WORDS = {"title": "T", "description": "D", "x_label": "share"}


def test_bars_are_as_long_as_their_values() -> None:
    root = checked_svg(bars_svg([Bar("a", 0.5), Bar("b", 0.25), Bar("c", -0.25)], **WORDS))
    bars = with_class(root, "bar")
    lengths = [float(str(bar.get("width"))) for bar in bars]
    assert lengths[0] == pytest.approx(2 * lengths[1], abs=0.02)
    assert lengths[1] == pytest.approx(lengths[2], abs=0.02)
    starts = [float(str(bar.get("x"))) for bar in bars]
    assert starts[0] == starts[1]
    assert starts[2] + lengths[2] == pytest.approx(starts[0], abs=0.02)


def test_values_that_are_not_there() -> None:
    root = checked_svg(bars_svg([Bar("a", np.nan), Bar("b", 0.0)], **WORDS))
    assert len(with_class(root, "bar")) == 1
    checked_svg(bars_svg([], **WORDS))
    checked_svg(dots_svg([Bar("a", np.nan)], **WORDS))


def test_dots_have_whiskers_where_there_is_a_spread() -> None:
    root = checked_svg(dots_svg([Bar("a<b>", 0.9, 0.05), Bar("b", 0.5, series=7)], **WORDS))
    assert len(with_class(root, "dot")) == 2
    assert len(with_class(root, "whisker")) == 1
    assert {"a<b>", "0.900"} <= set(words(root))
    assert len(with_class(root, "s8")) == 1


def test_long_names_are_cut_but_told_in_full() -> None:
    name = "a very long name of a method that nobody can read at once"
    root = checked_svg(bars_svg([Bar(name, 1.0)], **WORDS))
    assert name not in words(root)
    titles = [str(element.text) for element in root.iter() if element.tag.endswith("title")]
    assert f"{name}: 1" in titles
