"""The Gaussian prior against exact Gaussians."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from halfseen.ensemble.prior import (
    GaussianPrior,
    Moments,
    conditional_means,
    conjugate_gradients,
    fit_prior,
    log_density,
)

N_UNITS, RANK = 6, 3
Array = NDArray[Any]


def random_prior(seed: int) -> GaussianPrior:
    random = np.random.default_rng(seed)
    parts = (
        random.normal(size=N_UNITS),
        random.uniform(0.1, 1.0, N_UNITS),
        random.normal(size=(N_UNITS, RANK)),
    )
    return GaussianPrior(*(jnp.asarray(part, jnp.float32) for part in parts))


def covariance(prior: GaussianPrior) -> Array:
    _, noise, loading = (np.asarray(part, np.float64) for part in prior)
    return np.asarray(loading @ loading.T + np.diag(noise))


def random_rows(seed: int, n_rows: int = 12) -> tuple[Array, Array]:
    """Values and a mask; the first row shows nothing and the second everything."""
    random = np.random.default_rng([seed, 1])
    observed = random.random((n_rows, N_UNITS)) < 0.5
    observed[0], observed[1] = False, True
    return random.normal(size=(n_rows, N_UNITS)).astype(np.float32), observed


def exact_conditional_mean(mean: Array, cov: Array, row: Array, seen: Array) -> Array:
    expected = mean + cov[:, seen] @ np.linalg.solve(cov[np.ix_(seen, seen)], (row - mean)[seen])
    return np.where(seen, row, expected)


@pytest.mark.parametrize("seed", range(4))
def test_conditional_means_are_those_of_the_joint_gaussian(seed: int) -> None:
    prior, (values, observed) = random_prior(seed), random_rows(seed)
    found = conditional_means(prior, values, observed, n_steps=2 * RANK)
    mean, cov = np.asarray(prior.mean, np.float64), covariance(prior)
    for row, seen, expected in zip(values, observed, found, strict=True):
        exact = exact_conditional_mean(mean, cov, row, seen)
        np.testing.assert_allclose(expected, exact, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_log_densities_are_those_of_the_joint_gaussian(seed: int) -> None:
    prior, (values, observed) = random_prior(seed), random_rows(seed)
    found, expected = jax.jit(log_density)(prior, values, observed)
    mean, cov = np.asarray(prior.mean, np.float64), covariance(prior)
    for n, (row, seen) in enumerate(zip(values, observed, strict=True)):
        exact = 0.0
        if seen.any():
            exact = multivariate_normal(mean[seen], cov[np.ix_(seen, seen)]).logpdf(row[seen])
        np.testing.assert_allclose(found[n], exact, rtol=1e-4, atol=1e-3)
        given_seen = exact_conditional_mean(mean, cov, row, seen)
        np.testing.assert_allclose(expected[n], given_seen, rtol=1e-3, atol=1e-3)


def test_what_is_not_observed_is_not_read() -> None:
    prior, (values, observed) = random_prior(0), random_rows(0)
    other = np.where(observed, values, np.float32(1e6))
    for function in (lambda *of: conditional_means(*of, n_steps=6), jax.jit(log_density)):
        pairs = zip(
            jax.tree.leaves(function(prior, values, observed)),
            jax.tree.leaves(function(prior, other, observed)),
            strict=True,
        )
        for one, same in pairs:
            np.testing.assert_array_equal(one, same)


def test_conjugate_gradients_solve_each_row_by_itself() -> None:
    random = np.random.default_rng(0)
    root = random.normal(size=(3, 5, 5))
    matrices = jnp.asarray(root @ root.transpose(0, 2, 1) + np.eye(5), jnp.float32)
    right = jnp.asarray(random.normal(size=(3, 5)), jnp.float32)

    def product(x: jax.Array) -> jax.Array:
        return jnp.einsum("rij,rj->ri", matrices, x)

    def solution(right: jax.Array, start: jax.Array) -> jax.Array:
        diagonal = jnp.diagonal(matrices, axis1=1, axis2=2)
        return conjugate_gradients(product, diagonal, right, start, 40)

    found = solution(right, jnp.zeros_like(right))
    exact = np.linalg.solve(matrices, right[..., None])[..., 0]
    np.testing.assert_allclose(found, exact, rtol=1e-3, atol=1e-4)
    # A start at the solution stays there, and a right side of zeros gives zeros.
    np.testing.assert_allclose(solution(right, found), found, atol=1e-4)
    zeros = jnp.zeros_like(right)
    np.testing.assert_array_equal(solution(zeros, zeros), zeros)


N_ROWS = 400
TRUE = np.array(
    [[1.0, 0.8, 0.5, 0.0], [0.8, 1.0, 0.6, 0.1], [0.5, 0.6, 1.0, -0.4], [0.0, 0.1, -0.4, 1.0]]
)


def correlated_rows(seed: int) -> Array:
    random = np.random.default_rng(seed)
    return random.multivariate_normal(np.zeros(4), TRUE, N_ROWS).astype(np.float32)


def fitted(
    values: Array, observed: Array, weight: Array, shrinkage: tuple[float, float] = (0.0, 0.0)
) -> GaussianPrior:
    return fit_prior(
        values, observed, np.asarray(weight, np.float64),
        Moments(np.full(4, 2.0), 3.0 * np.eye(4)), shrinkage,
        rank=3, n_rounds=10, n_patterns=N_ROWS, seed=[0],
    )  # fmt: skip


def test_of_complete_rows_the_moments_are_the_sample_s_and_shrunk() -> None:
    values, everything = correlated_rows(0), np.ones((N_ROWS, 4), bool)
    found = fitted(values, everything, np.ones(N_ROWS), (0.25, 0.1))
    sample = values.mean(axis=0), np.cov(values.T, bias=True)
    np.testing.assert_allclose(found.mean, 0.75 * sample[0] + 0.25 * 2.0, atol=1e-4)
    shrunk = 0.9 * sample[1] + 0.1 * 3.0 * np.eye(4)
    np.testing.assert_allclose(covariance(found), shrunk, atol=1e-3)


def test_a_row_without_weight_is_no_row() -> None:
    values, everything = correlated_rows(0), np.ones((N_ROWS, 4), bool)
    weight = np.repeat([3.0, 0.0], N_ROWS // 2)
    found = fitted(values, everything, weight)
    half = values[: N_ROWS // 2]
    np.testing.assert_allclose(found.mean, half.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(covariance(found), np.cov(half.T, bias=True), atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_of_half_observed_rows_the_covariance_is_found(seed: int) -> None:
    values = correlated_rows(seed)
    observed = np.random.default_rng([seed, 2]).random(values.shape) < 0.5
    found = fitted(np.where(observed, values, np.nan), observed, np.ones(N_ROWS))
    sample = np.cov(values.T, bias=True)
    of_filled = np.cov(np.where(observed, values, 0.0).T, bias=True)
    error = np.abs(covariance(found) - sample).max()
    assert error < 0.25
    assert error < 0.5 * np.abs(of_filled - sample).max()
    # Missing entries are predicted nearly as well as by the true Gaussian.
    expected = conditional_means(found, np.where(observed, values, 0.0), observed, n_steps=10)
    rows = zip(values, observed, strict=True)
    exact = np.stack([exact_conditional_mean(np.zeros(4), TRUE, row, seen) for row, seen in rows])
    mean_square = [float(((of - values)[~observed] ** 2).mean()) for of in (expected, exact, 0.0)]
    assert mean_square[0] < 1.1 * mean_square[1]
    assert mean_square[0] < 0.8 * mean_square[2]


def test_an_endless_repetition_of_one_row_is_no_problem() -> None:
    constant = np.ones((N_ROWS, 4), np.float32)
    for part in fitted(constant, constant > 0, np.ones(N_ROWS)):
        assert np.isfinite(part).all()
    nothing = fitted(constant, constant < 0, np.ones(N_ROWS), (0.0, 0.1))
    assert all(np.isfinite(part).all() for part in nothing)
