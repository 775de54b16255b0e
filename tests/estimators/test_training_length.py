"""How long members are trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen import RBMImputer
from halfseen.estimators.predictive_settings import predictive_settings
from halfseen.estimators.training_length import Trained, train_as_long_as_it_pays

N_STEPS = 100
SETTINGS = replace(
    predictive_settings(600, 20, 10, "default"), n_steps=N_STEPS, n_most_steps=7 * N_STEPS
)


class Training:
    """A training whose state is the number of its steps, and which gains as it is told."""

    def __init__(self, gains: Sequence[float] = (), ends_after: float = float("inf")) -> None:
        self.gains = iter(gains)
        self.ends_after = ends_after

    def train(self, state: Any, steps: range) -> tuple[Any, int]:
        assert state == steps.start
        n_taken = int(min(steps.stop, self.ends_after))
        return n_taken, n_taken

    def gain(self, _: Any) -> float:
        return next(self.gains)

    def end(self, n_most_steps: int = SETTINGS.n_most_steps) -> Trained:
        settings = replace(SETTINGS, n_most_steps=n_most_steps)
        return train_as_long_as_it_pays(self.train, self.gain, 0, settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gains", "rounds"),
    [
        ((0.0,), (100,)),
        ((0.0299,), (100,)),
        ((0.0301, 0.05), (100, 200)),
        ((0.1, 0.12), (100, 200)),
        ((0.1, 0.13, 0.4), (100, 200, 400)),
    ],
)
def test_rounds_follow_each_other_as_long_as_they_pay(
    gains: tuple[float, ...], rounds: tuple[int, ...]
) -> None:
    trained = Training(gains).end()
    assert trained.rounds == rounds
    assert trained.left_over == pytest.approx([1 - gain for gain in gains])
    assert trained.state == trained.n_taken == sum(rounds)
    assert not trained.is_cut_short


def test_a_round_that_was_too_much_is_taken_back() -> None:
    trained = Training((0.5, 0.4)).end()
    assert trained.rounds == (100, 200)
    assert trained.state == 100
    assert not trained.is_cut_short


@pytest.mark.parametrize(("room", "last"), [(50, None), (100, 100), (150, 150), (1000, 200)])
def test_a_round_is_cut_to_the_room_there_is_if_that_is_worth_it(
    room: int, last: int | None
) -> None:
    trained = Training((0.5, 0.5)).end(N_STEPS + room)
    assert trained.rounds == ((100,) if last is None else (100, last))


def test_one_round_asks_nobody() -> None:
    trained = Training(()).end(n_most_steps=N_STEPS)
    assert trained == (100, (100,), (), 100)


@pytest.mark.parametrize(
    ("ends_after", "gains", "kept"), [(50, (), 50), (150, (0.5,), 100), (350, (0.5, 0.7), 300)]
)
def test_whoever_ends_it_has_what_was_whole(
    ends_after: int, gains: tuple[float, ...], kept: int
) -> None:
    trained = Training(gains, ends_after).end()
    assert trained.is_cut_short
    assert trained.n_taken == ends_after
    assert trained.state == kept


def table_of(is_curved: bool) -> NDArray[np.float64]:
    """Columns that are functions of one number, waves or straight ones, with holes in them."""
    generator = np.random.default_rng(0)
    angle = generator.uniform(0.0, 2 * np.pi, (600, 1))
    waves = np.cos(angle * [1, 2, 2] + np.array([0.0, 1.0, 2.0]))
    X = waves if is_curved else angle * [1, -1, 2]
    X = X + 0.1 * X.std(axis=0) * generator.standard_normal(X.shape)
    return np.where(generator.random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("is_curved", [False, True])
def test_a_curved_table_is_learned_longer_and_says_so(is_curved: bool) -> None:
    model = RBMImputer(random_state=0, companion=False).fit(table_of(is_curved))
    choice = next(c for c in model.history_.choices if c.what == "length of training")
    budget = predictive_settings(600, 3, 3, "default", 0.8)
    first, *further = choice.chosen.removesuffix(" steps of 32 rows").split(" + ")
    assert int(first) == budget.n_steps
    assert bool(further) == is_curved
    assert choice.why.count(" %,") == len(further)
