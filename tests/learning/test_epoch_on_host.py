"""Small machines trained by NumPy: what a program would do, without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.learning import trainer
from halfseen.learning.data_started_cd import DataStartedCD, drawn_noise_of_update
from halfseen.learning.epoch import epoch_order, rows_on_device
from halfseen.learning.epoch_on_host import goes_on_host, is_on_host, run_epoch_on_host
from halfseen.learning.lossy_cd import LossyCD
from halfseen.learning.objective import Batch
from halfseen.learning.optimiser import Optimiser, Rates
from halfseen.learning.trainer import Trainer, TrainingPlan
from halfseen.machine.visible_layer import VisibleLayer
from learning.small import (
    LAYER,
    N_ROWS,
    PLAN,
    are_same_bits,
    assert_same_bits,
    small_monitor,
    small_table,
)

# The same mathematics is held by tests/rbm.
pytestmark = pytest.mark.long

ADAM = Optimiser("adam", clip_norm=10.0)
RATES = Rates(0.02, 0.001, -4.0, 0.2)


def some_machine(seed: int = 0) -> Any:
    """A state on the host whose parameters are not small."""
    rng = np.random.default_rng(seed)
    state = Trainer(PLAN).first_state(128)
    parameters = [
        leaf + 0.3 * rng.standard_normal(leaf.shape).astype(np.float32) for leaf in state.parameters
    ]
    return state._replace(parameters=type(state.parameters)(*parameters))


def some_batch(n_rows: int = 20) -> Any:
    visible, observed = small_table(n_rows=n_rows)
    weight = np.full(n_rows, 1 / n_rows, np.float32)
    values: Any = np.where(observed, visible, np.float32(0))
    leaves: tuple[Any, ...] = (values, observed, weight, np.arange(n_rows))
    return Batch(*leaves)


def test_an_update_is_what_jax_makes_of_the_same_random_numbers() -> None:
    state, batch = some_machine(), some_batch()
    parameters, memory = (jax.tree.map(lambda leaf: leaf[0], part) for part in (state[0], state[2]))
    beginning = jax.device_get(Trainer(PLAN).beginning)
    noise = drawn_noise_of_update(np.random.default_rng(1), LAYER, PLAN.n_hidden, 20)
    objective = DataStartedCD(1, 0.01)
    given = parameters, LAYER, batch, memory, beginning, noise
    ours = objective.gradient_on_host(*given)
    on_device = [part if part is LAYER else jax.tree.map(jnp.asarray, part) for part in given]
    theirs: Any = objective.gradient_on_host(*on_device)
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert isinstance(one, np.ndarray)
        assert isinstance(other, jax.Array)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def run(state: Any, order: Any, epoch: int = 0, first_batch: int = 0, seed: int = 7) -> Any:
    shape: dict[str, Any] = {"layer": LAYER, "objective": PLAN.objective, "optimiser": ADAM}
    given = rows_on_device(*small_table()), order, RATES, Trainer(PLAN).beginning
    return run_epoch_on_host(state, *given, seed, epoch, first_batch, **shape)


def test_an_epoch_cut_in_parts_is_the_same() -> None:
    order = epoch_order(7, 0, N_ROWS, 20, 1)
    whole, _ = run(some_machine(), order)
    part = some_machine()
    for first in range(order.n_batches):
        own = order._replace(
            rows=order.rows[:, first : first + 1],
            weight=order.weight[first : first + 1],
            n_batches=1,
        )
        part, _ = run(part, own, first_batch=first)
    assert_same_bits(part, whole)


@pytest.mark.parametrize("other", [{"epoch": 1}, {"first_batch": 1}, {"seed": 8}])
def test_random_numbers_belong_to_seed_epoch_and_minibatch(other: dict[str, int]) -> None:
    order = epoch_order(7, 0, N_ROWS, 20, 1)
    whole, again, unlike = (run(some_machine(), order, **own)[0] for own in ({}, {}, other))
    assert_same_bits(again, whole)
    assert not are_same_bits(unlike.parameters, whole.parameters)


def test_padding_behind_the_rows_does_not_count() -> None:
    order = epoch_order(7, 0, N_ROWS, 20, 1)
    n_counted = int((order.weight[-1] > 0).sum()) if order.n_batches == len(order.weight) else 0
    further = np.where(order.weight[None] > 0, order.rows, 5)
    assert not np.array_equal(further, order.rows) or n_counted == 20
    assert_same_bits(run(some_machine(), order._replace(rows=further)), run(some_machine(), order))


@pytest.mark.parametrize("begins_on_host", [True, False])
def test_passes_go_on_where_they_began(begins_on_host: bool) -> None:
    """Of parts in turn one is short enough for the host, and the other is not."""
    short, long = replace(PLAN, batch_size=20), replace(PLAN, batch_size=2000)
    assert (short.begins_on_host, long.begins_on_host) == (True, False)
    plans = [short, long] if begins_on_host else [long, short]
    visible, observed = small_table()
    state = Trainer(plans[0]).first_state(128)
    for n_passes, plan in enumerate([*plans, plans[0]]):
        moved = Trainer(plan).one_pass(visible, observed, state, n_passes)
        assert is_on_host(moved) == begins_on_host
        assert not are_same_bits(moved.parameters, state.parameters)
        state = moved


def losses_of(plan: TrainingPlan) -> list[float]:
    visible, observed = small_table(n_rows=500)
    monitor, training = small_monitor(visible, observed)
    result = Trainer(plan, monitor).train(visible, training)
    return [record.loss for record in result.history if record.loss is not None]


def test_it_learns_as_a_program_does(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [replace(PLAN, n_epochs=20, seed=seed) for seed in range(5)]
    assert all(plan.begins_on_host for plan in plans)
    on_host = [losses_of(plan) for plan in plans]
    monkeypatch.setattr(trainer, "goes_on_host", lambda *_: False)
    by_program = [losses_of(plan) for plan in plans]
    ends = [float(np.mean([losses[-1] for losses in all_])) for all_ in (on_host, by_program)]
    assert all(losses[-1] < 0.8 * losses[0] for losses in on_host)
    assert ends[0] == pytest.approx(ends[1], rel=0.1)


def test_a_monitor_judges_machines_of_the_host_as_those_of_a_device() -> None:
    monitor, _ = small_monitor(*small_table())
    machines = some_machine().parameters
    for one, other in zip(
        monitor.losses(machines),
        monitor.losses(jax.tree.map(jnp.asarray, machines)),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize(
    "changed",
    [
        {"layer": VisibleLayer(784, 200)},
        {"objective": LossyCD(1, 0.01)},
        {"objective": DataStartedCD(2, 0.01)},
        {"optimiser": Optimiser("sgd")},
        {"optimiser": Optimiser("adam")},
        {"n_machines": 2},
        {"batch_size": 1000},
    ],
)
def test_everything_else_is_left_to_a_program(changed: dict[str, Any]) -> None:
    usual: dict[str, Any] = {
        "layer": LAYER,
        "objective": DataStartedCD(1, 0.01),
        "optimiser": ADAM,
        "n_hidden": 10,
        "batch_size": 20,
        "n_machines": 1,
    }
    assert goes_on_host(**usual)
    assert not goes_on_host(**(usual | changed))


def test_so_are_machines_beside_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert not PLAN.begins_on_host
