"""Gibbs steps leave the enumerated distribution as it is, and lead to it."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit, ndtr

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from exact.reference import (
    Bools,
    Floats,
    TinyMachine,
    binary_configurations,
    code_of,
    draw,
    marginals,
)
from halfseen.machine.gibbs import free_gibbs, gibbs_noise, pinned, pinned_gibbs, pinned_gibbs_step

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_CHAINS = 20_000
# In units of what exact draws would show; they stay below with near certainty.
FAR = 4.0
# The mean of Kolmogorov's distribution.
KOLMOGOROV_MEAN = 0.8687

free = compiled(free_gibbs)
clamped = compiled(pinned_gibbs)


def variation(expected: Floats, codes: Floats) -> float:
    """Total variation of counted configurations, in units of its expectation for exact draws."""
    n = len(codes)
    counted = np.bincount(code_of(codes), minlength=len(expected)) / n
    floor = 0.5 * np.sum(np.sqrt(2 * expected * (1 - expected) / (np.pi * n)))
    return float(0.5 * np.sum(np.abs(counted - expected)) / floor)


def kolmogorov_smirnov(machine: TinyMachine, of_hidden: Floats, unit: int, sample: Floats) -> float:
    """Distance to the mixture over h of N(sigma^2 x, sigma^2), in units of its expectation."""
    inputs = machine.visible_bias[unit] + (
        binary_configurations(machine.n_hidden) @ machine.weights[unit]
    )
    variance = machine.variance[unit]
    ordered = np.sort(sample)
    cumulative = ndtr((ordered[:, None] - variance * inputs) / np.sqrt(variance)) @ of_hidden
    steps = np.arange(len(sample) + 1) / len(sample)
    distance = np.max(np.maximum(steps[1:] - cumulative, cumulative - steps[:-1]))
    return float(distance * np.sqrt(len(sample)) / KOLMOGOROV_MEAN)


def departures(
    machine: TinyMachine, values: Floats, observed: Bools, chains: Floats
) -> list[float]:
    """How far chains are from P(v_m, h | v_o): 1 is what exact draws show."""
    missing = ~observed
    uniform = np.random.default_rng(11).random((len(chains), machine.n_hidden))
    hidden = (uniform < expit(chains @ machine.weights + machine.hidden_bias)).astype(np.float64)
    expected = marginals(machine, values, observed)
    found = [variation(expected.hidden, hidden)]
    if np.any(missing[machine.n_gaussian :]):
        found.append(variation(expected.discrete, chains[:, machine.n_gaussian :]))
    found += [
        kolmogorov_smirnov(machine, expected.hidden, unit, chains[:, unit])
        for unit in range(machine.n_gaussian)
        if missing[unit]
    ]
    return found


def free_steps_of(machine: TinyMachine) -> Floats:
    """Exact draws of the mixed machine, after three free steps of this one."""
    row, nothing = MIXED.visible[0], MIXED.observed[0]
    start = draw(MIXED.machine, row, nothing, N_CHAINS, np.random.default_rng(1))
    parameters = replace(MIXED, machine=machine).parameters
    end: Floats = free(parameters, MIXED.layer, start, jax.random.key(1), 3)
    assert np.mean(np.any(end != start, axis=1)) > 0.5
    return end


def test_free_chains_are_stationary() -> None:
    end = free_steps_of(MIXED.machine)
    assert max(departures(MIXED.machine, MIXED.visible[0], MIXED.observed[0], end)) < FAR


@pytest.mark.parametrize("row", [0, 3], ids=["nothing observed", "something observed"])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_pinned_chains_are_stationary(case: Case, row: int) -> None:
    values, seen = case.visible[row], case.observed[row]
    start = draw(case.machine, values, seen, N_CHAINS, np.random.default_rng(2))
    end = clamped(case.parameters, case.layer, start, seen, jax.random.key(2), 3)
    np.testing.assert_array_equal(end[:, seen], start[:, seen])
    assert np.mean(np.any(end != start, axis=1)) > 0.3
    assert max(departures(case.machine, values, seen, end)) < FAR


@pytest.mark.parametrize("row", [0, 3])
def test_chains_lead_to_the_distribution_from_elsewhere(row: int) -> None:
    values, seen = MIXED.visible[row], MIXED.observed[row]
    start = np.tile(values, (N_CHAINS, 1))
    before = max(departures(MIXED.machine, values, seen, start))
    end = np.asarray(clamped(MIXED.parameters, MIXED.layer, start, seen, jax.random.key(3), 15))
    assert before > 10 * FAR
    assert max(departures(MIXED.machine, values, seen, end)) < FAR


WRONG = {
    "a": replace(MIXED.machine, visible_bias=MIXED.machine.visible_bias + 0.2),
    "b": replace(MIXED.machine, hidden_bias=np.zeros_like(MIXED.machine.hidden_bias)),
    "w": replace(MIXED.machine, weights=0.9 * MIXED.machine.weights),
    "variance": replace(MIXED.machine, variance=1.1 * MIXED.machine.variance),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_kernel_is_noticed(wrong: TinyMachine) -> None:
    """The same measure, the same number of steps: the tests above can fail."""
    end = free_steps_of(wrong)
    assert max(departures(MIXED.machine, MIXED.visible[0], MIXED.observed[0], end)) > FAR


def test_forgetting_what_is_observed_is_noticed() -> None:
    row, seen = MIXED.visible[3], MIXED.observed[3]
    start = draw(MIXED.machine, row, seen, N_CHAINS, np.random.default_rng(2))
    end = free(MIXED.parameters, MIXED.layer, start, jax.random.key(2), 3)
    end = np.where(seen, start, np.asarray(end))
    assert max(departures(MIXED.machine, row, seen, end)) > FAR


def test_pinning() -> None:
    visible, elsewhere = jnp.array([1.0, jnp.nan]), jnp.array([5.0, 7.0])
    assert pinned(visible, jnp.array([True, False]), elsewhere).tolist() == [1.0, 7.0]


def test_with_nothing_observed_pinned_chains_are_free_chains() -> None:
    start = np.tile(MIXED.visible[0], (N_CHAINS, 1))
    nothing = np.zeros(10, dtype=bool)
    arguments = (MIXED.parameters, MIXED.layer, start)
    np.testing.assert_array_equal(
        clamped(*arguments, nothing, jax.random.key(4), 3),
        free(*arguments, jax.random.key(4), 3),
    )


def test_no_step_leaves_the_chains_where_they_are() -> None:
    start = np.tile(MIXED.visible[0], (N_CHAINS, 1))
    end = free(MIXED.parameters, MIXED.layer, start, jax.random.key(5), 0)
    np.testing.assert_array_equal(end, start)


def test_precision_of_the_chains_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)
    layer = MIXED.layer

    def step(visible: jax.Array, observed: jax.Array) -> jax.Array:
        noise = gibbs_noise(jax.random.key(0), layer, 4, (7,), visible.dtype)
        return pinned_gibbs_step(theta, layer, visible, observed, noise)

    end = jax.eval_shape(step, MIXED.visible.astype(np.float32), MIXED.observed)
    assert (end.shape, end.dtype) == ((7, 10), jnp.float32)
