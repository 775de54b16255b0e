"""Annealed estimates against the exact evidence, from both sides."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import BERNOULLI, MIXED, Case
from exact.reference import Floats, draw
from halfseen.machine.annealed import (
    AnnealedEstimate,
    annealed_log_observed,
    at_temperature,
    reverse_annealed_log_partition,
)
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_CHAINS = 300

MACHINES = [BERNOULLI, MIXED, MIXED.with_weights(0.5), MIXED.with_weights(-0.8)]
NAMES = ["bernoulli", "mixed", "mixed and weak", "mixed and mirrored"]


@compiled
def forward(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    key: jax.Array,
    base_bias: jax.Array,
    n_temperatures: int,
) -> AnnealedEstimate:
    return annealed_log_observed(
        parameters,
        layer,
        visible,
        observed,
        key,
        base_bias=base_bias,
        n_temperatures=n_temperatures,
        n_chains=N_CHAINS,
    )


N_RUNS, N_FEW = 50, 5


@compiled
def from_both_sides(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    samples: jax.Array,
    key: jax.Array,
    base_bias: jax.Array,
    n_temperatures: int,
) -> tuple[AnnealedEstimate, AnnealedEstimate]:
    """log Z with few chains, upwards from independent units and downwards from ``samples``."""
    nothing = jnp.zeros((1, layer.n_visible), bool)
    upwards = annealed_log_observed(
        parameters,
        layer,
        jnp.zeros((1, layer.n_visible), samples.dtype),
        nothing,
        key,
        base_bias=base_bias,
        n_temperatures=n_temperatures,
        n_chains=N_FEW,
    )
    downwards = reverse_annealed_log_partition(
        parameters, layer, samples, key, base_bias=base_bias, n_temperatures=n_temperatures
    )
    return upwards, downwards


def base_bias(case: Case) -> Floats:
    """Some independent machine, not the visible biases of the machine itself."""
    return np.random.default_rng(4).normal(scale=0.5, size=case.machine.n_visible)


def estimate(
    case: Case, seed: int, n_temperatures: int, visible: Floats | None = None
) -> AnnealedEstimate:
    found = forward(
        case.parameters,
        case.layer,
        case.visible if visible is None else visible,
        case.observed,
        jax.random.key(seed),
        base_bias(case),
        n_temperatures,
    )
    return AnnealedEstimate(*found)


def many_runs(n_temperatures: int) -> tuple[Floats, Floats]:
    """log Z of the mixed machine minus its exact value, N_RUNS times from both sides."""
    n = N_RUNS * N_FEW
    rng = np.random.default_rng(0)
    samples = draw(MIXED.machine, MIXED.visible[0], MIXED.observed[0], n, rng)
    theta, base = MIXED.parameters, base_bias(MIXED)
    errors = []
    for seed, few in enumerate(samples.reshape(N_RUNS, N_FEW, -1)):
        key = jax.random.key(seed)
        both = from_both_sides(theta, MIXED.layer, few, key, base, n_temperatures)
        errors.append([float(side.log_observed[0]) - MIXED.log_observed[0] for side in both])
    upwards, downwards = np.array(errors).T
    return upwards, downwards


def standard_error(values: Floats) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


@pytest.mark.parametrize("case", MACHINES, ids=NAMES)
def test_evidence_lies_within_its_standard_errors(case: Case) -> None:
    deviations = []
    open_rows = np.any(~case.observed, axis=1)
    for seed in range(4):
        found = estimate(case, seed, 40)
        error = np.asarray(found.standard_error)[open_rows]
        assert np.all((error > 0) & (error < 0.1))
        off = np.asarray(found.log_observed) - case.log_observed
        deviations.append(off[open_rows] / error)
    assert np.max(np.abs(deviations)) < 4
    # Neither too small nor too large an error is claimed.
    assert 0.5 < np.sqrt(np.mean(np.square(deviations))) < 1.6


@pytest.mark.parametrize("case", MACHINES, ids=NAMES)
def test_a_fully_observed_row_is_exact(case: Case) -> None:
    found = estimate(case, 0, 3)
    assert float(found.log_observed[1]) == pytest.approx(case.log_observed[1], rel=1e-12)
    assert float(found.standard_error[1]) < 1e-12


def test_forward_is_below_and_reverse_above_on_average() -> None:
    upwards, downwards = many_runs(n_temperatures=2)
    assert np.mean(upwards) < -3 * standard_error(upwards)
    assert np.mean(downwards) > 3 * standard_error(downwards)


def test_ratios_of_partition_functions_are_unbiased_in_both_directions() -> None:
    upwards, downwards = many_runs(n_temperatures=20)
    for ratio in (np.exp(upwards), np.exp(-downwards)):
        assert abs(np.mean(ratio) - 1) < 4 * standard_error(ratio)
        assert standard_error(ratio) < 0.1


def test_more_temperatures_shrink_the_error() -> None:
    open_rows = np.any(~MIXED.observed, axis=1)
    true_error, claimed = [], []
    for n_temperatures in (2, 12, 72):
        found = [estimate(MIXED, seed, n_temperatures) for seed in range(5)]
        off = [(np.asarray(one.log_observed) - MIXED.log_observed)[open_rows] for one in found]
        true_error.append(np.sqrt(np.mean(np.square(off))))
        claimed.append(np.mean([np.asarray(one.standard_error)[open_rows] for one in found]))
    assert true_error[0] > 1.5 * true_error[1] > 2.25 * true_error[2]
    assert claimed[0] > 1.5 * claimed[1] > 2.25 * claimed[2]


def test_temperatures_lead_from_independent_units_to_the_machine() -> None:
    theta, base = MIXED.parameters, base_bias(MIXED)
    anneal = jax.jit(at_temperature)
    cold = anneal(theta, base, 1.0)
    jax.tree.map(np.testing.assert_array_equal, cold, theta)
    hot = anneal(theta, base, 0.0)
    assert not np.any(np.asarray(hot.weights))
    assert not np.any(np.asarray(hot.hidden_bias))
    np.testing.assert_array_equal(hot.visible_bias, base)
    np.testing.assert_array_equal(hot.log_variance, theta.log_variance)


def test_companions_do_not_change_a_bit() -> None:
    plain = estimate(MIXED, 0, 20)
    order = np.arange(len(MIXED.visible))[::-1].copy()
    order[2] = 2
    other = Case("mixed", MIXED.machine, MIXED.visible[order], MIXED.observed[order])
    found = estimate(other, 0, 20)
    assert float(found.log_observed[2]) == float(plain.log_observed[2])
    assert float(found.standard_error[2]) == float(plain.standard_error[2])


@pytest.mark.parametrize("behind", [1e9, np.nan])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    plain = estimate(MIXED, 0, 20)
    other = estimate(MIXED, 0, 20, visible=MIXED.with_behind(behind))
    jax.tree.map(np.testing.assert_array_equal, other, plain)


def test_precision_of_the_rows_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)

    def run(visible: jax.Array) -> AnnealedEstimate:
        return annealed_log_observed(
            theta,
            MIXED.layer,
            visible,
            jnp.asarray(MIXED.observed),
            jax.random.key(0),
            base_bias=theta.visible_bias,
            n_temperatures=2,
            n_chains=3,
        )

    shapes = jax.eval_shape(run, MIXED.visible.astype(np.float32))
    assert {leaf.dtype for leaf in shapes} == {jnp.dtype(jnp.float32)}
