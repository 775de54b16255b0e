"""How long members are trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from estimators.curved import curved_table, straight_table
from halfseen import HalfseenImputer, TrainingInterrupted
from halfseen.estimators import predictive_fit
from halfseen.estimators.predictive_settings import predictive_settings
from halfseen.estimators.training_length import (
    LEAST_OF_A_ROUND,
    Trained,
    train_as_long_as_it_pays,
)
from halfseen.learning.choice import Choice
from halfseen.learning.predictive_training import Round

N_STEPS = 100
SETTINGS = replace(
    predictive_settings(600, 20, 10, "default"), n_steps=N_STEPS, n_most_steps=7 * N_STEPS
)


class Training:
    """A training whose state is the number of its steps, and which gains as it is told."""

    def __init__(
        self,
        gains: Sequence[float | BaseException] = (),
        ends_after: float = float("inf"),
        is_over: bool = False,
    ) -> None:
        self.gains = iter(gains)
        self.ends_after = ends_after
        self.is_over = is_over

    def train(self, state: Any, steps: range) -> Round:
        assert state == steps.start
        n_taken: Any = int(min(steps.stop, self.ends_after))
        return Round(n_taken, n_taken, n_taken < self.ends_after)

    def gain(self, _: Any) -> float:
        gain = next(self.gains)
        if isinstance(gain, BaseException):
            raise gain
        return gain

    def end(self, n_most_steps: int = SETTINGS.n_most_steps) -> Trained:
        settings, start = replace(SETTINGS, n_most_steps=n_most_steps), 0
        return train_as_long_as_it_pays(
            self.train,
            self.gain,
            lambda: self.is_over,
            start,  # type: ignore[arg-type]
            settings,
        )


@pytest.mark.parametrize(
    ("gains", "rounds"),
    [
        ((0.0,), (100,)),
        ((LEAST_OF_A_ROUND - 1e-6,), (100,)),
        ((LEAST_OF_A_ROUND + 1e-6, 0.05), (100, 200)),
        ((0.1, 0.12), (100, 200)),
        ((0.1, 0.14, 0.4), (100, 200, 400)),
    ],
)
def test_rounds_follow_each_other_as_long_as_they_pay(
    gains: tuple[float, ...], rounds: tuple[int, ...]
) -> None:
    trained = Training(gains).end()
    assert trained.rounds == rounds
    assert trained.left_over == pytest.approx([1 - gain for gain in gains])
    assert trained.state == trained.n_kept == sum(rounds)
    assert not trained.is_cut_short


def test_a_round_that_was_too_much_is_taken_back() -> None:
    trained = Training((0.5, 0.4)).end()
    assert trained.rounds == (100, 200)
    assert trained.state == trained.n_kept == 100
    assert not trained.is_cut_short


@pytest.mark.parametrize(("room", "last"), [(50, None), (100, 100), (150, 150), (1000, 200)])
def test_a_round_is_cut_to_the_room_there_is_if_that_is_worth_it(
    room: int, last: int | None
) -> None:
    trained = Training((0.5, 0.5)).end(N_STEPS + room)
    assert trained.rounds == ((100,) if last is None else (100, last))


def test_one_round_asks_nobody() -> None:
    assert Training(()).end(n_most_steps=N_STEPS) == (100, 100, (100,), (), False)


@pytest.mark.parametrize(
    ("ends_after", "gains", "kept"),
    [
        (50, (), 50),
        (100, (), 100),
        (150, (0.5,), 100),
        (300, (0.5,), 100),
        (350, (0.5, 0.7), 300),
    ],
)
def test_whoever_ends_it_has_what_was_whole(
    ends_after: int, gains: tuple[float, ...], kept: int
) -> None:
    trained = Training(gains, ends_after).end()
    assert trained.is_cut_short
    assert trained.state == trained.n_kept == kept


def test_no_round_begins_when_time_is_over() -> None:
    trained = Training((0.5,), is_over=True).end()
    assert trained.rounds == (100,)
    assert not trained.is_cut_short


def test_an_interruption_between_rounds_keeps_what_was_whole() -> None:
    with pytest.warns(TrainingInterrupted, match="whole rounds"):
        trained = Training((0.5, KeyboardInterrupt())).end()
    assert trained.is_cut_short
    assert trained.state == trained.n_kept == 100


def length_of(model: HalfseenImputer) -> Choice:
    return next(c for c in model.history_.choices if c.what == "length of training")


@pytest.mark.parametrize("is_curved", [False, True])
def test_a_curved_table_is_learned_longer_and_says_so(is_curved: bool) -> None:
    X = curved_table() if is_curved else straight_table()
    choice = length_of(HalfseenImputer(random_state=0, companion=False).fit(X))
    budget = predictive_settings(600, 3, 3, "default", 0.8)
    first, *further = choice.chosen.removesuffix(" steps of 32 rows").split(" + ")
    assert int(first) == budget.n_steps
    assert bool(further) == is_curved
    assert choice.why.count(" %,") == len(further)
    assert f"within {budget.n_most_steps:,} steps" in choice.why


def test_an_interruption_after_the_first_round_leaves_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: Any) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(predictive_fit, "gain_over_priors", interrupted)
    X = curved_table()[:60]
    with pytest.warns(TrainingInterrupted, match="whole rounds"):
        model = HalfseenImputer(random_state=0, companion=False).fit(X)
    assert np.isfinite(np.asarray(model.transform(X))).all()
    assert length_of(model).chosen == "250 steps of 32 rows"
