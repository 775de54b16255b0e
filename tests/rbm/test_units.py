"""Each kind of unit: its mean, variance, entropy and samples all follow from its log partition."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.rbm.units import VisibleLayer
from rbm.machines import MIXED, Floats

pytestmark = pytest.mark.usefixtures("double_precision")

LAYERS = [VisibleLayer(2, 0), VisibleLayer(0, 2), VisibleLayer(0, 0, (4, 2, 3)), MIXED]
each_layer = pytest.mark.parametrize(
    "layer", LAYERS, ids=["gaussian", "bernoulli", "groups", "all"]
)


def inputs_of(layer: VisibleLayer, n: int = 6, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(scale=1.3, size=(n, layer.n_units))


def log_variance_of(layer: VisibleLayer) -> Floats:
    return np.log(np.linspace(0.5, 1.4, layer.n_gaussian))


@each_layer
def test_log_partition_generates_mean_and_variance(layer: VisibleLayer) -> None:
    log_variance = log_variance_of(layer)
    weights = np.random.default_rng(2).normal(size=(layer.n_units, 3))
    observed = np.zeros(layer.n_units, bool)
    observed[0] = layer.n_gaussian + layer.n_bernoulli > 0

    @jax.jit
    def both(inputs: jax.Array) -> tuple[jax.Array, ...]:
        def log_partition(inputs: jax.Array) -> jax.Array:
            return jnp.sum(layer.log_partition(inputs, log_variance))

        covariance = jnp.where(observed, 0.0, jax.hessian(log_partition)(inputs))
        mean = layer.mean(inputs, log_variance)
        missing = jnp.where(observed, 0.0, 1.0)
        variance = layer.hidden_input_variance(mean, missing, weights, log_variance)
        expected = jnp.diag(weights.T @ covariance @ weights)
        return mean, jax.grad(log_partition)(inputs), variance, expected

    for inputs in inputs_of(layer):
        mean, derivative, variance, expected = both(inputs)
        np.testing.assert_allclose(mean, derivative, rtol=1e-10)
        np.testing.assert_allclose(variance, expected, rtol=1e-9)


@each_layer
def test_entropy_is_the_legendre_transform_of_log_partition(layer: VisibleLayer) -> None:
    log_variance, inputs = log_variance_of(layer), inputs_of(layer)

    @jax.jit
    def gap(inputs: jax.Array, mean: jax.Array) -> jax.Array:
        conjugate = layer.log_partition(inputs, log_variance) - inputs * mean
        return jnp.sum(conjugate - layer.entropy(mean, log_variance), axis=-1)

    own = np.asarray(layer.mean(inputs, log_variance))
    np.testing.assert_allclose(gap(inputs, own), 0.0, atol=1e-12)
    assert np.all(np.asarray(gap(inputs, own[::-1])) > 0.01)


@each_layer
def test_inputs_from_mean_inverts_mean(layer: VisibleLayer) -> None:
    log_variance = log_variance_of(layer)
    mean = layer.mean(inputs_of(layer), log_variance)
    again = layer.mean(layer.inputs_from_mean(mean, log_variance), log_variance)
    np.testing.assert_allclose(again, mean, rtol=1e-10)


def test_certain_means_have_finite_inputs_and_no_entropy() -> None:
    layer, certain = VisibleLayer(0, 2, (3,)), np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    inputs = layer.inputs_from_mean(certain, np.zeros(0))
    assert np.all(np.isfinite(inputs))
    np.testing.assert_allclose(layer.mean(inputs, np.zeros(0)), certain, atol=1e-3)
    np.testing.assert_array_equal(layer.entropy(certain, np.zeros(0)), np.zeros(5))


@each_layer
def test_samples_have_the_mean_and_the_variance_of_their_units(layer: VisibleLayer) -> None:
    n, log_variance, inputs = 20_000, log_variance_of(layer), inputs_of(layer, 1)[0]
    mean = np.asarray(layer.mean(inputs, log_variance))
    repeated = jnp.broadcast_to(inputs, (n, layer.n_units))
    sample = np.asarray(jax.jit(layer.sample)(jax.random.key(0), repeated, log_variance))
    discrete = slice(layer.n_gaussian, None)
    variance = np.exp(log_variance)
    spread = np.concatenate([variance, (mean * (1 - mean))[discrete]])
    assert np.max(np.abs(sample.mean(axis=0) - mean) / np.sqrt(spread / n)) < 4
    np.testing.assert_allclose(sample[:, : layer.n_gaussian].var(axis=0), variance, rtol=0.05)
    assert set(np.unique(sample[:, discrete])) <= {0.0, 1.0}
    first = layer.n_gaussian + layer.n_bernoulli
    for size in layer.group_sizes:
        np.testing.assert_array_equal(sample[:, first : first + size].sum(axis=1), np.ones(n))
        first += size
    # Units and groups are sampled independently of each other.
    correlation = np.corrcoef(sample[:, 0], sample[:, -1])[0, 1]
    assert abs(correlation) < 4 / np.sqrt(n)
