from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.tiny import tiny_data_set
from halfseen.experiments import cell_tuning
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_tuning import read_tuning, tune_cell, tuning_grid, tuning_path
from halfseen.experiments.plan import Limits
from halfseen.experiments.record import NotARecord

CELL = Cell(
    "tiny", "transductive", "at_random", "at_random", 0.3, 0.3, None, "nearest_neighbours",
    limits=Limits(tuning_tries=3),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_tuning, "cell_data", lambda cell: tiny_data_set())


def test_the_choice_is_that_of_the_first_realisation_whoever_asks() -> None:
    first = tune_cell(CELL)
    later = tune_cell(replace(CELL, realisation=4))
    assert first.settings == later.settings
    assert (first.n_tried, first.n_planned) == (3, 3)


@pytest.mark.parametrize(
    "cell",
    [
        replace(CELL, method="halfseen"),
        replace(CELL, method="mc1", task="inductive"),
        replace(CELL, limits=Limits(tuning_tries=1)),
        replace(CELL, limits=Limits(tuning_seconds=0)),
        replace(CELL, settings={"n_neighbours": 3, "label_weight": 1.0}),
    ],
)
def test_there_is_nothing_to_tune(cell: Cell) -> None:
    assert tuning_grid(cell) == {}


def test_what_the_plan_sets_is_not_tuned() -> None:
    cell = replace(CELL, settings={"n_neighbours": 3})
    assert list(tuning_grid(cell)) == ["label_weight"]
    assert list(tune_cell(cell).settings) == ["label_weight"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 1, "n_tried": "three"}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    path = tuning_path(tmp_path, CELL)
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(NotARecord, match="nearest_neighbours"):
        read_tuning(tmp_path, CELL)
