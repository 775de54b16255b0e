from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.tiny import tiny_data_set
from halfseen.experiments import run_cell as module
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_pictures import PICTURES
from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.record import SCORES
from halfseen.experiments.run_cell import run_cell

CELL = Cell("tiny", "transductive", "at_random", "at_random", 0.3, 0.3, None, "column_prior")
OURS = {"effort": "fast", "companion": False, "n_epochs": 2, "n_hidden": 4}


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cell_data", lambda cell: tiny_data_set())


def test_a_record_holds_every_score_and_what_was_asked(tmp_path: Path) -> None:
    record = run_cell(CELL, TunedSettings(), tmp_path)
    assert (record.status, record.why, record.key) == ("done", "", CELL.key)
    assert tuple(record.scores) == SCORES
    assert 0.9 < record.scores["standardised_rmse"] < 1.1
    assert (record.n_rows, record.n_features, record.n_labels) == (120, 6, 3)
    assert record.reliability
    assert record.seconds >= 0
    assert record.megabytes > 0


def test_chosen_settings_give_way_to_those_of_the_plan(tmp_path: Path) -> None:
    cell = replace(CELL, method="soft_impute", settings={"n_steps": 3})
    record = run_cell(cell, TunedSettings({"n_steps": 9}, 1, 2), tmp_path)
    assert record.settings == {"n_steps": 3}
    assert (record.n_tried, record.n_planned) == (1, 2)


@pytest.mark.parametrize("task", ["transductive", "inductive"])
def test_ours_completes_and_bounds_old_and_new_rows(tmp_path: Path, task: str) -> None:
    cell = replace(CELL, method="halfseen", task=task, settings=OURS)
    record = run_cell(cell, TunedSettings(), tmp_path)
    assert record.status == "done", record.why
    for score in ("rmse", "micro_auc", "interval_coverage", "interval_width", "log_loss"):
        assert np.isfinite(record.scores[score])


def test_what_a_method_cannot_is_left_out(tmp_path: Path) -> None:
    record = run_cell(replace(CELL, method="mc1", task="inductive"), TunedSettings(), tmp_path)
    assert (record.status, record.why[:26]) == ("left_out", "MC-1 is transductive only:")
    record = run_cell(replace(CELL, method="misgan_convolutional"), TunedSettings(), tmp_path)
    assert record.status == "left_out"


def test_a_failure_is_a_record_too(tmp_path: Path) -> None:
    record = run_cell(replace(CELL, feature_hiding="nowhere"), TunedSettings(), tmp_path)
    assert record.status == "failed"
    assert record.why.startswith("ValueError: unknown feature_hiding")
    assert all(np.isnan(score) for score in record.scores.values())


def test_images_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = replace(tiny_data_set("classes"), image=(2, 3))
    monkeypatch.setattr(module, "cell_data", lambda cell: data)
    run_cell(CELL, TunedSettings(), tmp_path)
    with np.load(tmp_path / PICTURES / f"{CELL.key}.npz") as kept:
        assert kept["truth"].shape == kept["completed"].shape == (10, 6)
        assert kept["observed"].dtype == bool
        seen = kept["observed"]
        assert (kept["truth"][seen] == kept["completed"][seen]).all()
        assert (kept["truth"] != kept["completed"]).any()
