"""The page about a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.experiments.plan import Cell
from halfseen.experiments.records import CellRecord, Pictures
from halfseen.report import write_images, write_study_report
from report.parsed import check_page

HOSTILE = '<script>alert("1")</script>'


def records() -> list[CellRecord]:
    """Two data sets, two rates, two methods, and one that failed."""
    found = []
    for data_set in ("scene", "mnist"):
        for rate in (0.3, 0.8):
            for method in ("halfseen", "column_prior", "gain"):
                for r in range(3):
                    cell = Cell(
                        data_set=data_set, task="transductive", feature_rate=0.5, label_rate=rate,
                        method=method, realisation=r,
                    )  # fmt: skip
                    failed = method == "gain"
                    images = [[0, 9, 255, 80]] * 10
                    pictures = Pictures(
                        shape=(2, 2), truth=images, observed=[[-1, 9, -1, 80]] * 10,
                        completed=images,
                    )  # fmt: skip
                    found.append(
                        CellRecord(
                            key=cell.key, cell=cell, status="failed" if failed else "done",
                            why=HOSTILE if failed else "",
                            scores={} if failed else {"micro_auc": 0.75 + 0.0625 * r},
                            pictures=pictures if data_set == "mnist" and not failed else None,
                        )
                    )  # fmt: skip
    return found


def test_tables_charts_and_notes(tmp_path: Path) -> None:
    write_study_report(records(), tmp_path / "study.html", title=HOSTILE, command="halfseen")
    page = check_page((tmp_path / "study.html").read_text(encoding="utf-8"))
    assert page.headings[0] == HOSTILE
    assert page.headings[1:] == ["mnist-transductive-mcar", "scene-transductive-mcar"]
    rows = {row[0].text: row for row in page.tables["part-1-table-1"]}
    assert rows["halfseen"][1].values == [0.8125, pytest.approx(0.0625)]
    assert page.text.count("micro-AUC by the shares") == 2
    assert f"failed: {HOSTILE}" in page.text


def test_images_are_drawn_for_all_methods(tmp_path: Path) -> None:
    write_images(records(), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="No cell has images"):
        write_images([], tmp_path / "b.png")


def test_records_without_a_finished_cell_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no finished cell"):
        write_study_report([], tmp_path / "study.html")
    assert list(tmp_path.iterdir()) == []
