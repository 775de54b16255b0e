"""Order of rows, padding, and machines that do not know of each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.learning import epoch as epoch_module
from halfseen.learning.epoch import Rows, epoch_order, padded_rows, rows_on_device, run_epoch
from halfseen.learning.optimiser import Rates
from halfseen.learning.trainer import Trainer
from learning.small import N_ROWS, PERSISTENT_PLAN, are_same_bits, assert_same_bits, small_table

RATES = Rates(0.02, 0.001, -4.6, 0.19)


@given(st.integers(0, 10**6))
def test_padding_is_at_most_an_eighth_or_a_few_rows(n_rows: int) -> None:
    padded = padded_rows(n_rows)
    assert n_rows <= padded <= max(n_rows * 9 / 8 + 1, n_rows + 63)
    assert padded_rows(padded) == padded


def test_rows_on_device_show_nothing_behind_holes() -> None:
    visible, observed = small_table()
    table = rows_on_device(visible, observed)
    assert table.visible.shape == table.observed.shape == (128, 7)
    np.testing.assert_array_equal(table.visible[:N_ROWS], np.where(observed, visible, 0))
    np.testing.assert_array_equal(table.observed[:N_ROWS], observed)
    assert not np.any(table.visible[N_ROWS:])
    assert not np.any(table.observed[N_ROWS:])
    several = rows_on_device(np.stack([visible] * 2), np.stack([observed] * 2))
    assert several.visible.shape == (2, 128, 7)
    np.testing.assert_array_equal(several.visible[1], table.visible)


SEEDS = st.integers(0, 99)


@given(SEEDS, SEEDS, st.integers(1, 300), st.integers(1, 50), st.integers(1, 3))
def test_every_row_comes_once_and_counts_in_its_minibatch(
    seed: int, epoch: int, n_rows: int, batch_size: int, n_replicas: int
) -> None:
    order = epoch_order(seed, epoch, n_rows, batch_size, n_replicas)
    assert order.n_batches == -(-n_rows // batch_size)
    counted = order.weight > 0
    for replica in range(n_replicas):
        rows = order.rows[replica][counted]
        np.testing.assert_array_equal(np.sort(rows), np.arange(n_rows))
    sums = order.weight.sum(axis=1)
    np.testing.assert_allclose(sums[: order.n_batches], 1, rtol=1e-5)
    assert not sums[order.n_batches :].any()
    again = epoch_order(seed, epoch, n_rows, batch_size, n_replicas)
    np.testing.assert_array_equal(order.rows, again.rows)
    assert order.rows.min() >= 0
    assert order.rows.max() < n_rows


def test_order_differs_between_epochs_machines_and_seeds() -> None:
    orders = [
        *epoch_order(0, 0, 50, 10, 3).rows,
        epoch_order(0, 1, 50, 10, 1).rows[0],
        epoch_order(1, 0, 50, 10, 1).rows[0],
    ]
    assert len({order.tobytes() for order in orders}) == 5


def test_tables_of_like_size_share_their_shapes() -> None:
    shapes = [epoch_order(0, 0, n, 10, 1).rows.shape for n in (65, 83, 128)]
    assert len(set(shapes)) == 1


def one_epoch(table: Any, n_machines: int, n_table_rows: int = 128, epoch: int = 0) -> Any:
    """One epoch over the 83 rows of a table that may be padded, always in the same order."""
    plan = replace(PERSISTENT_PLAN, n_machines=n_machines)
    trainer = Trainer(plan)
    state = trainer.first_state(n_table_rows)
    order = epoch_order(plan.seed, 0, N_ROWS, plan.batch_size, n_machines)
    result = run_epoch(
        state,
        table,
        order,
        RATES,
        trainer.beginning,
        plan.seed,
        epoch,
        layer=plan.layer,
        objective=plan.objective,
        optimiser=plan.optimiser,
    )
    return jax.device_get(result)


def padded_further(table: Rows, extra: int) -> Any:
    padding = ((0, extra), (0, 0))
    observed: Any = np.pad(table.observed, padding)
    visible: Any = np.pad(table.visible, padding, constant_values=7.0)
    return Rows(visible, observed)


def test_padding_changes_nothing() -> None:
    table = rows_on_device(*small_table())
    state, norm = one_epoch(table, 1)
    further, further_norm = one_epoch(padded_further(table, 13), 1, 141)
    for one, other in zip(state.parameters, further.parameters, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(norm, further_norm, rtol=1e-5)
    kept, further_kept = state.memory.positive, further.memory.positive
    np.testing.assert_allclose(kept[:, :N_ROWS], further_kept[:, :N_ROWS], atol=1e-5)


def three_tables(changed: int | None = None) -> Rows:
    tables = [small_table(seed) for seed in (1, 2, 3)]
    if changed is not None:
        tables[changed] = small_table(99)
    visible, observed = zip(*tables, strict=True)
    return rows_on_device(np.stack(visible), np.stack(observed))


@pytest.mark.parametrize("changed", [0, 2])
def test_machines_do_not_know_of_each_other(changed: int) -> None:
    before = one_epoch(three_tables(), 3)
    after = one_epoch(three_tables(changed), 3)
    for machine in range(3):

        def of(result: Any, machine: int = machine) -> Any:
            return jax.tree.map(lambda leaf: leaf[machine], result)

        assert are_same_bits(of(before), of(after)) == (machine != changed)


def test_machines_on_one_table_differ_from_each_other() -> None:
    state, norm = one_epoch(rows_on_device(*small_table()), 3)
    assert norm.shape == (3,)
    weights = state.parameters.weights
    assert len({weights[machine].tobytes() for machine in range(3)}) == 3


def test_a_table_for_each_machine_may_be_the_same_table() -> None:
    visible, observed = small_table()
    shared, _ = one_epoch(rows_on_device(visible, observed), 3)
    each, _ = one_epoch(rows_on_device(np.stack([visible] * 3), np.stack([observed] * 3)), 3)
    for one, other in zip(shared.parameters, each.parameters, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_table_of_its_own_for_a_single_machine() -> None:
    visible, observed = small_table()
    plain = one_epoch(rows_on_device(visible, observed), 1)
    own = one_epoch(rows_on_device(visible[None], observed[None]), 1)
    assert_same_bits(plain, own)


def test_randomness_depends_on_the_epoch() -> None:
    table = rows_on_device(*small_table())
    first, _ = one_epoch(table, 1, epoch=0)
    second, _ = one_epoch(table, 1, epoch=1)
    assert_same_bits(first, one_epoch(table, 1, epoch=0)[0])
    assert not are_same_bits(first.parameters, second.parameters)


def test_a_long_table_is_lent_and_what_is_behind_its_holes_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observed = np.random.default_rng(0).random((70, 3)) < 0.5
    table = np.where(observed, np.float32(1.0), np.float32(np.nan))
    padded = rows_on_device(table, observed)
    assert padded.visible.shape == (padded_rows(70), 3)
    assert np.isfinite(padded.visible).all()
    monkeypatch.setattr(epoch_module, "LONG", 70)
    lent = rows_on_device(table, observed)
    assert lent.visible.shape == table.shape
    np.testing.assert_array_equal(lent.observed, observed)
