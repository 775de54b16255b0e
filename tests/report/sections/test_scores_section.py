from __future__ import annotations

import numpy as np

from halfseen.report import Cell, Gallery, Note, Page, ScoreRow, Table, page_html
from halfseen.report.sections.scores_section import scores_section
from report.checked import checked_html

ROWS = [
    ScoreRow("halfseen", "AUC", 0.9, 0.015, 20.0),
    ScoreRow("halfseen", "RMSE", 0.8, None, 20.0),
    ScoreRow("prior <b>", "AUC", 0.5, 0.0, 0.1),
    ScoreRow("prior <b>", "RMSE", 0.75, None, 0.1),
    ScoreRow("trees", "AUC", np.nan),
]


def test_the_best_of_each_column_is_bold() -> None:
    table = scores_section(ROWS).parts[1]
    assert isinstance(table, Table)
    assert [head.title for head in table.heads] == [
        "method",
        "AUC (higher is better)",
        "RMSE (lower is better)",
        "seconds",
    ]
    ours, prior, trees = table.rows
    assert ours[1] == Cell("0.900 ± 0.015", 0.9, tone="strong")
    assert ours[2] == Cell("0.800", 0.8)
    assert prior[2] == Cell("0.750", 0.75, tone="strong")
    assert list(trees[1:]) == [None, None, None]


def test_the_best_is_on_top_of_its_picture() -> None:
    gallery = scores_section(ROWS).parts[2]
    assert isinstance(gallery, Gallery)
    auc, rmse, time = (picture.svg for picture in gallery.pictures)
    assert auc.index("halfseen") < auc.index("prior")
    assert rmse.index("prior") < rmse.index("halfseen")
    assert "seconds" in time
    checked_html(page_html(Page("t", "l", (scores_section(ROWS),))))


def test_without_times_there_is_no_picture_of_them() -> None:
    gallery = scores_section([ScoreRow("a", "AUC", 0.5), ScoreRow("b", "AUC", 0.6)]).parts[2]
    assert isinstance(gallery, Gallery)
    assert len(gallery.pictures) == 1


def test_without_scores_it_says_what_to_give() -> None:
    for nothing in (None, []):
        (note,) = scores_section(nothing).parts
        assert isinstance(note, Note)
        assert note.tone == "absent"
        assert "--evaluation" in note.text
