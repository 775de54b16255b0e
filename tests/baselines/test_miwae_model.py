"""The model of MIWAE against scipy, and its bound against an exact likelihood."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from halfseen.baselines._miwae_model import (
    SMALLEST_SCALE,
    Autoencoder,
    Decoded,
    Model,
    bound,
    decoded,
    encoder_input,
    log_density_of_features,
    log_gamma_half_step,
    log_importance_weights,
    log_probability_of_labels,
)
from halfseen.baselines._network_table import NetworkTable
from halfseen.baselines._perceptron import Layer

GENERATOR = np.random.default_rng(0)


def test_half_a_step_of_log_gamma() -> None:
    a = np.linspace(1.5, 100, 500)
    expected = gammaln(a + 0.5) - gammaln(a)
    assert np.asarray(log_gamma_half_step(jnp.asarray(a, jnp.float32))) == pytest.approx(
        expected, abs=1e-5
    )


def test_densities_are_those_of_scipy() -> None:
    location, x = GENERATOR.normal(size=(2, 4, 5))
    scale, freedom = GENERATOR.uniform(0.1, 2, (4, 5)), GENERATOR.uniform(3, 20, (4, 5))
    row = Decoded(*(jnp.asarray(a, jnp.float32) for a in (location, scale, freedom, x)))
    x_device = jnp.asarray(x, jnp.float32)
    assert np.asarray(log_density_of_features(row, x_device, "student")) == pytest.approx(
        student.logpdf(x, freedom, location, scale), rel=1e-4, abs=1e-4
    )
    assert np.asarray(log_density_of_features(row, x_device, "gaussian")) == pytest.approx(
        norm.logpdf(x, location, scale), rel=1e-4, abs=1e-4
    )


def test_labels_are_bernoulli_or_one_softmax() -> None:
    inputs = GENERATOR.normal(size=(6, 3))
    row = Decoded(*(jnp.asarray(inputs, jnp.float32) for _ in range(4)))
    labels = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    p = 1 / (1 + np.exp(-inputs))
    said = log_probability_of_labels(row, jnp.asarray(labels, jnp.float32), False)
    assert np.asarray(said) == pytest.approx(
        np.log(np.where(labels == 1, p, 1 - p)), rel=1e-4, abs=1e-5
    )
    said = log_probability_of_labels(row, jnp.asarray(labels, jnp.float32), True)
    p = np.exp(inputs) / np.exp(inputs).sum(axis=1, keepdims=True)
    assert np.asarray(said.sum(axis=1)) == pytest.approx(np.log((p * labels).sum(axis=1)), rel=1e-4)


def linear_table_and_model() -> tuple[NetworkTable, Autoencoder, np.ndarray, float]:
    """A decoder without hidden layer: then a row is Gaussian, and its likelihood known."""
    loadings = GENERATOR.normal(size=(2, 4)).astype(np.float32)
    spread = 0.7
    scale_input = np.log(np.expm1(spread - SMALLEST_SCALE))
    decoder = Layer(
        jnp.asarray(np.concatenate([loadings, np.zeros((2, 4 + 1))], axis=1), jnp.float32),
        jnp.asarray(np.concatenate([np.zeros(4), np.full(4, scale_input), [0.0]]), jnp.float32),
    )
    encoder = Layer(jnp.zeros((5, 4)), jnp.asarray([0.0, 0.0, 0.6, 0.6], jnp.float32))
    table = NetworkTable(
        jnp.asarray(GENERATOR.normal(size=(3, 4)), jnp.float32),
        jnp.asarray([[True] * 4, [True, False, True, False], [False] * 4]),
        jnp.zeros((3, 1)),
        jnp.zeros((3, 1), bool),
    )
    return table, Autoencoder((encoder,), (decoder,)), loadings, spread


def test_the_bound_tends_to_the_likelihood_of_what_is_observed() -> None:
    table, autoencoder, loadings, spread = linear_table_and_model()
    noise = jax.random.normal(jax.random.key(0), (20_000, 3, 2))
    log_weights, _ = jax.jit(log_importance_weights, static_argnames="model")(
        autoencoder, table, encoder_input(table), noise, model=Model("gaussian", False, 1)
    )
    covariance = loadings.T @ loadings + spread**2 * np.eye(4)
    for place in range(3):
        seen = np.flatnonzero(table.features_observed[place])
        exact = (
            multivariate_normal.logpdf(
                np.asarray(table.features)[place, seen], cov=covariance[np.ix_(seen, seen)]
            )
            if len(seen)
            else 0.0
        )
        assert float(bound(log_weights)[place]) == pytest.approx(exact, abs=0.05)
    few = float(bound(log_weights[:1]).mean())
    assert few < float(bound(log_weights).mean())


def test_missing_entries_neither_count_nor_are_read() -> None:
    table, autoencoder, _, _ = linear_table_and_model()
    other = table._replace(features=jnp.where(table.features_observed, table.features, 1e6))
    noise = jax.random.normal(jax.random.key(0), (5, 3, 2))
    model = Model("gaussian", False, 1)

    def total(autoencoder: Autoencoder, table: NetworkTable) -> jax.Array:
        return log_importance_weights(autoencoder, table, encoder_input(table), noise, model)[
            0
        ].sum()

    gradient = jax.jit(jax.grad(total))
    for left, right in zip(
        jax.tree.leaves(gradient(autoencoder, table)),
        jax.tree.leaves(gradient(autoencoder, other)),
        strict=True,
    ):
        assert np.isfinite(left).all()
        assert np.array_equal(left, right)


def test_the_decoder_has_a_smallest_scale_and_freedom() -> None:
    wild = (Layer(jnp.zeros((1, 7)), jnp.full(7, -100.0)),)
    row = decoded(wild, jnp.zeros((1, 1)), 2, "student")
    assert float(row.scale.min()) == pytest.approx(1e-3)
    assert float(row.freedom.min()) == pytest.approx(3.0)
    assert row.label_inputs.shape == (1, 1)
