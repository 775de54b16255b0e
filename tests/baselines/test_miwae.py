"""MIWAE against scipy: densities, its bound, and completion by an exactly known model."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from halfseen.baselines.miwae import Autoencoder, Decoded, MiwaeModel, bound
from halfseen.baselines.networks import Rows, State

MODEL = MiwaeModel(4, 1, False, (), 2, 1)
SPREAD = 0.7


def test_densities_are_those_of_scipy() -> None:
    generator = np.random.default_rng(0)
    location, x = generator.normal(size=(2, 4, 5))
    scale = generator.uniform(0.1, 2, (4, 5))
    row = Decoded(*(jnp.asarray(a, jnp.float32) for a in (location, scale, x)))
    found = np.asarray(MODEL.log_density(row, jnp.asarray(x, jnp.float32)))
    assert found == pytest.approx(norm.logpdf(x, location, scale), rel=1e-3)


def test_labels_are_bernoulli_or_one_softmax() -> None:
    inputs, labels = np.random.default_rng(0).normal(size=(6, 3)), np.eye(3)[[0, 1, 2, 0, 1, 2]]
    arguments = jnp.asarray(inputs, jnp.float32), jnp.asarray(labels, jnp.float32)
    p = 1 / (1 + np.exp(-inputs))
    expected = -np.log(np.where(labels == 1, p, 1 - p))
    assert np.asarray(MODEL.log_loss(*arguments)) == pytest.approx(expected, rel=1e-3)
    p = np.exp(inputs) / np.exp(inputs).sum(axis=1, keepdims=True)
    of_rows = MiwaeModel(4, 3, True, (), 2, 1).log_loss(*arguments).sum(axis=1)
    assert np.asarray(of_rows) == pytest.approx(-np.log((p * labels).sum(axis=1)), rel=1e-4)


def linear_model() -> tuple[Autoencoder, np.ndarray, np.ndarray]:
    """A decoder without hidden layer: then a row is Gaussian, and its likelihood known."""
    generator = np.random.default_rng(0)
    loadings, of_label = generator.normal(size=(2, 4)), np.array([[2.0], [-1.0]])
    weights = np.hstack([loadings, np.zeros((2, 4)), of_label])
    scale = np.full(4, np.log(np.expm1(SPREAD - 1e-3)))
    bias = np.concatenate([np.zeros(4), scale, [0.0]])
    decoder = ((jnp.asarray(weights, jnp.float32), jnp.asarray(bias, jnp.float32)),)
    encoder = ((jnp.zeros((5, 4)), jnp.asarray([0.0, 0.0, 0.6, 0.6], jnp.float32)),)
    return Autoencoder(encoder, decoder), loadings, of_label


def rows_of(n_rows: int) -> Rows:
    values = np.random.default_rng(1).normal(size=(n_rows, 5))
    seen = [[True] * 4 + [False], [True, False, True, False, False], [False] * 5][:n_rows]
    return Rows(jnp.asarray(values, jnp.float32), jnp.asarray(seen))


def test_the_bound_tends_to_the_likelihood_of_what_is_observed() -> None:
    autoencoder, loadings, _ = linear_model()
    rows = rows_of(3)
    noise = jax.random.normal(jax.random.key(0), (20_000, 3, 2))
    log_weights, _ = MODEL.log_weights(autoencoder, rows, MODEL.signed(rows), noise)
    covariance = loadings.T @ loadings + SPREAD**2 * np.eye(4)
    for place, row in enumerate(np.asarray(rows.values)):
        seen = np.flatnonzero(rows.observed[place])
        density = multivariate_normal(cov=covariance[np.ix_(seen, seen)]) if len(seen) else None
        exact = density.logpdf(row[seen]) if density else 0.0
        assert float(bound(log_weights)[place]) == pytest.approx(exact, abs=0.05)
    assert float(bound(log_weights[:1]).mean()) < float(bound(log_weights).mean())


def test_missing_entries_neither_count_nor_are_read() -> None:
    autoencoder, _, _ = linear_model()
    rows = rows_of(3)
    other = rows._replace(values=jnp.where(rows.observed, rows.values, 1e6))
    noise = jax.random.normal(jax.random.key(0), (5, 3, 2))

    def total(autoencoder: Autoencoder, rows: Rows) -> jax.Array:
        inputs = MODEL.signed(rows)
        return MODEL.log_weights(autoencoder, rows, inputs, noise)[0].sum()

    gradients = [jax.tree.leaves(jax.grad(total)(autoencoder, seen)) for seen in (rows, other)]
    for left, right in zip(*gradients, strict=True):
        assert np.isfinite(left).all()
        assert np.array_equal(left, right)


def test_a_linear_gaussian_model_is_completed_by_its_conditional_mean() -> None:
    autoencoder, loadings, of_label = linear_model()
    rows, seen = Rows(*(part[1:2] for part in rows_of(3))), np.array([0, 2])
    said = np.asarray(MODEL.output(State(autoencoder, None), rows, jax.random.key(0), 40_000))[0]
    observed = loadings.T[seen] @ loadings[:, seen] + SPREAD**2 * np.eye(2)
    gain = loadings[:, seen] @ np.linalg.inv(observed)
    code = gain @ np.asarray(rows.values)[0, seen]
    assert said[:4] == pytest.approx(code @ loadings, abs=0.05)
    of_code = np.eye(2) - gain @ loadings[:, seen].T
    draws = np.random.default_rng(2).multivariate_normal(code, of_code, size=200_000)
    assert said[4] == pytest.approx(np.mean(1 / (1 + np.exp(-draws @ of_label))), abs=0.01)


def test_the_decoder_has_a_smallest_scale() -> None:
    row = MiwaeModel(2, 1, False, (), 1, 1).decoded(
        ((jnp.zeros((1, 5)), jnp.full(5, -100.0)),), jnp.zeros((1, 1))
    )
    assert float(row.scale.min()) == pytest.approx(1e-3)
    assert row.labels.shape == (1, 1)
