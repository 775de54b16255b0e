from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from halfseen.explanations import Answer, Influence, RowExplanation
from halfseen.report import Cell, Details, Note, Page, Section, Table, page_html
from halfseen.report.sections.completions_section import completions_section
from report.checked import checked_html
from report.small import HOSTILE, rows_of, told_model


def told() -> tuple[Any, Any]:
    schema, rows = rows_of()
    truth = np.where(rows.encoded.observed, rows.encoded.visible, 0.25).astype(np.float32)
    return told_model(schema, truth, away=0.0), rows


def tables_of(section: Section) -> list[Table]:
    return [part for part in section.parts if isinstance(part, Table)]


def text(entry: Any) -> Any:
    return entry.text if isinstance(entry, Cell) else entry


def test_holes_are_filled_with_bounds() -> None:
    model, rows = told()
    section = completions_section(model, rows, ())
    filled, labels = tables_of(section)
    by_place = {(row[0], row[1]): row for row in filled.rows}
    column = model.schema_.features[0]
    expected = float(column.destandardised(np.array([0.25]))[0])
    hole = by_place["row 3", HOSTILE]
    assert hole[2].key == expected
    assert hole[2].tone == "filled"
    assert hole[3] < expected < hole[4]
    assert "<circle" in hole[5].svg
    assert text(by_place["row 4", "on"][2]) == "0"
    assert text(by_place["row 4", "on"][5]) == "probability 75\u00a0%"
    assert len(filled.rows) == 6
    assert len(labels.rows) == 16
    checked_html(page_html(Page("t", "l", (section,))))


def test_labels_beside_what_is_known() -> None:
    model, rows = told()
    labels = tables_of(completions_section(model, rows, ()))[1]
    first = [text(entry) for entry in labels.rows[0]]
    assert first == ["row 1", "y0", "1", "1", "100\u00a0%", "1"]
    unknown = [text(entry) for entry in labels.rows[3]]
    assert unknown == ["row 2", "y1", None, "0", "25\u00a0%", "0 or 1: not sure"]


def test_a_whole_row_says_what_was_seen() -> None:
    model, rows = told()
    details = [p for p in completions_section(model, rows, ()).parts if isinstance(p, Details)]
    assert len(details) == 8
    assert details[2].summary == "Row 3: 2 seen, 1 filled"
    (table,) = details[2].parts
    assert isinstance(table, Table)
    assert [row[2] for row in table.rows] == ["filled", "seen", "seen"]
    assert table.rows[1][1] == HOSTILE


def test_explanations_stand_with_their_row() -> None:
    model, rows = told()
    answer = Answer("y0", True, 1, 1, 0.8, None, (Influence(HOSTILE, 71.0, -1.25, "log-odds"),))
    section = completions_section(model, rows, [RowExplanation(2, (answer,), (), ())])
    (details,) = (p for p in section.parts if isinstance(p, Details) and "why" in p.summary)
    assert details.summary.startswith("Row 3")
    html = page_html(Page("t", "l", (section,)))
    checked_html(html)
    assert "y0 is 1 with a probability of 80\u00a0%." in html


def test_without_an_ensemble_there_are_no_bounds() -> None:
    model, rows = told()
    alone = SimpleNamespace(
        schema_=model.schema_,
        prediction_=None,
        machine_=model.prediction_,
        thresholds_=model.thresholds_,
    )
    filled, labels = tables_of(completions_section(alone, rows, ()))  # type: ignore[arg-type]
    assert [head.title for head in filled.heads] == ["row", "column", "filled with", "how sure"]
    assert len(labels.heads) == 5


def test_without_rows_it_says_what_to_give() -> None:
    (note,) = completions_section(None, None, ()).parts  # type: ignore[arg-type]
    assert isinstance(note, Note)
    assert note.tone == "absent"
