"""The trainer's promises: learning, stopping, restoring, and never a number that is none."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

from halfseen import DivergenceError
from halfseen.learning import epoch as epoch_module
from halfseen.learning import trainer as trainer_module
from halfseen.learning.history import EpochRecord
from halfseen.learning.monitor import Losses
from halfseen.learning.optimiser import Optimiser, schedule_factor
from halfseen.learning.trainer import (
    Callback,
    Trainer,
    TrainingInterrupted,
    TrainingPlan,
    TrainingResult,
)
from halfseen.machine.parameters import BoltzmannParameters
from learning.small import (
    PERSISTENT_PLAN,
    PLAN,
    are_same_bits,
    assert_finite,
    assert_same_bits,
    small_monitor,
    small_table,
)

# The same mathematics is held by tests/rbm.
pytestmark = pytest.mark.long

PLAIN = replace(PLAN, optimiser=Optimiser("sgd", 0.0, math.inf))


class Scripted:
    """A monitor that says what it was told to, and remembers the machines it was shown."""

    def __init__(self, *losses: list[float]) -> None:
        self.script = list(losses)
        self.shown: list[BoltzmannParameters] = []

    def losses(self, machines: BoltzmannParameters) -> Losses:
        loss = np.array(self.script[len(self.shown)])
        self.shown.append(jax.device_get(machines))
        return Losses(loss, loss, np.full_like(loss, np.nan))


def scripted(*losses: float) -> Scripted:
    return Scripted(*([loss] for loss in losses))


def trained(
    plan: TrainingPlan, monitor: Scripted | None = None, callbacks: tuple[Callback, ...] = ()
) -> TrainingResult:
    return Trainer(plan, monitor, callbacks=callbacks).train(*small_table())


@cache
def six_epochs() -> TrainingResult:
    return trained(PLAN)


def test_what_was_put_aside_is_learned() -> None:
    visible, observed = small_table()
    monitor, training = small_monitor(visible, observed)
    plan = replace(PLAN, n_epochs=80)
    result = Trainer(plan, monitor).train(visible, training)
    loss = result.history["loss"]
    # Independent units at their marginals, which is where training begins.
    first = monitor.losses(Trainer(plan).first_state(128).parameters).total[0]
    assert loss.min() < 0.6 * first
    assert loss.min() < 0.8 * loss[0]
    assert monitor.losses(result.machines).total[0] == pytest.approx(loss.min(), rel=1e-6)
    assert result.history["label_loss"].min() < 0.5 * np.log(3)
    assert_finite(result.machines)


def test_look_ahead_stops_and_restores_the_best() -> None:
    monitor = scripted(0.9, 0.7, 0.8, 0.75, 0.71, 0.1)
    result = trained(replace(PLAN, n_epochs=50, patience=3), monitor)
    assert len(result.history) == len(monitor.shown) == 5
    assert result.history.stop_reason == "look-ahead"
    assert result.history.best_epoch == 1
    assert_same_bits(result.machines, monitor.shown[1])
    assert not are_same_bits(result.machines, monitor.shown[4])


def test_look_ahead_that_ends_with_the_last_epoch() -> None:
    result = trained(replace(PLAN, n_epochs=3, patience=2), scripted(0.5, 0.6, 0.7))
    assert result.history.stop_reason == "look-ahead"
    assert len(result.history) == 3


def test_each_machine_is_restored_to_its_own_best() -> None:
    monitor = Scripted([0.5, 0.9, 0.9], [0.6, 0.5, 0.8], [0.7, 0.6, 0.4], [0.8, 0.7, 0.5])
    plan = replace(PERSISTENT_PLAN, n_machines=3, n_epochs=4)
    result = trained(plan, monitor)
    for machine in range(3):
        found, expected = (
            jax.tree.map(lambda leaf, machine=machine: leaf[machine], machines)
            for machines in (result.machines, monitor.shown[machine])
        )
        assert_same_bits(found, expected)
    assert result.history.best_epoch == 2
    assert result.history["loss"][0] == pytest.approx(np.mean([0.5, 0.9, 0.9]))


def test_the_monitor_is_asked_now_and_then_and_at_the_end() -> None:
    monitor = scripted(0.5, 0.4, 0.6)
    result = trained(replace(PLAN, n_epochs=5, monitor_every=2), monitor)
    np.testing.assert_array_equal(result.history["loss"], [np.nan, 0.5, np.nan, 0.4, 0.6])
    assert_same_bits(result.machines, monitor.shown[1])
    assert result.history.best_epoch == 3


def test_patience_shorter_than_the_time_between_judgements() -> None:
    monitor = scripted(0.5, 0.4, 0.6, 0.1)
    result = trained(replace(PLAN, n_epochs=20, monitor_every=3, patience=1), monitor)
    assert result.history.stop_reason == "look-ahead"
    assert len(result.history) == 9
    assert_same_bits(result.machines, monitor.shown[1])


def test_without_a_monitor_all_epochs_are_run_and_the_last_counts() -> None:
    result = six_epochs()
    assert result.history.stop_reason == "epochs"
    assert result.history.best_epoch == 5
    assert np.all(np.isnan(result.history["loss"]))
    shown: list[EpochRecord] = []
    five = trained(replace(PLAN, n_epochs=5), callbacks=(shown.append,))
    assert [record.epoch for record in shown] == list(range(5))
    assert not are_same_bits(result.machines, five.machines)


def test_training_is_the_same_for_the_same_seed_only() -> None:
    assert_same_bits(trained(PLAN).machines, six_epochs().machines)
    assert not are_same_bits(trained(replace(PLAN, seed=8)).machines, six_epochs().machines)


def test_hidden_values_are_not_read() -> None:
    visible, observed = small_table()
    behind = np.where(observed, visible, np.float32(1e9))
    assert_same_bits(Trainer(PLAN).train(behind, observed).machines, six_epochs().machines)


def test_hidden_values_of_a_long_table_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    visible, observed = small_table()
    behind = np.where(observed, visible, np.float32(np.nan))
    monkeypatch.setattr(epoch_module, "LONG", 1)
    as_it_is, lent = (Trainer(PLAN).train(table, observed) for table in (visible, behind))
    assert_same_bits(as_it_is.machines, lent.machines)


def test_a_callback_ends_the_training_and_all_are_called() -> None:
    calls: list[str] = []

    def stops(record: EpochRecord) -> bool:
        calls.append("stops")
        return record.epoch == 2

    def goes_on(record: EpochRecord) -> None:
        calls.append("goes on")

    result = trained(PLAN, callbacks=(stops, goes_on))
    assert calls == ["stops", "goes on"] * 3
    assert len(result.history) == 3
    assert result.history.stop_reason == "callback"
    assert_same_bits(result.machines, trained(replace(PLAN, n_epochs=3)).machines)


def interrupts(record: EpochRecord) -> None:
    if record.epoch == 2:
        raise KeyboardInterrupt


def test_control_c_leaves_a_usable_machine() -> None:
    with pytest.warns(TrainingInterrupted, match="epoch 4; the model keeps the best"):
        result = trained(PLAN, callbacks=(interrupts,))
    assert result.history.stop_reason == "interrupted"
    assert_same_bits(result.machines, trained(replace(PLAN, n_epochs=3)).machines)


def test_control_c_leaves_the_best_machine() -> None:
    monitor = scripted(0.3, 0.2, 0.5)
    with pytest.warns(TrainingInterrupted):
        result = trained(PLAN, monitor, (interrupts,))
    assert result.history.best_epoch == 1
    assert_same_bits(result.machines, monitor.shown[1])


def test_records() -> None:
    plan = replace(PLAN, schedule="cosine", n_epochs=4)
    result = trained(plan)
    expected = [PLAN.learning_rate * schedule_factor("cosine", epoch, 4) for epoch in range(4)]
    np.testing.assert_allclose(result.history["learning_rate"], expected, rtol=1e-6)
    assert np.all(result.history["gradient_norm"] > 0)
    assert np.all(result.history["seconds"] > 0)
    assert result.history["weight_norm"][-1] == pytest.approx(
        np.linalg.norm(result.machines.weights), rel=1e-5
    )
    assert not result.history["rolled_back"].any()


@pytest.mark.parametrize("variance", [0.7, 0.2])
def test_a_fixed_variance_stays_the_same_number(variance: float) -> None:
    plan = replace(
        PLAN, first_variance=variance, lowest_variance=variance, highest_variance=variance
    )
    before = Trainer(plan).first_state(128).parameters.log_variance
    np.testing.assert_allclose(before, np.log(variance), rtol=1e-6)
    after = trained(replace(plan, n_epochs=1)).machines.log_variance
    np.testing.assert_array_equal(after, before)


def test_centres_begin_at_the_marginals_or_nowhere() -> None:
    centred = Trainer(PLAN).beginning.offsets
    np.testing.assert_allclose(centred.visible, PLAN.observed_marginals, rtol=1e-6)
    np.testing.assert_array_equal(centred.hidden, np.full(5, 0.5))
    plain = Trainer(replace(PLAN, centered=False)).beginning.offsets
    assert not np.any(plain.visible)
    assert not np.any(plain.hidden)


def test_a_step_too_large_is_taken_back_until_learning_recovers() -> None:
    visible, observed = small_table()
    monitor, training = small_monitor(visible, observed)
    plan = replace(PLAIN, learning_rate=30.0, n_epochs=40, patience=4)
    result = Trainer(plan, monitor).train(visible, training)
    history = result.history
    assert_finite(result.machines)
    n_rollbacks = int(history["rolled_back"].sum())
    assert 1 <= n_rollbacks <= 5
    assert history["learning_rate"][-1] == pytest.approx(30 * 0.25**n_rollbacks)
    assert np.all(np.isfinite(history["gradient_norm"]))
    assert monitor.losses(result.machines).total[0] == pytest.approx(
        np.nanmin(history["loss"]), rel=1e-5
    )


def steep(learning_rate: float, is_monitored: bool) -> TrainingResult:
    visible, observed = small_table()
    monitor, training = small_monitor(visible, observed)
    plan = replace(PLAIN, learning_rate=learning_rate, n_epochs=12, patience=1)
    return Trainer(plan, monitor if is_monitored else None).train(visible, training)


@pytest.mark.parametrize("is_monitored", [True, False])
def test_a_step_far_too_large_never_ends_in_numbers_that_are_none(is_monitored: bool) -> None:
    result = steep(1e3, is_monitored)
    assert_finite(result.machines)
    assert result.history["rolled_back"].any()


@pytest.mark.parametrize("is_monitored", [True, False])
def test_running_away_again_and_again_is_an_error(is_monitored: bool) -> None:
    with pytest.raises(DivergenceError, match=r"6 times, .* from 1e\+12 .* smaller learning_rate"):
        steep(1e12, is_monitored)


def test_a_training_all_of_whose_epochs_ran_away_is_an_error() -> None:
    plan = replace(PLAIN, learning_rate=1e12, n_epochs=2)
    with pytest.raises(DivergenceError, match=r"2 times, .* from 1e\+12 down to 2.5e\+11"):
        trained(plan)


def test_a_pass_that_runs_away_is_an_error() -> None:
    trainer = Trainer(replace(PLAIN, learning_rate=1e12))
    with pytest.raises(DivergenceError, match=r"with a learning rate of 1e\+12"):
        trainer.one_pass(*small_table(), trainer.first_state(128), 0)


def test_passes_one_by_one() -> None:
    trainer = Trainer(PLAN)
    state = trainer.first_state(128)
    for n_passes in range(3):
        state = trainer.one_pass(*small_table(), state, n_passes)
    assert_same_bits(state.parameters, trained(replace(PLAN, n_epochs=3)).machines)


class Line:
    """Stands in for the line of progress."""

    last: Line

    def __init__(self, what: str, total: int, verbose: bool) -> None:
        self.total, self.shown, self.closed = total, [], []  # type: ignore[var-annotated]
        Line.last = self

    def show(self, done: int, note: str) -> None:
        self.shown.append((done, note))

    def close(self, note: str) -> None:
        self.closed.append(note)


def test_progress_is_shown_and_the_line_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer_module, "ProgressLine", Line)
    trained(replace(PLAN, n_epochs=2), scripted(0.25, 0.5))
    assert Line.last.total == 2
    assert Line.last.shown == [(1, "held-out loss 0.2500"), (2, "held-out loss 0.5000")]
    assert Line.last.closed == ["stopped by epochs, best epoch 1"]


def test_the_line_is_closed_before_an_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer_module, "ProgressLine", Line)
    with pytest.raises(DivergenceError):
        trained(replace(PLAIN, learning_rate=1e12))
    assert Line.last.closed == ["ended by an error"]
