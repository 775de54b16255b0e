"""Chains that stay where they came to, and arrive at the machine's distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.learning.lossy_cd import go_together
from halfseen.learning.objective import Objective
from halfseen.learning.persistent_cd import FullyPersistentCD, PersistentCD
from learning.sampled import (
    CASE,
    FAR,
    N_CHAINS,
    N_DRAWS,
    N_TABLE_ROWS,
    batch_of,
    departure,
    drawer,
)
from learning.small import are_same_bits, assert_same_bits

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_BEFORE = 15


def persistent(n_steps: Any) -> Objective:
    return PersistentCD(n_steps, N_CHAINS)


def fully_persistent(n_steps: Any) -> Objective:
    return FullyPersistentCD(n_steps, N_CHAINS)


draws = drawer(persistent)
full_draws = drawer(fully_persistent)


def seen_batch() -> Any:
    """Rows in which everything is observed: their positive term needs no chain."""
    batch = batch_of(CASE)
    everything = np.tile(CASE.visible, (len(batch.rows) // len(CASE.visible), 1))
    return batch._replace(visible=everything, observed=np.ones_like(batch.observed))


def test_with_many_steps_the_gradient_is_exact() -> None:
    batch = batch_of(CASE)
    found = departure(draws(batch, 14), batch)
    assert found.in_errors < FAR
    assert found.relative < 0.1


def test_negative_chains_arrive_step_by_step() -> None:
    batch = seen_batch()
    assert departure(draws(batch, 1), batch).in_errors > 2 * FAR
    found = departure(draws(batch, 1, N_BEFORE), batch)
    assert found.in_errors < FAR
    assert found.relative < 0.1


def test_the_positive_term_alone_starts_anew() -> None:
    batch = batch_of(CASE)
    assert departure(draws(batch, 1, N_BEFORE), batch).in_errors > FAR
    assert draws(batch, 1).memory.positive.shape[1:] == (0, 10)


def test_all_chains_arrive_step_by_step() -> None:
    batch = batch_of(CASE)
    assert departure(full_draws(batch, 1), batch).in_errors > 2 * FAR
    found = departure(full_draws(batch, 1, N_BEFORE), batch)
    assert found.in_errors < FAR
    assert found.relative < 0.1


@pytest.mark.parametrize("draw", [draws, full_draws], ids=["persistent", "fully persistent"])
def test_without_steps_chains_stay(draw: Any) -> None:
    batch = batch_of(CASE)
    once, often = draw(batch, 0, 0), draw(batch, 0, 3)
    assert_same_bits(once.memory, often.memory)
    assert once.memory.negative.shape == (N_DRAWS, N_CHAINS, 10)
    moved = draw(batch, 1, 0).memory.negative
    assert np.mean(np.any(moved != once.memory.negative, axis=-1)) > 0.9


def test_negative_term_is_that_of_the_chains_in_memory() -> None:
    found = draws(seen_batch(), 0)
    chains, machine = found.memory.negative[0], CASE.machine
    batch = seen_batch()

    def visible_hidden(rows: Any, weight: Any) -> Any:
        hidden = 1 / (1 + np.exp(-(rows @ machine.weights + machine.hidden_bias)))
        return (rows * weight[:, None]).T @ hidden

    expected = visible_hidden(batch.visible, batch.weight)
    expected -= visible_hidden(chains, np.full(N_CHAINS, 1 / N_CHAINS))
    np.testing.assert_allclose(found.gradient.weights[0], expected, rtol=1e-9, atol=1e-12)


def test_only_rows_that_count_are_written_back() -> None:
    batch = batch_of(CASE)
    n = len(batch.rows)
    # Only some rows are visited, out of order; padding repeats the place of row 0.
    counted = np.arange(n) < n - 60
    rows = np.where(counted, np.random.default_rng(0).permutation(n), 0)
    weight = counted / counted.sum()
    places = set(rows[counted])
    unvisited = np.array([place for place in range(N_TABLE_ROWS) if place not in places])
    assert len(unvisited) == 60 + N_TABLE_ROWS - n

    untouched = full_draws(batch._replace(weight=np.zeros(n)), 1).memory.positive
    kept = full_draws(batch._replace(rows=rows, weight=weight), 1).memory.positive
    np.testing.assert_array_equal(kept[:, unvisited], untouched[:, unvisited])
    visited = rows[counted]
    seen = batch.observed[counted]
    pinned = np.broadcast_to(batch.visible[counted], kept[:, visited].shape)
    np.testing.assert_array_equal(kept[:, visited][:, seen], pinned[:, seen])
    changed = (kept[:, visited] != untouched[:, visited])[:, ~seen]
    assert 0.3 < np.mean(changed) < 1


def test_padding_at_the_place_of_a_visited_row_leaves_its_chain_alone() -> None:
    batch = batch_of(CASE)
    n = len(batch.rows)
    weight = np.where(np.arange(n) < n - 60, 1.0, 0.0)
    # The padding claims other values for row 0; they must not reach its chain.
    rows = np.where(weight > 0, batch.rows, 0)
    padding = batch._replace(weight=weight / weight.sum(), rows=rows)
    other = padding._replace(visible=np.where(weight[:, None] > 0, batch.visible, 1.0))
    assert_same_bits(full_draws(padding, 1).memory, full_draws(other, 1).memory)


@pytest.mark.parametrize("draw", [draws, full_draws], ids=["persistent", "fully persistent"])
def test_hidden_values_are_not_read(draw: Any) -> None:
    batch = batch_of(CASE)
    behind = batch._replace(visible=np.where(batch.observed, batch.visible, 1e9))
    once = draw(batch, 2)
    assert_same_bits(once, draw(behind, 2))
    seen = batch._replace(visible=np.where(batch.observed, 1 - batch.visible, batch.visible))
    assert not are_same_bits(once.gradient, draw(seen, 2).gradient)


def few_persistent(n_steps: Any) -> Objective:
    return PersistentCD(n_steps, n_chains=len(CASE.visible))


few_draws = drawer(few_persistent)


@pytest.mark.parametrize("n_steps", [0, 2])
def test_few_rows_and_chains_go_together(n_steps: int) -> None:
    """The gradient is the contrast of the rows, all observed, and of where the chains came to."""
    batch = batch_of(CASE, 1)
    batch = batch._replace(visible=CASE.visible, observed=np.ones_like(batch.observed))
    n_chains = len(CASE.visible)
    assert go_together(len(batch.rows), n_chains)
    found = few_draws(batch, n_steps)
    chains, machine = found.memory.negative[0], CASE.machine
    assert chains.shape == (n_chains, 10)
    difference = np.zeros_like(machine.weights)
    for rows, weight in ((batch.visible, batch.weight), (chains, np.full(n_chains, -1 / n_chains))):
        hidden = 1 / (1 + np.exp(-(rows @ machine.weights + machine.hidden_bias)))
        difference += (rows * weight[:, None]).T @ hidden
    np.testing.assert_allclose(found.gradient.weights[0], difference, rtol=1e-9, atol=1e-12)
