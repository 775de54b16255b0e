from __future__ import annotations

import copy
import sys
from collections.abc import Iterator

import pytest
from sklearn.exceptions import NotFittedError

from halfseen import HalfseenClassifier
from halfseen.explanations import SurprisingEntry, UnusualRow
from halfseen.learning.history import History
from halfseen.report import Note, Page, ScoreRow, Table, model_report, page_html
from report.checked import checked_html
from report.fitted import Fitted, fitted_model
from report.small import HOSTILE

ANCHORS = [
    "data",
    "training",
    "choices",
    "scores",
    "calibration",
    "couplings",
    "completions",
    "unusual",
    "making",
]


@pytest.fixture(scope="module")
def fitted() -> Iterator[Fitted]:
    """The model, and rows that are found unusual without seconds of annealing."""
    found = (UnusualRow(3, 2.0, -9.0, 4, (SurprisingEntry(HOSTILE, 1.0, 9.0, None, -3.0, 4.5),)),)
    with pytest.MonkeyPatch.context() as patch:
        module = sys.modules["halfseen.report.model_report"]
        patch.setattr(module, "unusual_rows", lambda model, X, y, top: found)
        yield fitted_model()


@pytest.fixture(scope="module")
def page(fitted: Fitted) -> Page:
    scores = [ScoreRow("halfseen", "AUC", 0.9), ScoreRow(HOSTILE, "AUC", 0.5)]
    return model_report(
        fitted.model,
        X=fitted.X,
        y=fitted.y,
        source_name=HOSTILE,
        evaluation=scores,
        row_numbers=range(1000, 1040),
        made_by=("halfseen", HOSTILE),
    )


def absent(page: Page) -> Iterator[str]:
    for section in page.sections:
        if any(isinstance(part, Note) and part.tone == "absent" for part in section.parts):
            yield section.anchor


def test_all_sections_are_there_and_nothing_is_absent(page: Page) -> None:
    assert [section.anchor for section in page.sections] == ANCHORS
    assert list(absent(page)) == []


def test_hostile_names_stay_text(page: Page) -> None:
    html = page_html(page)
    checker = checked_html(html)
    assert [tag for tag, _ in checker.elements].count("script") == 1
    assert any(HOSTILE in text for text in checker.texts)


def test_rows_have_the_numbers_of_their_table(page: Page) -> None:
    unusual = page.sections[ANCHORS.index("unusual")].parts[1]
    assert isinstance(unusual, Table)
    assert unusual.rows[0][0] == "row 1004"
    completions = page.sections[ANCHORS.index("completions")].parts
    filled = next(part for part in completions if isinstance(part, Table))
    assert all(1001 <= int(str(row[0]).removeprefix("row ")) <= 1040 for row in filled.rows)


def test_the_same_model_and_rows_give_the_same_bytes(fitted: Fitted) -> None:
    first, again = (page_html(model_report(fitted.model, X=fitted.X, y=fitted.y)) for _ in range(2))
    assert first == again


def test_without_rows_every_section_says_what_to_give(fitted: Fitted) -> None:
    page = model_report(fitted.model)
    assert list(absent(page)) == ["data", "scores", "calibration", "completions", "unusual"]
    checked_html(page_html(page))


def test_without_labels_and_without_a_companion(fitted: Fitted) -> None:
    alone = copy.copy(fitted.model)
    alone.machine_, alone.history_ = None, History()
    page = model_report(alone, X=fitted.X)
    assert list(absent(page)) == ["training", "scores", "unusual"]
    checked_html(page_html(page))


def test_wrong_row_numbers_are_refused(fitted: Fitted) -> None:
    with pytest.raises(ValueError, match="40 rows, but there are 2 row_numbers"):
        model_report(fitted.model, X=fitted.X, row_numbers=[0, 1])


def test_rows_that_do_not_fit_are_refused(fitted: Fitted) -> None:
    with pytest.raises(ValueError, match="feature"):
        model_report(fitted.model, X=fitted.X.iloc[:, :2])


def test_a_model_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        model_report(HalfseenClassifier())
