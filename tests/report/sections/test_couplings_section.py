from __future__ import annotations

from halfseen.explanations import Coupling, Couplings, HiddenUnitSummary, UnitWeight
from halfseen.report import Details, Page, Picture, Table, page_html
from halfseen.report.sections.couplings_section import couplings_section, named, signed
from report.checked import checked_html, checked_svg, with_class
from report.small import HOSTILE

N_KEY = 11  # cells of the key below the map


def coupling(source: str, target: str, strength: float, category: str | None = None) -> Coupling:
    return Coupling(source, category, target, None, 2 * strength, strength)


def test_features_down_and_labels_across() -> None:
    found = (coupling("a", "y", 2.0, HOSTILE), coupling("b", "z", -1.0), coupling("b", "y", 0.5))
    section = couplings_section(Couplings((), found, (), "machine"), ())
    _, picture, details = section.parts
    assert isinstance(picture, Picture)
    root = checked_svg(picture.svg)
    assert len(with_class(root, "cell-back")) == 3 + N_KEY
    assert isinstance(details, Details)
    assert isinstance(details.parts[0], Table)
    assert details.parts[0].rows[0][0] == f"a = {HOSTILE}"
    checked_html(page_html(Page("t", "l", (section,))))


def test_labels_are_mirrored() -> None:
    found = (coupling("y", "z", 1.0), coupling("x", "z", -0.5))
    section = couplings_section(Couplings(found, (), (), "ensemble"), ())
    picture = section.parts[1]
    assert isinstance(picture, Picture)
    root = checked_svg(picture.svg)
    assert len(with_class(root, "cell-back")) == 4 + N_KEY


def test_what_is_left_out_is_counted() -> None:
    found = tuple(coupling(f"feature {i}", "y", 1 / (1 + i)) for i in range(100))
    picture = couplings_section(Couplings((), found, (), "machine"), ()).parts[1]
    assert isinstance(picture, Picture)
    assert "76 more are left out" in picture.caption


def test_hidden_units_by_what_they_respond_to() -> None:
    unit = HiddenUnitSummary(0, 6, -1.0, 0.25, 0.75, (UnitWeight("a", HOSTILE, -0.5),))
    table = couplings_section(Couplings((), (), (), "machine"), (unit,)).parts[1]
    assert isinstance(table, Table)
    name, _, strength, words = table.rows[0]
    assert getattr(name, "text", "") == "7"
    assert strength == 0.75
    assert str(words).startswith(f"a = {HOSTILE} \N{MINUS SIGN}0.50")


def test_nothing_to_couple() -> None:
    assert len(couplings_section(Couplings((), (), (), "machine"), ()).parts) == 2


def test_words() -> None:
    assert named("a", None) == "a"
    assert named("a", 2.0) == "a = 2"
    assert signed(0.5) == "+0.500"
    assert signed(-0.5) == "\N{MINUS SIGN}0.500"
