"""The paper's figures: all there, each once, beside ours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from halfseen.experiments.data_sets import CATALOGUE
from halfseen.experiments.pipeline import METHODS
from halfseen.experiments.plan import Cell, cells_of, read_plan
from halfseen.experiments.published import OUR_NAMES, inconsistencies, published_figures
from halfseen.experiments.records import CellRecord, read_run
from halfseen.experiments.scores import SCORES
from halfseen.experiments.tables import (
    paper_cells,
    paper_tables,
    record_tables,
    tables_as_csv,
    tables_as_text,
)

FIGURES = published_figures()
RESULTS = Path(__file__).parents[2] / "docs" / "results"


def test_every_number_of_every_table_is_there_once() -> None:
    # Rows by scores by rates of labels.
    assert Counter(figure.where for figure in FIGURES) == {
        "Table 1": 8 * 3 * 3,
        "Table 2": 7 * 3 * 3,
        "Table 3": 8 * 3 * 3,
        "Table 4": 6 * 2 * 3,
        "Table 5": 6 * 2 * 3,
    }
    assert len({figure._replace(mean=0) for figure in FIGURES}) == len(FIGURES)
    assert {figure.score for figure in FIGURES} <= set(SCORES)
    assert {figure.data_set for figure in FIGURES} - set(CATALOGUE) == {"eventcat"}
    assert set(OUR_NAMES.values()) <= set(METHODS)
    assert len({one.key for one in inconsistencies()}) == len(inconsistencies()) == 14


@pytest.mark.parametrize(
    ("cell", "mean"),
    [
        (("transductive", "mnist", "rbm_mo", 0.5, 0.3, "rmse"), 0.183),
        (("transductive", "mnist", "mc1", 0.8, 0.8, "accuracy"), 0.110),
        (("transductive", "scene", "rbm_mo", 0.8, 0.5, "micro_auc"), 0.867),
        (("transductive", "scene", "noisy_imc", 0.8, 0.8, "hamming_accuracy"), 0.826),
        (("transductive", "eventcat", "cle", 0.5, 0.8, "rmse"), 10.902),
        (("inductive", "pendigits", "cle", 0.8, 0.8, "accuracy"), 0.176),
        (("inductive", "eventcat", "noisy_imc", 0.5, 0.3, "micro_auc"), 0.704),
    ],
)
def test_some_are_where_the_paper_has_them(cell: tuple[object, ...], mean: float) -> None:
    found = [
        one.mean
        for one in FIGURES
        if (one.task, one.data_set, one.our_method, one.feature_rate, one.label_rate, one.score)
        == cell
    ]
    assert found == [mean]


def record(method: str, realisation: int, **changed: object) -> CellRecord:
    about = {"data_set": "scene", "task": "transductive", "feature_rate": 0.5, "label_rate": 0.5}
    cell = Cell(**about | {"method": method, "realisation": realisation} | changed)  # type: ignore[arg-type]
    auc = {"column_prior": 0.7, "rbm_mo": 0.91, "halfseen": 0.97}[method] + 0.001 * realisation
    return CellRecord(key=cell.key, cell=cell, scores={"micro_auc": auc, "rmse": 0.2}, seconds=1.0)


RECORDS = [
    record(name, r) for name in ("column_prior", "rbm_mo", "halfseen") for r in range(3)
]  # fmt: skip


def test_tables_have_ours_beside_the_papers_and_marks() -> None:
    failed = record("halfseen", 3).model_copy(update={"status": "failed", "why": "too warm"})
    tables = record_tables([*RECORDS, failed])
    assert [table.score for table in tables] == ["rmse", "micro_auc", "seconds"]
    lines = {(line.name, line.is_published): line.entries[0] for line in tables[1].lines}
    ours, printed = lines["halfseen", False], lines["rbm_mo", True]
    assert ours is not None
    assert (round(ours.mean, 3), ours.n, ours.mark) == (0.971, 3, "significantly best")
    assert printed is not None
    assert printed.mean == 0.934
    assert tables[0].lines[0].entries[0].mark in ("best", "as good")  # type: ignore[union-attr]
    text = tables_as_text(tables)
    assert "scene-transductive-mcar: micro-AUC" in text
    assert "halfseen: 1 cell failed: too warm" in text
    assert "| halfseen | 0.971 ± 0.001\\*\\* |" in tables_as_text(tables, markdown=True)
    assert "scene-transductive-mcar,0.5,0.5,micro_auc,rbm_mo,paper,0.934,,10," in tables_as_csv(
        tables
    )


def test_recorded_results_are_those_of_shipped_plans() -> None:
    for path in RESULTS.glob("records*.jsonl"):
        run = read_run(path)
        known = {cell.key: cell for line in run.plans for cell in cells_of(read_plan(line.name))}
        for key, one in run.records.items():
            assert known[key].model_dump() == one.cell.model_dump()


def test_printed_figures_are_met_passed_or_missed() -> None:
    others = [
        record("rbm_mo", 0, variant="k3"), record("rbm_mo", 0, feature_mechanism="mnar"),
        record("rbm_mo", 0, n_rows=100),
    ]  # fmt: skip
    whole = [one.model_copy(update={"shape": (2407, 294, 6)}) for one in RECORDS]
    outcomes = {
        method: Counter(cell.outcome for cell in paper_cells([*whole, *others], method))
        for method in ("rbm_mo", "halfseen")
    }
    assert outcomes["rbm_mo"] == {"not run": 76, "missed": 2}
    assert outcomes["halfseen"] == {"not run": 76, "missed": 1, "passed": 1}
    text = paper_tables(whole)
    assert "halfseen: 1 of 2 figures of RBM-MO met or passed, 40 of 42 not run" in text
    assert "0.911 -" in text
    assert "halfseen (3 masks, 2,407 rows)" in text
    assert (
        "halfseen misses scene, RMSE of hidden features, 50% / 50%: 0.200, printed 0.137." in text
    )
    assert "private; ours is emotions" in text
    peer = record("rbm_mo", 0).model_copy(update={"cell": record("rbm_mo", 0, variant="").cell
        .model_copy(update={"method": "cle"})})  # fmt: skip
    assert "  cle (1 mask, 0 rows)" in paper_tables([peer])
