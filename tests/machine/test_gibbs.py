"""Gibbs steps leave the enumerated distribution as it is, and lead to it."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit, ndtr

from exact.compiled import compiled
from exact.machines import BERNOULLI, CASES, GAUSSIAN, MIXED, NAMES, Case
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

pytestmark = pytest.mark.usefixtures("double_precision")

N_CHAINS = 50_000
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


def key(seed: int) -> jax.Array:
    return jax.random.key(seed)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_free_chains_are_stationary(case: Case) -> None:
    row, nothing = case.visible[0], case.observed[0]
    start = draw(case.machine, row, nothing, N_CHAINS, np.random.default_rng(1))
    end = np.asarray(free(case.parameters, case.layer, start, key(1), 3))
    assert np.mean(np.any(end != start, axis=1)) > 0.5
    assert max(departures(case.machine, row, nothing, end)) < FAR


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_pinned_chains_are_stationary(case: Case) -> None:
    row, seen = case.visible[3], case.observed[3]
    assert 0 < seen.sum() < len(seen)
    start = draw(case.machine, row, seen, N_CHAINS, np.random.default_rng(2))
    end = np.asarray(clamped(case.parameters, case.layer, start, seen, key(2), 3))
    np.testing.assert_array_equal(end[:, seen], start[:, seen])
    assert np.mean(np.any(end != start, axis=1)) > 0.3
    assert max(departures(case.machine, row, seen, end)) < FAR


@pytest.mark.parametrize("row", [0, 3])
def test_chains_lead_to_the_distribution_from_elsewhere(row: int) -> None:
    values, seen = MIXED.visible[row], MIXED.observed[row]
    start = np.tile(values, (N_CHAINS, 1))
    before = max(departures(MIXED.machine, values, seen, start))
    end = np.asarray(clamped(MIXED.parameters, MIXED.layer, start, seen, key(3), 15))
    assert before > 10 * FAR
    assert max(departures(MIXED.machine, values, seen, end)) < FAR


def wrong_machines(machine: TinyMachine) -> list[TinyMachine]:
    return [
        replace(machine, visible_bias=machine.visible_bias + 0.2),
        replace(machine, hidden_bias=np.zeros_like(machine.hidden_bias)),
        replace(machine, weights=0.9 * machine.weights),
        replace(machine, variance=1.1 * machine.variance),
    ]


@pytest.mark.parametrize("case", [GAUSSIAN, MIXED], ids=["gaussian", "mixed"])
@pytest.mark.parametrize("wrong", range(4), ids=["a", "b", "w", "variance"])
def test_a_wrong_kernel_is_noticed(case: Case, wrong: int) -> None:
    """The same measure, the same number of steps: the tests above can fail."""
    row, nothing = case.visible[0], case.observed[0]
    start = draw(case.machine, row, nothing, N_CHAINS, np.random.default_rng(1))
    other = replace(case, machine=wrong_machines(case.machine)[wrong])
    end = np.asarray(free(other.parameters, case.layer, start, key(1), 3))
    assert max(departures(case.machine, row, nothing, end)) > FAR


def test_forgetting_what_is_observed_is_noticed() -> None:
    row, seen = MIXED.visible[3], MIXED.observed[3]
    start = draw(MIXED.machine, row, seen, N_CHAINS, np.random.default_rng(2))
    end = free(MIXED.parameters, MIXED.layer, start, key(2), 3)
    end = np.where(seen, start, np.asarray(end))
    assert max(departures(MIXED.machine, row, seen, end)) > FAR


def test_pinning() -> None:
    visible, elsewhere = jnp.array([1.0, jnp.nan]), jnp.array([5.0, 7.0])
    assert pinned(visible, jnp.array([True, False]), elsewhere).tolist() == [1.0, 7.0]


def test_with_nothing_observed_pinned_chains_are_free_chains() -> None:
    start = draw(
        BERNOULLI.machine,
        BERNOULLI.visible[0],
        BERNOULLI.observed[0],
        N_CHAINS,
        np.random.default_rng(1),
    )
    nothing = np.zeros(5, dtype=bool)
    arguments = (BERNOULLI.parameters, BERNOULLI.layer, start)
    np.testing.assert_array_equal(
        clamped(*arguments, nothing, key(4), 3), free(*arguments, key(4), 3)
    )


def test_no_step_leaves_the_chains_where_they_are() -> None:
    start = np.tile(BERNOULLI.visible[0], (N_CHAINS, 1))
    end = free(BERNOULLI.parameters, BERNOULLI.layer, start, key(5), 0)
    np.testing.assert_array_equal(end, start)


def test_precision_of_the_chains_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)
    layer = MIXED.layer

    def step(visible: jax.Array, observed: jax.Array) -> jax.Array:
        noise = gibbs_noise(key(0), layer, 4, (7,), visible.dtype)
        return pinned_gibbs_step(theta, layer, visible, observed, noise)

    end = jax.eval_shape(step, MIXED.visible.astype(np.float32), MIXED.observed)
    assert (end.shape, end.dtype) == ((7, 10), jnp.float32)
