"""How an epoch is concluded, machine by machine."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.learning.epoch import TrainingState
from halfseen.learning.loop_state import (
    LoopState,
    best_machines,
    concluded,
    first_loop_state,
    moved_state,
)
from halfseen.learning.objective import Memory
from halfseen.learning.statistics import Offsets
from halfseen.machine.parameters import BoltzmannParameters

NAN = float("nan")


def state_at(*values: float) -> TrainingState:
    """One machine per value, all of whose numbers are that value."""

    def full(*shape: int) -> Any:
        column = np.array(values, np.float32).reshape(-1, *(1 for _ in shape))
        return jnp.asarray(np.broadcast_to(column, (len(values), *shape)))

    return TrainingState(
        parameters=BoltzmannParameters(full(2, 3), full(2), full(3), full(1)),
        optimiser_state=(full(2),),
        memory=Memory(full(4, 2), full(0, 2), Offsets(full(2), full(3))),
        rate_scale=jnp.ones(len(values)),
    )


def weight_of(parameters: BoltzmannParameters) -> list[float]:
    return [float(weight) for weight in np.asarray(parameters.weights)[:, 0, 0]]


class Loop:
    """Epochs of two machines with given values and losses; a value is what a machine became."""

    def __init__(self, patience: int = 3, is_monitored: bool = True) -> None:
        self.state: LoopState = first_loop_state(state_at(0.5, 0.5))
        self.patience = patience
        self.is_monitored = is_monitored

    def epoch(self, values: list[float], losses: list[float] | None) -> list[bool]:
        moved = state_at(*values)
        state = self.state.state
        moved = moved_state(self.state, moved._replace(rate_scale=state.rate_scale))
        loss = np.array(values if losses is None else losses, np.float32)
        self.state, bad = concluded(
            self.state, moved, loss, losses is not None, self.is_monitored, self.patience
        )
        return [bool(one) for one in np.asarray(bad)]

    @property
    def active(self) -> list[bool]:
        return [bool(one) for one in np.asarray(self.state.active)]


def test_the_best_is_kept_machine_by_machine() -> None:
    loop = Loop()
    loop.epoch([1.0, 1.0], [0.9, 0.8])
    loop.epoch([2.0, 2.0], [0.7, 0.9])
    loop.epoch([3.0, 3.0], [0.8, 0.85])
    assert weight_of(best_machines(loop.state)) == [2.0, 1.0]
    assert np.asarray(loop.state.best_epoch).tolist() == [1, 0]
    np.testing.assert_allclose(loop.state.best_loss, [0.7, 0.8], rtol=1e-6)
    assert int(loop.state.epoch) == 3
    assert weight_of(loop.state.state.parameters) == [3.0, 3.0]


def test_patience_is_counted_from_the_best_epoch() -> None:
    loop = Loop(patience=2)
    loop.epoch([1.0, 1.0], [0.9, 0.9])
    loop.epoch([2.0, 2.0], [0.8, 1.0])
    assert loop.active == [True, True]
    loop.epoch([3.0, 3.0], [0.9, 1.0])
    assert loop.active == [True, False]
    loop.epoch([4.0, 4.0], [0.9, 0.1])
    assert loop.active == [False, False]


def test_a_machine_that_has_stopped_stays_where_it_is() -> None:
    loop = Loop(patience=1)
    loop.epoch([1.0, 1.0], [0.5, 0.5])
    loop.epoch([2.0, 2.0], [0.4, 0.6])
    loop.epoch([3.0, NAN], [0.3, NAN])
    assert loop.active == [True, False]
    assert weight_of(loop.state.state.parameters) == [3.0, 2.0]
    assert weight_of(best_machines(loop.state)) == [3.0, 1.0]
    assert np.asarray(loop.state.n_rollbacks).tolist() == [0, 0]


def test_a_machine_is_not_stopped_between_two_judgements() -> None:
    loop = Loop(patience=2)
    for losses in ([0.5, 0.5], [0.4, 0.6], [0.45, 0.1]):
        for _ in range(4):
            before = loop.active
            loop.epoch([1.0, 1.0], None)
            assert loop.active == before
        loop.epoch([losses[0], losses[1]], losses)
    assert loop.active == [False, False]
    np.testing.assert_allclose(weight_of(best_machines(loop.state)), [0.4, 0.5], rtol=1e-6)


def test_a_machine_that_ran_away_goes_back_to_its_best_with_a_smaller_step() -> None:
    loop = Loop(patience=10)
    loop.epoch([1.0, 1.0], [0.5, 0.5])
    loop.epoch([2.0, 2.0], [0.6, 0.4])
    assert loop.epoch([NAN, 3.0], [NAN, 0.3]) == [True, False]
    state = loop.state.state
    assert weight_of(state.parameters) == [1.0, 3.0]
    assert np.asarray(state.memory.negative)[:, 0, 0].tolist() == [1.0, 3.0]
    assert np.asarray(state.optimiser_state[0])[:, 0].tolist() == [1.0, 3.0]
    assert np.asarray(state.rate_scale).tolist() == [0.25, 1.0]
    assert loop.epoch([NAN, 4.0], [NAN, 0.2]) == [True, False]
    assert np.asarray(loop.state.state.rate_scale).tolist() == [0.0625, 1.0]
    loop.epoch([5.0, 5.0], [0.1, 0.1])
    assert np.asarray(loop.state.anchor.rate_scale).tolist() == [0.0625, 1.0]
    assert np.asarray(loop.state.n_rollbacks).tolist() == [2, 0]


@pytest.mark.parametrize("loss", [NAN, 1e6, float("inf")])
def test_a_loss_out_of_proportion_is_running_away(loss: float) -> None:
    loop = Loop()
    assert loop.epoch([1.0, 1.0], [loss, 1.0]) == [True, False]
    assert weight_of(best_machines(loop.state)) == [0.5, 1.0]


def test_a_machine_that_never_got_anywhere_is_not_stopped_by_patience() -> None:
    loop = Loop(patience=1)
    for _ in range(4):
        assert loop.epoch([NAN, NAN], [NAN, NAN]) == [True, True]
        assert loop.active == [True, True]
    loop.epoch([1.0, NAN], [0.5, NAN])
    assert int(loop.state.best_epoch[0]) == 4
    assert loop.active == [True, True]


def test_without_a_monitor_the_last_sound_state_counts() -> None:
    loop = Loop(patience=1, is_monitored=False)
    for value in (1.0, 2.0, 3.0):
        loop.epoch([value, value], None)
    assert loop.epoch([4.0, NAN], None) == [False, True]
    assert weight_of(best_machines(loop.state)) == [4.0, 3.0]
    assert loop.active == [True, True]


def test_before_the_first_judgement_the_current_parameters_count() -> None:
    loop = Loop()
    loop.epoch([1.0, 2.0], None)
    assert weight_of(best_machines(loop.state)) == [1.0, 2.0]
