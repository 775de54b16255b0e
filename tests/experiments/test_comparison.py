"""The comparison: same masks, own processes, failures that do not lose the others."""

import numpy as np
import pytest

from halfseen.baselines.baseline import CompletedTable
from halfseen.experiments.comparison import Task, compare, peak_megabytes, scored
from halfseen.experiments.comparison_table import comparison_table
from halfseen.experiments.data_sets import CATALOGUE, DataSet, _Entry, content_digest
from halfseen.experiments.hiding import hide_completely_at_random


@pytest.fixture
def tiny():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 3))
    Y = (X[:, :2] > 0).astype(float)
    return DataSet("tiny", X, Y, "labels")


def test_scores_look_at_hidden_entries_only(tiny):
    hidden = hide_completely_at_random(
        tiny.X, tiny.Y, feature_rate=0.5, label_rate=0.5, target="labels", seed=0
    )
    right = CompletedTable(
        np.where(hidden.hidden_features, tiny.X, 1e9),
        np.where(hidden.hidden_labels, tiny.Y, 1 - tiny.Y),
    )
    assert scored(tiny, hidden, right) == (1.0, 1.0, 0.0)
    off = CompletedTable(tiny.X + 2.0, tiny.Y)
    assert scored(tiny, hidden, off)[2] == pytest.approx(2.0)


def test_classes_are_scored_by_row():
    X, Y = np.zeros((6, 1)), np.eye(3)[[0, 1, 2, 0, 1, 2]]
    data = DataSet("classes", X, Y, "classes")
    hidden = hide_completely_at_random(X, Y, feature_rate=1, label_rate=1, target="classes", seed=0)
    answer = Y.copy()
    answer[0] = [0.2, 0.3, 0.5]
    _, accuracy, _ = scored(data, hidden, CompletedTable(X, answer))
    assert accuracy == pytest.approx(5 / 6)


def test_methods_run_on_the_same_masks_and_failures_are_told(tmp_path, monkeypatch, tiny):
    path = tmp_path / "emotions.npz"
    generator = np.random.default_rng(0)
    X = generator.normal(size=(593, 72))
    Y = (X[:, :6] > 0).astype(np.uint8)
    np.savez(path, X=X, Y=Y)
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    heard = []
    results = list(
        compare(
            Task("emotions", 0.5, 0.5),
            ["column_prior", "no_such_method"],
            1,
            budget=1,
            timeout=60,
            tell=heard.append,
        )
    )
    # The values are not those of the real data set, so every cell fails, each for itself.
    assert "is not the data set 'emotions'" in results[0].not_run
    assert "unknown method" in results[1].not_run
    data = DataSet("emotions", X, Y.astype(float), "labels")
    table = comparison_table(Task("emotions", 0.5, 0.5), data, results, 1)
    assert "not run:" in table
    assert "no_such_method" in table
    assert any("choosing settings" in line for line in heard)


def test_peak_memory_is_of_this_process():
    assert 10 < peak_megabytes() < 1e6


def test_catalogue_digests_are_of_full_length():
    assert all(len(entry.digest) == 64 for entry in CATALOGUE.values())
    assert isinstance(CATALOGUE["scene"], _Entry)
    assert content_digest(np.eye(2), np.arange(2)) != content_digest(np.eye(2), np.arange(2)[::-1])
