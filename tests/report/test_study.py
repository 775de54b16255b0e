"""The page about a study."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from halfseen.experiments.record import Record
from halfseen.experiments.record_table import RecordTable, record_tables
from halfseen.report import write_study_report
from report.parsed import check_page

HOSTILE = '<script>alert("1")</script>'


def tables() -> list[RecordTable]:
    """Two data sets, two rates, two methods, and one that failed."""
    records = [
        Record(
            data_set, "transductive", "at_random", "at_random", 0.5, rate, None, method,
            realisation=r, scores={"micro_auc": 0.75 + 0.0625 * r, "rmse": math.nan},
            status="failed" if method == "gain" else "done",
            why=HOSTILE if method == "gain" else "",
        )
        for data_set in ("scene", "other")
        for rate in (0.3, 0.8)
        for method in ("halfseen", "column_prior", "gain")
        for r in range(3)
    ]  # fmt: skip
    return record_tables(records)


def test_tables_charts_and_notes(tmp_path: Path) -> None:
    write_study_report(tables(), tmp_path / "study.html", title=HOSTILE, command="halfseen")
    page = check_page((tmp_path / "study.html").read_text(encoding="utf-8"))
    assert page.headings[0] == HOSTILE
    assert sorted(page.headings[1:]) == [
        "other, transductive, at random",
        "scene, transductive, at random",
    ]
    rows = {row[0].text: row for row in page.tables["part-1-table-1"]}
    assert rows["halfseen"][1].values == [0.8125, pytest.approx(0.0625)]
    assert page.text.count("micro-AUC by the shares") == 2
    assert f"failed: {HOSTILE}" in page.text


def test_a_folder_without_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no finished cell"):
        write_study_report(tmp_path, tmp_path / "study.html")
    assert list(tmp_path.iterdir()) == []
