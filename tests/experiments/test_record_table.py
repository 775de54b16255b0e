from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest

from halfseen.experiments.record import Record
from halfseen.experiments.record_table import (
    SCORE_NAMES,
    RecordTable,
    record_tables,
    records_of_the_paper,
)
from halfseen.experiments.record_table_text import FORMATS, tables_as_csv, tables_as_text

RECORD = Record(
    "scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "column_prior", seconds=1.0
)


def records() -> list[Record]:
    made = []
    for method, auc in (("column_prior", 0.5), ("cle", 0.8), ("halfseen", 0.9), ("gain", 0.899)):
        for realisation in range(10):
            # A method's luck differs from mask to mask, and that of gain wildly.
            luck = (0.05 if method == "gain" else 0.001) * math.sin(7 * realisation + len(method))
            scores = {"micro_auc": auc + luck, "rmse": 1 - auc}
            made.append(
                replace(RECORD, method=method, realisation=realisation, scores=scores, key="")
            )
    failed = replace(RECORD, method="gain", status="failed", why="no luck", scores={}, key="")
    return [*made, failed]


@pytest.fixture(scope="module")
def table() -> RecordTable:
    return next(one for one in record_tables(records()) if one.score == "micro_auc")


def test_lines_are_the_constant_ours_and_the_others_with_the_papers_below(
    table: RecordTable,
) -> None:
    names = [(line.name, line.is_published) for line in table.lines]
    assert names[:4] == [
        ("column_prior", False), ("halfseen", False), ("cle", False), ("cle", True),
    ]  # fmt: skip
    assert ("rbm_mo", True) in names
    assert table.lines[3].entries[0].mean == 0.893


def test_means_spreads_and_marks(table: RecordTable) -> None:
    entries = {line.name: line.entries[0] for line in table.lines if not line.is_published}
    assert entries["column_prior"].mean == pytest.approx(0.5, abs=0.001)
    assert entries["halfseen"].n == 10
    assert 0 < entries["halfseen"].std < 0.01
    assert entries["halfseen"].mark == "best"
    assert entries["gain"].mark == "as good"
    assert entries["cle"].mark == entries["column_prior"].mark == ""


def test_a_clear_winner_is_marked() -> None:
    without = [record for record in records() if record.method != "gain"]
    table = next(one for one in record_tables(without) if one.score == "micro_auc")
    assert table.lines[1].entries[0].mark == "clearly best"


def test_smaller_errors_win() -> None:
    table = next(one for one in record_tables(records()) if one.score == "rmse")
    best = [line.name for line in table.lines if line.entries[0].mark in ("best", "clearly best")]
    assert best == ["halfseen"]


def test_failures_are_noted(table: RecordTable) -> None:
    assert table.notes == ("gain: 1 cell failed: no luck",)
    assert "- gain: 1 cell failed: no luck" in tables_as_text([table])


@pytest.mark.parametrize(
    ("tried", "note"),
    [
        ((18, 18), ()),
        ((0, 0), ()),
        ((1, 1), ("mc1: has its own settings; there was no time to try another of 17",)),
        ((3, 3), ("mc1: settings chosen among 3 of 18; there was no time to try more",)),
        ((2, 18), ("mc1: settings chosen among 2 to 18 of 18; there was no time to try more",)),
    ],
)
def test_what_was_not_tuned_in_time_is_noted(tried: tuple[int, ...], note: tuple[str, ...]) -> None:
    tuned = [
        replace(
            RECORD, method="mc1", feature_rate=0.5 + 0.1 * place, n_tried=n,
            n_planned=18 if n else 0, key="",
        )
        for place, n in enumerate(tried)
    ]  # fmt: skip
    assert record_tables([RECORD, *tuned])[0].notes == note


def test_a_tuner_that_failed_is_noted_once() -> None:
    why = "not tuned: tuning took longer than 9 s"
    made = [replace(RECORD, method="mc1", realisation=r, why=why, key="") for r in (0, 1)]
    assert record_tables(made)[0].notes == (f"mc1: {why}",)


def test_csv_has_every_entry(table: RecordTable) -> None:
    rows = list(csv.DictReader(io.StringIO(tables_as_csv([table]))))
    ours = [row for row in rows if row["source"] == "run"]
    assert {row["method"] for row in ours} == {"column_prior", "halfseen", "cle", "gain"}
    assert float(rows[0]["mean"]) == table.lines[0].entries[0].mean
    assert {row["feature_rate"] for row in rows} == {"0.5"}


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_text_and_markdown_show_ours_and_the_papers(table: RecordTable, form: str) -> None:
    text = FORMATS[form]([table])
    assert "50% / 50%" in text
    assert "0.8930" in text
    assert "paper: RBM-MO" in text
    if form == "markdown":
        n_cells = {line.count("|") for line in text.splitlines() if line.startswith("|")}
        assert n_cells == {3}


def test_any_score_that_was_recorded_can_be_shown() -> None:
    scores = {"interval_coverage": 0.9, "standardised_rmse": 0.7}
    kept = [replace(record, scores=scores) for record in records() if record.status == "done"]
    tables = record_tables(kept, ["standardised_rmse", "log_loss", "interval_coverage"])
    assert [table.score for table in tables] == ["standardised_rmse", "interval_coverage"]
    marks = [{line.entries[0].mark for line in table.lines} for table in tables]
    assert "best" in marks[0]
    assert marks[1] == {""}
    assert all(SCORE_NAMES[table.score] in tables_as_text(tables) for table in tables)


def test_what_the_paper_has_figures_of() -> None:
    emotions = [replace(record, data_set="emotions", key="") for record in records()]
    other_rates = [replace(record, label_rate=0.12, key="") for record in records()]
    variant = replace(records()[0], method="halfseen", variant="k5", key="")
    failed = replace(records()[-1], method="mc1", key="")
    kept = records_of_the_paper([*records(), *emotions, *other_rates, variant, failed])
    assert {(record.method, record.data_set) for record in kept} == {
        ("halfseen", "scene"), ("cle", "scene"), ("mc1", "scene"),
    }  # fmt: skip
    table = next(one for one in record_tables(kept) if one.score == "micro_auc")
    assert table.rates == ((0.5, 0.5),)
    # Of what is shown it is the best; beside others it could not be told from them.
    assert table.lines[0].entries[0].mark == "clearly best"
    assert any("mc1" in note for note in table.notes)
