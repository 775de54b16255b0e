"""Gibbs sampling leaves P(v_m | v_o) as it is, and leads to it from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.rbm.gibbs import gibbs_chain
from halfseen.rbm.model import RBM
from rbm.machines import OBSERVED, ROWS, Floats, States, exact, machine

pytestmark = pytest.mark.usefixtures("double_precision")

N_CHAINS = 30_000
FAR = 4.0  # standard errors that none of some forty moments of a correct kernel departs by

run = jax.jit(gibbs_chain, static_argnames="n_steps")


@jax.jit
def visible_given(rbm: RBM, hidden: Floats, row: Floats, observed: Floats) -> jax.Array:
    drawn = rbm.sample_visible_from_hidden(jax.random.key(9), hidden)
    return jnp.where(observed, row, drawn)


def chains_at_rest(rbm: RBM, states: States, index: int) -> jax.Array:
    """Exact draws from P(v | v_o): hidden units from their enumeration, then visible ones."""
    hidden = states.draw_hidden(N_CHAINS, seed=0)
    return visible_given(rbm, hidden, ROWS[index], OBSERVED[index])


def departure(chains: Floats, states: States) -> float:
    """Largest error of a first or second moment, in standard errors."""
    weight = states.probability.sum(axis=1)
    chains = np.asarray(chains)
    products = np.einsum("ni,nj->nij", chains, chains).reshape(len(chains), -1)
    expected = np.einsum("n,ni,nj->ij", weight, states.visible, states.visible).ravel()
    found = np.concatenate([chains, products], axis=1)
    error = np.abs(found.mean(axis=0) - np.concatenate([weight @ states.visible, expected]))
    spread = found.std(axis=0)
    moves = spread > 1e-9
    assert np.all(error[~moves] < 1e-9)
    return float(np.max(error[moves] / spread[moves])) * np.sqrt(len(chains))


@pytest.mark.parametrize("index", [0, 2, 3])
def test_the_distribution_is_stationary(index: int) -> None:
    rbm = machine()
    states, observed = exact(rbm)[index], OBSERVED[index]
    start = chains_at_rest(rbm, states, index)
    assert departure(start, states) < FAR
    end = np.asarray(run(rbm, jax.random.key(1), start, observed, n_steps=3))
    assert departure(end, states) < FAR
    np.testing.assert_array_equal(end[:, observed], np.asarray(start)[:, observed])
    assert np.all(np.any(end != start, axis=0) == ~observed)


def test_free_chains_are_chains_with_nothing_observed() -> None:
    rbm = machine()
    start = chains_at_rest(rbm, exact(rbm)[0], 0)
    clamped = run(rbm, jax.random.key(1), start, OBSERVED[0], n_steps=3)
    free = run(rbm, jax.random.key(1), start, None, n_steps=3)
    np.testing.assert_array_equal(free, clamped)


def test_chains_lead_to_the_distribution_from_elsewhere() -> None:
    rbm = machine()
    states, start = exact(rbm)[2], np.tile(ROWS[2], (N_CHAINS, 1))
    end = run(rbm, jax.random.key(2), start, OBSERVED[2], n_steps=15)
    assert departure(end, states) < FAR


@pytest.mark.parametrize("wrong", ["visible_bias", "hidden_bias", "weights", "log_variance"])
def test_the_kernel_of_another_machine_is_noticed(wrong: str) -> None:
    rbm = machine()
    states = exact(rbm)[0]
    start = chains_at_rest(rbm, states, 0)
    other = replace(rbm, **{wrong: getattr(rbm, wrong) + 0.3})
    end = run(other, jax.random.key(1), start, OBSERVED[0], n_steps=3)
    assert departure(end, states) > 2 * FAR
