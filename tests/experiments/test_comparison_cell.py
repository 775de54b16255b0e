"""One method on one mask: what is scored, and what no method and no tuner gets to see."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from experiments.tiny import tiny_data_set
from halfseen.baselines.baseline import CompletedTable, NotInductive
from halfseen.experiments import comparison_cell
from halfseen.experiments.comparison_cell import (
    Task,
    chosen_settings,
    hidden_cell,
    run_cell,
    scored,
)
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.hiding import hide_completely_at_random

TASK = Task("tiny", 0.4, 0.4)


def test_scores_look_at_hidden_entries_only() -> None:
    data = tiny_data_set()
    hidden = hide_completely_at_random(
        data.X, data.Y, feature_rate=0.5, label_rate=0.5, target="labels", seed=0
    )
    right = CompletedTable(
        np.where(hidden.hidden_features, data.X, 1e9),
        np.where(hidden.hidden_labels, data.Y, 1 - data.Y),
    )
    assert scored(data, hidden, right) == (1.0, 1.0, 0.0)
    off = CompletedTable(data.X + 2.0, data.Y)
    assert scored(data, hidden, off)[2] == pytest.approx(2.0)


def test_classes_are_scored_by_row() -> None:
    X, Y = np.zeros((6, 1)), np.eye(3)[[0, 1, 2, 0, 1, 2]]
    data = DataSet("classes", X, Y, "classes")
    hidden = hide_completely_at_random(X, Y, feature_rate=1, label_rate=1, target="classes", seed=0)
    answer = Y.copy()
    answer[0] = [0.2, 0.3, 0.5]
    _, accuracy, _ = scored(data, hidden, CompletedTable(X, answer))
    assert accuracy == pytest.approx(5 / 6)


def test_a_cell_is_run_and_scored(tiny: DataSet) -> None:
    prior, gaussian = (run_cell(TASK, name, {}, 0) for name in ("column_prior", "gaussian_em"))
    assert gaussian.auc > 0.85 > 0.75 > prior.auc
    assert gaussian.rmse < 0.7 * prior.rmse
    assert 0 < gaussian.seconds < 60
    assert 10 < gaussian.megabytes < 1e6
    shrunk = run_cell(TASK, "gaussian_em", {"shrinkage": 0.9}, 0)
    assert shrunk.rmse > gaussian.rmse
    assert run_cell(TASK, "gaussian_em", {}, 1).rmse != gaussian.rmse


@pytest.mark.parametrize("method", ["gaussian_em", "noisy_imc", "mc1"])
def test_overwriting_what_is_hidden_changes_no_choice_and_no_answer(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    hidden = hidden_cell(TASK, 0).hidden
    heard: list[CompletedTable] = []

    def listening(data: DataSet, hidden: object, completed: CompletedTable) -> tuple[float, ...]:
        heard.append(completed)
        return 0.0, 0.0, 0.0

    overwritten = dataclasses.replace(
        tiny,
        X=np.where(hidden.hidden_features, 1e6, tiny.X),
        Y=np.where(hidden.hidden_labels, 1 - tiny.Y, tiny.Y),
    )
    monkeypatch.setattr(comparison_cell, "scored", listening)
    choices = []
    for data in (tiny, overwritten):
        monkeypatch.setattr(comparison_cell, "load_data_set", lambda *_, data=data: data)
        choices.append(chosen_settings(TASK, method, 0, budget=3, seconds=None))
        run_cell(TASK, method, choices[-1].settings, 0)
    assert choices[0] == choices[1]
    assert choices[0].n_tried == choices[0].n_planned == 3
    assert heard[0].features.tobytes() == heard[1].features.tobytes()
    assert heard[0].scores.tobytes() == heard[1].scores.tobytes()


def test_new_rows_are_not_fitted_and_all_their_labels_are_asked_for(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = dataclasses.replace(TASK, new_share=0.3)
    cell = hidden_cell(task, 0)
    assert 20 < np.sum(~cell.fitted) < 55
    before = run_cell(task, "gaussian_em", {}, 0)
    assert before.auc > 0.8
    assert np.isnan(before.rmse)
    flipped = dataclasses.replace(tiny, Y=np.where(cell.fitted[:, None], tiny.Y, 1 - tiny.Y))
    monkeypatch.setattr(comparison_cell, "load_data_set", lambda *_: flipped)
    after = run_cell(task, "gaussian_em", {}, 0)
    assert after.auc == pytest.approx(1 - before.auc)
    with pytest.raises(NotInductive):
        run_cell(task, "mc1", {}, 0)


@pytest.mark.parametrize(("budget", "seconds"), [(1, None), (5, 0)])
def test_without_tries_or_time_a_method_keeps_its_settings(
    tiny: DataSet, budget: int, seconds: float | None
) -> None:
    assert chosen_settings(TASK, "gaussian_em", 0, budget, seconds) == ({}, 0, 0)
