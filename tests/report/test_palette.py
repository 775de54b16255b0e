from __future__ import annotations

from dataclasses import asdict, fields

import pytest

from halfseen.report.palette import DARK, LIGHT, Palette, contrast, palette_css


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
class TestLegibility:
    def test_text_reaches_the_contrast_of_text(self, palette: Palette) -> None:
        for paper in (palette.paper, palette.raised):
            for text in (palette.ink, palette.quiet, palette.link, palette.warm):
                assert contrast(text, paper) >= 4.5

    def test_lines_reach_the_contrast_of_drawings(self, palette: Palette) -> None:
        for name, colour in asdict(palette).items():
            if name[0] == "s" and name[1:].isdigit():
                assert contrast(colour, palette.paper) >= 3, name

    def test_series_differ(self, palette: Palette) -> None:
        colours = [c for name, c in asdict(palette).items() if name[0] == "s" and name != "rule"]
        assert len(set(colours)) == len(colours)


def test_contrast_does_not_depend_on_the_order() -> None:
    assert contrast("#123456", "#fedcba") == contrast("#fedcba", "#123456")
    assert contrast("#777777", "#777777") == 1


def test_every_colour_is_a_variable_of_both_appearances() -> None:
    css = palette_css()
    for field in fields(Palette):
        assert css.count(f"--{field.name}:{getattr(LIGHT, field.name)}") == 2  # screen and print
        assert f"--{field.name}:{getattr(DARK, field.name)}" in css
    assert css.count("{") == css.count("}")
