from __future__ import annotations

import numpy as np

from halfseen.report import Cell, Facts, Gallery, Note, Page, Table, page_html
from halfseen.report.sections.asked_entries import LEVELS, AskedEntries, AskedNumbers, Said
from halfseen.report.sections.calibration_section import calibration_section
from report.checked import checked_html, checked_svg, with_class
from report.small import rows_of, told_model

NOTHING = Said(np.zeros(0), np.zeros(0, bool))
TRUTH = np.linspace(-1, 1, 20)
COVERED = np.tile(np.array([0, 1, 1, 1], bool), (20, 1))
NUMBERS = AskedNumbers("size <a>", TRUTH, TRUTH + 0.5, COVERED, np.ones((20, len(LEVELS))))
HONEST = Said(np.array([0.25] * 40 + [0.75] * 40), np.arange(80) % 4 < np.repeat([1, 3], 40))


def test_facts_and_figures() -> None:
    schema, _ = rows_of()
    asked = AskedEntries(HONEST, NOTHING, (NUMBERS,))
    caution, facts, gallery, table = calibration_section(schema, None, asked).parts
    assert isinstance(caution, Note)
    assert caution.tone == "caution"
    assert isinstance(facts, Facts)
    assert dict(facts.items) == {
        "labels asked": "80",
        "calibration error, labels": "0",
        "numbers asked": "20",
        "inside 90 % intervals": "100\u00a0%",
    }
    assert isinstance(gallery, Gallery)
    assert len(gallery.pictures) == 3
    coverage = checked_svg(gallery.pictures[1].svg)
    assert len(with_class(coverage, "dot")) == len(LEVELS)
    assert isinstance(table, Table)
    assert table.rows[0][:3] == ["size <a>", 20, 0.5]
    assert table.rows[0][4] == Cell("100\u00a0%", 1.0)


def test_without_intervals_there_are_no_columns_for_them() -> None:
    schema, _ = rows_of()
    bare = AskedNumbers("size", TRUTH, TRUTH, np.zeros((0, 4), bool), np.zeros((0, 4)))
    table = calibration_section(schema, None, AskedEntries(NOTHING, NOTHING, (bare,))).parts[-1]
    assert isinstance(table, Table)
    assert len(table.heads) == 4


def test_labels_put_aside_in_training_are_drawn_without_rows() -> None:
    schema, rows = rows_of()
    model = told_model(schema, rows.encoded.visible)
    section = calibration_section(schema, model.prediction_, None)
    note, gallery = section.parts
    assert isinstance(note, Note)
    assert note.tone == "absent"
    assert isinstance(gallery, Gallery)
    # Distances of level / 2: the truth is the likelier value, surely up to a half.
    dots = with_class(checked_svg(gallery.pictures[0].svg), "dot")
    assert len(dots) == 5
    assert len({dot.get("cy") for dot in dots}) == 1
    checked_html(page_html(Page("t", "l", (section,))))


def test_nothing_known_at_all() -> None:
    schema, _ = rows_of()
    section = calibration_section(schema, None, AskedEntries(NOTHING, NOTHING, ()))
    checked_html(page_html(Page("t", "l", (section,))))
