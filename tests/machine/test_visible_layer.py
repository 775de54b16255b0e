"""Log partition, mean, variance, entropy and samples of every unit kind against enumeration."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ndtri

from exact.compiled import compiled
from exact.machines import CASES, EQUAL_GROUPS, MIXED, NAMES, Case, random_means
from exact.reference import Floats, block_states, log_normal_density
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise

pytestmark = pytest.mark.usefixtures("double_precision")

ALL_CASES = [*CASES, EQUAL_GROUPS]
ALL_NAMES = [*NAMES, EQUAL_GROUPS.name]


class Kinds(NamedTuple):
    """Everything the layer says at some inputs, and at some means."""

    log_partition: jax.Array
    first_derivative: jax.Array
    second_derivative: jax.Array
    mean: jax.Array
    mean_and_back: jax.Array
    entropy_at_mean: jax.Array
    entropy_elsewhere: jax.Array


def kinds(
    log_variance: jax.Array, layer: VisibleLayer, inputs: jax.Array, elsewhere: jax.Array
) -> Kinds:
    def total(x: jax.Array) -> jax.Array:
        return jnp.sum(layer.log_partition(x, log_variance))

    mean = layer.mean_from_input(inputs, log_variance)
    back = layer.mean_from_input(layer.input_from_mean(mean, log_variance), log_variance)
    return Kinds(
        log_partition=layer.log_partition(inputs, log_variance),
        first_derivative=jax.vmap(jax.grad(total))(inputs),
        second_derivative=jax.vmap(jax.hessian(total))(inputs),
        mean=mean,
        mean_and_back=back,
        entropy_at_mean=layer.relative_entropy(mean, log_variance),
        entropy_elsewhere=layer.relative_entropy(elsewhere, log_variance),
    )


def random_inputs(case: Case, n: int = 5) -> Floats:
    return np.random.default_rng(3).normal(scale=1.3, size=(n, case.machine.n_visible))


@lru_cache
def kinds_of(case_name: str) -> tuple[Floats, Floats, Kinds]:
    """Inputs, means elsewhere, and what the layer says of both."""
    case = next(case for case in ALL_CASES if case.name == case_name)
    inputs = random_inputs(case)
    elsewhere = random_means(case.machine, len(inputs), np.random.default_rng(5))
    found = compiled(kinds)(case.parameters.log_variance, case.layer, inputs, elsewhere)
    return inputs, elsewhere, found


def enumerated(case: Case, inputs: Floats) -> tuple[Floats, Floats, Floats]:
    """Log partition of every block, mean and covariance of the units, by visiting all states."""
    machine = case.machine
    log_partitions, mean = [], np.zeros(machine.n_visible)
    covariance = np.zeros((machine.n_visible, machine.n_visible))
    for index, block in enumerate(machine.blocks):
        states = block_states(machine, index, inputs[block], seen=False)
        values = np.array([value for value, _ in states])
        weight = np.exp(np.array([log_prior for _, log_prior in states]) + values @ inputs[block])
        probability = weight / weight.sum()
        log_partitions.append(np.log(weight.sum()))
        mean[block] = probability @ values
        centred = values - mean[block]
        covariance[block, block] = centred.T @ (probability[:, None] * centred)
    return np.array(log_partitions), mean, covariance


@pytest.mark.parametrize("case", ALL_CASES, ids=ALL_NAMES)
def test_log_partition_mean_and_variance_are_those_of_the_enumerated_block(case: Case) -> None:
    inputs, _, found = kinds_of(case.name)
    for row, x in enumerate(inputs):
        log_partition, mean, covariance = enumerated(case, x)
        np.testing.assert_allclose(found.log_partition[row], log_partition, rtol=1e-10)
        np.testing.assert_allclose(found.mean[row], mean, rtol=1e-10)
        np.testing.assert_allclose(found.first_derivative[row], mean, rtol=1e-10)
        np.testing.assert_allclose(found.second_derivative[row], covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", ALL_CASES, ids=ALL_NAMES)
def test_input_from_mean_inverts_mean_from_input(case: Case) -> None:
    _, _, found = kinds_of(case.name)
    np.testing.assert_allclose(found.mean_and_back, found.mean, rtol=1e-12, atol=1e-14)


def test_frequencies_of_zero_and_one_are_drawn_slightly_inwards() -> None:
    layer = VisibleLayer(0, 2, (3,))
    extreme = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    inputs = jax.jit(layer.input_from_mean)(extreme, np.zeros(0))
    assert np.all(np.isfinite(inputs))
    means = np.asarray(jax.jit(layer.mean_from_input)(inputs, np.zeros(0)))
    np.testing.assert_allclose(means, extreme, atol=3e-4)
    assert np.all((means > 0) & (means < 1))


@pytest.mark.parametrize("case", ALL_CASES, ids=ALL_NAMES)
def test_relative_entropy_is_the_legendre_transform(case: Case) -> None:
    inputs, elsewhere, found = kinds_of(case.name)
    log_partition, mean = np.asarray(found.log_partition), np.asarray(found.mean)

    def of_block(units: Floats) -> Floats:
        return np.add.reduceat(units, case.layer.first_unit_of_block, axis=-1)

    touching = log_partition - of_block(inputs * mean)
    np.testing.assert_allclose(found.entropy_at_mean, touching, rtol=1e-9, atol=1e-12)
    # Anywhere else the tangent lies above: the transform is the smallest of them.
    tangent = log_partition - of_block(inputs * elsewhere)
    assert np.all(tangent > np.asarray(found.entropy_elsewhere))


def test_entropy_of_certainty_is_zero() -> None:
    layer = VisibleLayer(0, 2, (3,))
    certain = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    np.testing.assert_array_equal(
        jax.jit(layer.relative_entropy)(certain, np.zeros(0)), np.zeros(3)
    )


def test_prior_is_a_normal_density_for_gaussian_units_and_one_for_the_others() -> None:
    row, variance = MIXED.visible[1], MIXED.machine.variance
    expected = [log_normal_density(row[unit], 0.0, variance[unit]) for unit in range(2)] + [0.0] * 5
    log_prior = jax.jit(MIXED.layer.log_prior)(row, MIXED.parameters.log_variance)
    np.testing.assert_allclose(log_prior, expected, rtol=1e-12)


def test_blocks_of_a_mixed_layer() -> None:
    layer = VisibleLayer(2, 3, (3, 2))
    assert (layer.n_visible, layer.n_blocks, layer.n_groups) == (10, 7, 2)
    assert layer.first_unit_of_block.tolist() == [0, 1, 2, 3, 4, 5, 8]
    units = jnp.arange(10.0)
    assert [part.tolist() for part in layer.split(units)] == [
        [0.0, 1.0],
        [2.0, 3.0, 4.0],
        [5.0, 6.0, 7.0, 8.0, 9.0],
    ]
    observed = jnp.array([True, False, False, True, False, False, False, False, True, True])
    assert layer.observed_blocks(observed).tolist() == [
        True,
        False,
        False,
        True,
        False,
        False,
        True,
    ]


def test_samples_follow_their_inputs() -> None:
    """Even steps through the quantiles instead of random numbers: no Monte-Carlo error."""
    n = 20_000
    quantiles = (np.arange(n) + 0.5) / n
    normal = ndtri(quantiles)
    noise = VisibleNoise(
        normal=jnp.stack([normal] * 2, axis=-1),
        uniform=jnp.stack([quantiles] * 3, axis=-1),
        group_uniform=jnp.stack([quantiles] * 2, axis=-1),
    )
    inputs = random_inputs(MIXED, 1)[0]
    sampler = jax.jit(MIXED.layer.sample_from_input)
    sample = np.asarray(sampler(noise, inputs, MIXED.parameters.log_variance))
    _, mean, covariance = enumerated(MIXED, inputs)
    np.testing.assert_allclose(sample[:, 2:].mean(axis=0), mean[2:], atol=2 / n)
    np.testing.assert_allclose(sample[:, :2].mean(axis=0), mean[:2], atol=1e-9)
    np.testing.assert_allclose(sample[:, :2].var(axis=0), np.diag(covariance)[:2], rtol=1e-3)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_pinned_samples_are_samples_where_nothing_was_observed(case: Case) -> None:
    shape = case.visible.shape[:1]
    log_variance = case.parameters.log_variance
    inputs = jnp.asarray(random_inputs(case, shape[0]))
    noise = case.layer.noise(jax.random.key(0), shape, inputs.dtype)
    free = case.layer.sample_from_input(noise, inputs, log_variance)
    found = case.layer.pinned_sample_from_input(
        jnp.asarray(case.visible), jnp.asarray(case.observed), noise, inputs, log_variance
    )
    np.testing.assert_array_equal(found, np.where(case.observed, case.visible, free))


def test_noise_has_one_number_for_each_block() -> None:
    draw_noise = jax.jit(MIXED.layer.noise, static_argnums=(1, 2))
    noise = draw_noise(jax.random.key(0), (1000, 1), jnp.dtype(jnp.float32))
    assert [part.shape for part in noise] == [(1000, 1, 2), (1000, 1, 3), (1000, 1, 2)]
    assert all(part.dtype == jnp.float32 for part in noise)
    assert len(np.unique(noise.normal)) == 2000
    assert abs(float(np.mean(noise.normal))) < 0.1
    assert np.all((np.asarray(noise.uniform) >= 0) & (np.asarray(noise.uniform) < 1))
    assert np.all((np.asarray(noise.group_uniform) >= 0) & (np.asarray(noise.group_uniform) < 1))
