from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from halfseen.learning.choice import Choice
from halfseen.report import Details, Facts, Gallery, Note, Page, Table, page_html
from halfseen.report.sections.choices_section import choices_section, kind_names
from halfseen.tables import Schema
from report.checked import checked_html
from report.small import HOSTILE, ensemble_of, rows_of, told_model


def test_everything_that_was_chosen() -> None:
    schema, rows = rows_of()
    prediction = told_model(schema, rows.encoded.visible).prediction_
    section = choices_section(schema, prediction, np.array([0.5, 0.25]))
    note, facts, gallery, calibration, levels, weights, thresholds = section.parts
    assert isinstance(note, Note)
    assert "3 kinds" in note.text
    assert isinstance(facts, Facts)
    assert dict(facts.items)["prior over the columns"] == "full rank"
    assert isinstance(gallery, Gallery)
    assert len(gallery.pictures) == 3
    assert isinstance(calibration, Table)
    assert calibration.rows[0][1:] == [0.5, 0.125]
    assert isinstance(levels, Table)
    assert levels.rows[2][1:] == [pytest.approx(1.8), pytest.approx(0.1), pytest.approx(0.1)]
    assert isinstance(weights, Details)
    assert isinstance(weights.parts[0], Table)
    assert weights.parts[0].rows[0][0] == HOSTILE
    assert isinstance(thresholds, Table)
    assert list(thresholds.rows) == [("y0", 0.5), ("y1", 0.25)]
    checked_html(page_html(Page("t", "l", (section,))))


def test_what_the_fit_chose_is_a_table_of_its_own() -> None:
    schema, rows = rows_of()
    prediction = told_model(schema, rows.encoded.visible).prediction_
    prediction.choices = (Choice("shrinkage", "5 %", "nearest to <entries>"),)
    section = choices_section(schema, prediction, None)
    table = section.parts[2]
    assert isinstance(table, Table)
    assert list(table.rows) == [("shrinkage", "5 %", "nearest to <entries>")]
    checked_html(page_html(Page("t", "l", (section,))))


def test_one_threshold_for_all_is_a_sentence() -> None:
    schema, _ = rows_of()
    note = choices_section(schema, None, np.array([0.5, 0.5])).parts[-1]
    assert isinstance(note, Note)
    assert note.text.endswith("above 0.50.")


def test_without_an_ensemble_it_says_how_to_get_one() -> None:
    schema, _ = rows_of()
    (note,) = choices_section(schema, None, np.zeros(0)).parts
    assert isinstance(note, Note)
    assert note.tone == "absent"


@pytest.mark.parametrize(
    ("sees", "names"),
    [
        ((False, True, False), ["careful", "careful + labels", "bold"]),
        ((False, True), ["machine", "machine + labels"]),
        ((True, False), ["careful + labels", "bold"]),
        ((True, True), ["kind 1 + labels", "kind 2 + labels"]),
    ],
)
def test_names_of_kinds(sees: tuple[bool, ...], names: list[str]) -> None:
    assert kind_names(ensemble_of(1, 3, sees)) == names


def test_a_model_of_classes_and_of_nothing_but_numbers() -> None:
    schema, rows = rows_of()
    prediction = told_model(schema, rows.encoded.visible).prediction_
    features = Schema(schema.features, (), None)
    section = choices_section(features, prediction, None)
    assert not any("abel" in part.caption for part in section.parts if isinstance(part, Table))
    classes = SimpleNamespace(
        targets=schema.targets, target_kind="classes", n_gaussian=0, columns=schema.columns
    )
    section = choices_section(classes, prediction, np.zeros(0))  # type: ignore[arg-type]
    powers = section.parts[3]
    assert isinstance(powers, Table)
    assert powers.rows[0][1] == 0.75


def test_levels_that_are_not_known_yet() -> None:
    schema, rows = rows_of()
    prediction = told_model(schema, rows.encoded.visible).prediction_
    prediction.conformal.number[:] = np.inf
    checked_html(page_html(Page("t", "l", (choices_section(schema, prediction, None),))))
