from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.tiny import tiny_data_set
from halfseen.experiments import run_cell as module
from halfseen.experiments.answer_scores import Answer, AnswerScores
from halfseen.experiments.cell_data import PICTURES, hidden_rows
from halfseen.experiments.plan import Cell, Limits
from halfseen.experiments.record import SCORES, TunedSettings
from halfseen.experiments.run_cell import (
    forget_peak,
    peak_megabytes,
    run_cell,
    tune_cell,
    tuning_grid,
)

CELL = Cell("tiny", "transductive", "at_random", "at_random", 0.3, 0.3, None, "column_prior")
OURS = {"n_iter": 2, "n_components": 4}
TUNED = replace(CELL, method="nearest_neighbours", limits=Limits(tuning_tries=3))


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
    cell = replace(CELL, method="rbm_mo", task=task, settings=OURS)
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


@pytest.mark.parametrize("method", ["gaussian_em", "noisy_imc", "mc1"])
def test_overwriting_what_is_hidden_changes_no_choice_and_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    cell = replace(CELL, method=method, limits=Limits(tuning_tries=3))
    data = tiny_data_set()
    rows = hidden_rows(cell, data)
    overwritten = replace(
        data,
        X=np.where(rows.asked_features, 1e6, data.X),
        Y=np.where(rows.asked_labels, 1 - data.Y, data.Y),
    )
    answers: list[Answer] = []

    def keep(data: object, of_x: object, of_y: object, answer: Answer, _: bool) -> object:
        answers.append(answer)
        return AnswerScores()

    monkeypatch.setattr(module, "score_answer", keep)
    choices = []
    for one in (data, overwritten):
        monkeypatch.setattr(module, "cell_data", lambda cell, one=one: one)
        choices.append(tune_cell(cell))
        assert run_cell(cell, choices[-1], tmp_path).status == "done"
    assert choices[0].settings == choices[1].settings
    assert choices[0].n_tried == choices[0].n_planned == 3
    assert answers[0].features.tobytes() == answers[1].features.tobytes()
    assert answers[0].scores.tobytes() == answers[1].scores.tobytes()


def test_labels_of_new_rows_are_not_fitted_and_all_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = replace(CELL, method="gaussian_em", task="inductive")
    before = run_cell(cell, TunedSettings(), tmp_path).scores["micro_auc"]
    assert before > 0.8
    data = tiny_data_set()
    fitted = hidden_rows(cell, data).fitted[:, None]
    flipped = replace(data, Y=np.where(fitted, data.Y, 1 - data.Y))
    monkeypatch.setattr(module, "cell_data", lambda cell: flipped)
    after = run_cell(cell, TunedSettings(), tmp_path).scores["micro_auc"]
    assert after == pytest.approx(1 - before)


def test_a_method_that_looks_is_better_than_the_constant(tmp_path: Path) -> None:
    prior, gaussian = (
        run_cell(replace(CELL, method=name), TunedSettings(), tmp_path).scores
        for name in ("column_prior", "gaussian_em")
    )
    assert gaussian["micro_auc"] > 0.85 > 0.75 > prior["micro_auc"]
    assert gaussian["rmse"] < 0.7 * prior["rmse"]


def test_settings_are_those_of_the_first_realisation_whichever_asks() -> None:
    first, later = tune_cell(TUNED), tune_cell(replace(TUNED, realisation=4))
    assert first.settings == later.settings
    assert first.series == later.series == TUNED.series
    assert (first.n_tried, first.n_planned) == (3, 3)


@pytest.mark.parametrize(
    "cell",
    [
        replace(TUNED, method="rbm_mo"),
        replace(TUNED, method="mc1", task="inductive"),
        replace(TUNED, limits=Limits(tuning_tries=1)),
        replace(TUNED, limits=Limits(tuning_seconds=0)),
        replace(TUNED, settings={"n_neighbours": 3, "label_weight": 1.0}),
    ],
)
def test_there_is_nothing_to_tune(cell: Cell) -> None:
    assert tuning_grid(cell) == {}


def test_what_the_plan_sets_is_not_tuned() -> None:
    cell = replace(TUNED, settings={"n_neighbours": 3})
    assert list(tuning_grid(cell)) == ["label_weight"]
    assert list(tune_cell(cell).settings) == ["label_weight"]


def test_tuning_that_fails_says_why() -> None:
    tuned = tune_cell(replace(TUNED, feature_hiding="nowhere"))
    assert (tuned.settings, tuned.n_tried) == ({}, 0)
    assert tuned.why.startswith("not tuned: ValueError: unknown feature_hiding")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_peak_memory_is_of_this_process_from_a_moment_on() -> None:
    forget_peak()
    small = peak_megabytes()
    large = np.ones(2**26)  # 512 MB
    assert peak_megabytes() > small + 500
    del large
    forget_peak()
    assert peak_megabytes() < small + 250
