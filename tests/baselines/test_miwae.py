"""MIWAE: importance-weighted completion against the exact answer of a linear model."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._miwae_model import SMALLEST_SCALE, Autoencoder, Model
from halfseen.baselines._network_table import NetworkTable
from halfseen.baselines._perceptron import Layer
from halfseen.baselines.miwae import MIWAE, imputed


def test_a_linear_gaussian_model_is_completed_by_its_conditional_mean() -> None:
    generator = np.random.default_rng(0)
    loadings, spread = generator.normal(size=(2, 4)), 0.7
    scale_input = np.log(np.expm1(spread - SMALLEST_SCALE))
    label_weights = np.array([[2.0], [-1.0]])
    decoder = Layer(
        jnp.asarray(np.hstack([loadings, np.zeros((2, 4)), label_weights]), jnp.float32),
        jnp.asarray(np.concatenate([np.zeros(4), np.full(4, scale_input), [0.0]]), jnp.float32),
    )
    encoder = Layer(jnp.zeros((5, 4)), jnp.asarray([0.0, 0.0, 0.6, 0.6], jnp.float32))
    x = generator.normal(size=(1, 4))
    seen = np.array([0, 2])
    table = NetworkTable(
        jnp.asarray(x, jnp.float32),
        jnp.asarray([[True, False, True, False]]),
        jnp.zeros((1, 1)),
        jnp.zeros((1, 1), bool),
    )
    said = imputed(
        Autoencoder((encoder,), (decoder,)),
        table,
        jax.random.key(0),
        4000,
        Model("gaussian", False, 1),
    )
    covariance = loadings.T @ loadings + spread**2 * np.eye(4)
    code = loadings[:, seen] @ np.linalg.solve(covariance[np.ix_(seen, seen)], x[0, seen])
    assert np.asarray(said.features)[0] == pytest.approx(code @ loadings, abs=0.05)
    code_covariance = np.eye(2) - loadings[:, seen] @ np.linalg.solve(
        covariance[np.ix_(seen, seen)], loadings[:, seen].T
    )
    draws = generator.multivariate_normal(code, code_covariance, size=200_000)
    probability = np.mean(1 / (1 + np.exp(-draws @ label_weights)))
    assert float(said.scores[0, 0]) == pytest.approx(probability, abs=0.01)


def test_an_unknown_decoder_is_refused() -> None:
    with pytest.raises(ValueError, match='decoder must be "gaussian" or "student"'):
        MIWAE(decoder="cauchy").fit([[1.0], [2.0]], [[0], [1]])  # type: ignore[arg-type]
