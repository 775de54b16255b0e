"""The shared tuner: it looks at observed entries only, and really holds some out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from halfseen.baselines import baseline
from halfseen.baselines.baseline import Baseline, drawn_candidates, hold_out, tune


class Constant(Baseline):
    """Fills features with one number and scores every label by a sign of the first feature."""

    method: ClassVar[str] = "constant"

    def __init__(self, *, fill: float = 0.0, sign: float = 1.0) -> None:
        self.fill = fill
        self.sign = sign

    def _fit(self, X, Y):
        pass

    def _completed(self, X, Y):
        filled = np.where(np.isnan(X), self.fill, X)
        return filled, self.sign * filled[:, :1]


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    X = generator.normal(3.0, 1.0, size=(200, 4))
    Y = (X[:, :1] > 3).astype(float)
    hide = generator.random(X.shape) < 0.3
    return np.where(hide, np.nan, X), Y


def test_the_better_setting_is_chosen(table):
    X, Y = table
    tuned = tune(Constant(), {"fill": [0.0, 3.0], "sign": [-1.0, 1.0]}, X, Y)
    assert tuned.best == {"fill": 3.0, "sign": 1.0}
    assert len(tuned.candidates) == 4
    assert tuned.losses.min() == tuned.losses[tuned.candidates.index(tuned.best)]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_entries_are_hold_out_whatever_the_seed_of_the_mask(seed):
    X, Y = np.ones((300, 5)), np.tile([0.0, 1.0], (300, 1))
    hidden = np.random.default_rng(seed).random(X.shape) < 0.5
    X = np.where(hidden, np.nan, X)
    shown_x, shown_y = hold_out(X, Y, "labels", seed)
    share_x = np.mean(np.isnan(shown_x)[~hidden])
    assert 0.1 < share_x < 0.2
    assert 0.1 < np.mean(np.isnan(shown_y)) < 0.2


def test_classes_are_hold_out_as_a_whole():
    Y = np.eye(3)[np.arange(300) % 3]
    _, shown = hold_out(np.ones((300, 1)), Y, "classes", 0)
    gone = np.isnan(shown)
    assert np.array_equal(gone.any(axis=1), gone.all(axis=1))
    assert 0.1 < gone.all(axis=1).mean() < 0.2


def test_too_few_labels_to_tune():
    Y = np.full((20, 1), np.nan)
    Y[0] = 1.0
    with pytest.raises(ValueError, match="too few observed labels"):
        tune(Constant(), {"fill": [0.0, 1.0]}, np.ones((20, 2)), Y)


def test_a_large_grid_is_drawn_without_repetition_and_by_seed():
    grid = {"a": list(range(10)), "b": list(range(10))}
    drawn = drawn_candidates(grid, 7, seed=0)
    assert len({tuple(point.items()) for point in drawn}) == 7
    assert drawn == drawn_candidates(grid, 7, seed=0)
    assert drawn != drawn_candidates(grid, 7, seed=1)


def test_the_methods_own_settings_are_tried_first(table):
    X, Y = table
    tuned = tune(Constant(fill=9.0), {"fill": [0.0, 3.0]}, X, Y)
    assert tuned.candidates[0] == {"fill": 9.0}
    assert sorted(point["fill"] for point in tuned.candidates) == [0.0, 3.0, 9.0]
    assert tune(Constant(fill=9.0), {"fill": [0.0, 3.0]}, X, Y, budget=1).best == {"fill": 9.0}


def test_no_candidate_is_begun_that_would_end_too_late(table, monkeypatch):
    X, Y = table
    hours = iter(range(100))
    monkeypatch.setattr(baseline.time, "process_time", lambda: 3600.0 * next(hours))
    grid = {"fill": [0.0, 1.0, 2.0, 3.0, 4.0]}
    # Before a candidate, as many hours are gone as there were candidates, and one.
    tuned = tune(Constant(fill=0.0), grid, X, Y, seconds=4.9 * 3600)
    assert len(tuned.candidates) == 5
    assert len(tuned.losses) == 3
    assert tuned.best in tuned.candidates[:3]
    assert len(tune(Constant(), grid, X, Y, seconds=1.0).losses) == 1
