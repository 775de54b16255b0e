"""Gaussians fitted to incomplete rows, and what they say of missing entries.

The prior of eq. (2) takes visible units to be independent. Here they are jointly Gaussian, in
standard units, with covariance ``diag(noise) + loading loading^T``. Such a Gaussian is fitted by
expectation-maximisation to the observed entries of all rows, and where the target is one column of
classes, another one to the rows of each class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

# EM goes this much further than a round says: where much is missing, its rounds are short.
_OVER_RELAXATION = 0.7
_FIRST_STEPS, _MORE_STEPS = 16, 6  # of conjugate gradients, in the first round and in later ones
_LEAST_NOISE = 1e-3
_MEMORY = 0.6  # of the rounds before, for the simulated part of the covariance


class GaussianPrior(NamedTuple):
    """Units ``mean + loading f + noise^(1/2) e`` with independent standard normal f and e."""

    mean: jax.Array  # (n_units,)
    noise: jax.Array  # (n_units,), variances
    loading: jax.Array  # (n_units, rank), columns orthogonal


class Moments(NamedTuple):
    """Mean and covariance."""

    mean: jax.Array  # (n_units,)
    covariance: jax.Array  # (n_units, n_units)


def conditional_mean(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array, n_steps: int
) -> jax.Array:
    """E[unit | observed units of its row]; an observed unit expects itself.

    >>> prior = GaussianPrior(jnp.zeros(2), jnp.full(2, 0.5), jnp.full((2, 1), 0.5**0.5))
    >>> row, seen = jnp.array([[2.0, 9.0]]), jnp.array([[True, False]])
    >>> conditional_mean(prior, row, seen, n_steps=1).round(3).tolist()
    [[2.0, 1.0]]
    """
    start = jnp.zeros((len(values), prior.loading.shape[1]), values.dtype)
    factors = _expected_factors(prior, values, observed, start, n_steps)
    return jnp.where(observed, values, prior.mean + factors @ prior.loading.T)


conditional_means = jax.jit(conditional_mean, static_argnames="n_steps")


def _expected_factors(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array, start: jax.Array, n_steps: int
) -> jax.Array:
    """E[f | observed units], the solution of ``(1 + L_o^T N_o^-1 L_o) f = L_o^T N_o^-1 v_o``."""
    precision = jnp.where(observed, 1.0 / prior.noise, 0.0)
    deviation = jnp.where(observed, values - prior.mean, 0.0)

    def product(factors: jax.Array) -> jax.Array:
        return factors + (precision * (factors @ prior.loading.T)) @ prior.loading

    return conjugate_gradients(product, (precision * deviation) @ prior.loading, start, n_steps)


def conjugate_gradients(
    product: Callable[[jax.Array], jax.Array], right: jax.Array, start: jax.Array, n_steps: int
) -> jax.Array:
    """Solve ``product(x) = right`` for each row by itself; `product` is symmetric and positive.

    All rows take the same number of steps, so that none depends on the others.
    """

    def step(_: jax.Array, state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        solution, residual, direction, remaining = state
        image = product(direction)
        length = remaining / jnp.maximum(jnp.sum(direction * image, axis=1), tiny)
        solution = solution + length[:, None] * direction
        residual = residual - length[:, None] * image
        left = jnp.sum(residual**2, axis=1)
        # At the precision of float32 the search would follow rounding errors: it rests there.
        left = jnp.where(left <= 1e-12 * size, 0.0, left)
        turn = left / jnp.maximum(remaining, tiny)
        return solution, residual, residual + turn[:, None] * direction, left

    tiny, size = np.finfo(right.dtype).tiny, jnp.sum(right**2, axis=1)
    residual = right - product(start)
    state = start, residual, residual, jnp.sum(residual**2, axis=1)
    solution: jax.Array = jax.lax.fori_loop(0, n_steps, step, state)[0]
    return solution


@partial(jax.jit, static_argnames=("rank", "n_rounds", "n_draws"))
def fit_prior(
    key: jax.Array,
    values: jax.Array,
    observed: jax.Array,
    weight: jax.Array,
    towards: Moments,
    shrinkage: Moments,
    *,
    rank: int,
    n_rounds: int,
    n_draws: int,
) -> GaussianPrior:
    """Fit a Gaussian to the observed entries of weighted rows, in standard units.

    Mean and covariance are shrunk `towards` given ones, by the shares of `shrinkage`. The
    covariance of missing entries given observed ones enters by simulation: for draws z of the
    prior, masked like the rows, ``z - E[z | z_observed]`` has it [1]_.

    .. [1] Hoffman and Ribak, "Constrained Realizations of Gaussian Fields: A Simple Algorithm",
       Astrophysical Journal Letters 380 (1991).
    """
    values = jnp.where(observed, values, 0.0)
    weight = weight / weight.sum()
    summed = jnp.cumsum(weight)

    def shrunk(found: Moments) -> Moments:
        shrunk: Moments = jax.tree.map(lambda m, t, s: m + s * (t - m), found, towards, shrinkage)
        return shrunk

    def round_of_em(
        state: tuple[Moments, jax.Array, jax.Array], now: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[Moments, jax.Array, jax.Array], Moments]:
        moments, expected, simulated = state
        key, first = now
        prior = _as_prior(moments, rank)
        # What the last round expected lies in the space of the new factors, nearly.
        start = (expected - prior.mean) @ prior.loading
        start = jnp.where(first, 0.0, start / jnp.maximum(jnp.sum(prior.loading**2, axis=0), 1e-6))
        factors = _expected_factors(prior, values, observed, start, _MORE_STEPS)
        fitted = prior.mean + factors @ prior.loading.T
        expected = jnp.where(observed, values, fitted)
        covariance = _simulated_covariance(prior, key, observed, summed, n_draws)
        simulated = jnp.where(first, covariance, covariance + _MEMORY * (simulated - covariance))
        mean = weight @ expected
        deviation = expected - mean
        found = Moments(mean, deviation.T @ (weight[:, None] * deviation) + simulated)
        further = jax.tree.map(
            lambda new, old: new + _OVER_RELAXATION * (new - old), shrunk(found), moments
        )
        return (further, fitted, simulated), found

    start = shrunk(_pairwise_moments(values, observed, weight))
    zeros = jnp.zeros_like(values), jnp.zeros_like(start.covariance)
    rounds = jax.random.split(key, n_rounds), jnp.arange(n_rounds) == 0
    _, found = jax.lax.scan(round_of_em, (start, *zeros), rounds)
    return _as_prior(shrunk(jax.tree.map(lambda leaf: leaf[-1], found)), rank)


def _simulated_covariance(
    prior: GaussianPrior, key: jax.Array, observed: jax.Array, summed: jax.Array, n_draws: int
) -> jax.Array:
    """Covariance of missing entries given observed ones, averaged over rows."""
    row_key, factor_key, noise_key = jax.random.split(key, 3)
    masks = observed[jnp.searchsorted(summed, jax.random.uniform(row_key, (n_draws,)) * summed[-1])]
    factors = jax.random.normal(factor_key, (n_draws, prior.loading.shape[1]))
    noise = jnp.sqrt(prior.noise) * jax.random.normal(noise_key, masks.shape)
    drawn = prior.mean + factors @ prior.loading.T + noise
    zeros = jnp.zeros_like(factors)
    residual = factors - _expected_factors(prior, drawn, masks, zeros, _FIRST_STEPS)
    missing = jnp.where(masks, 0.0, residual @ prior.loading.T)
    return missing.T @ missing / n_draws + jnp.diag((~masks).mean(axis=0) * prior.noise)


def _pairwise_moments(values: jax.Array, observed: jax.Array, weight: jax.Array) -> Moments:
    """Means of units, and covariances over the rows in which both units are observed."""
    seen = observed.astype(values.dtype)
    weighted = len(seen) * weight[:, None] * seen
    mean = (weighted * values).sum(axis=0) / jnp.maximum(weighted.sum(axis=0), 1.0)
    deviation = jnp.where(observed, values - mean, 0.0)
    return Moments(mean, deviation.T @ (weighted * deviation) / (weighted.T @ seen + 1.0))


def _as_prior(moments: Moments, rank: int) -> GaussianPrior:
    """The nearest covariance of this rank plus a diagonal; the diagonal of the sum is kept."""
    mean, covariance = moments
    values, vectors = jnp.linalg.eigh(covariance)
    rest = jnp.maximum(jnp.mean(values[: max(1, len(mean) - rank)]), _LEAST_NOISE)
    loading = vectors[:, -rank:] * jnp.sqrt(jnp.maximum(values[-rank:] - rest, 0.0))
    noise = jnp.diag(covariance) - jnp.sum(loading**2, axis=1)
    return GaussianPrior(mean, jnp.maximum(noise, _LEAST_NOISE), loading)


def log_density(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """log N(observed units) of each row, and the conditional mean of every unit; exact."""
    n_units, rank = prior.loading.shape
    precision = jnp.where(observed, 1.0 / prior.noise, 0.0)
    deviation = jnp.where(observed, values - prior.mean, 0.0)
    squares = (prior.loading[:, :, None] * prior.loading[:, None, :]).reshape(n_units, -1)
    matrix = jnp.eye(rank) + (precision @ squares).reshape(-1, rank, rank)
    right = (precision * deviation) @ prior.loading
    factors, log_det = _eliminate(matrix, right)
    log_det += jnp.sum(jnp.where(observed, jnp.log(2 * jnp.pi * prior.noise), 0.0), axis=1)
    distance = jnp.sum(precision * deviation**2, axis=1) - jnp.sum(right * factors, axis=1)
    expected = prior.mean + factors @ prior.loading.T
    return -0.5 * (log_det + distance), jnp.where(observed, values, expected)


def _eliminate(matrix: jax.Array, right: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Solutions and log-determinants of one positive definite system for each row.

    By elementwise operations: bits of LAPACK's batched results depend on the place in the batch.
    """
    n_equations = right.shape[1]

    def step(k: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        system, log_det = state
        row = jax.lax.dynamic_index_in_dim(system, k, axis=1, keepdims=False)
        pivot = jax.lax.dynamic_index_in_dim(row, k, axis=1)
        column = jax.lax.dynamic_index_in_dim(system, k, axis=2)
        others = (jnp.arange(n_equations) != k)[:, None]
        row = (row / pivot)[:, None]
        return jnp.where(others, system - column * row, row), log_det + jnp.log(pivot[:, 0])

    system = jnp.concatenate([matrix, right[:, :, None]], axis=2)
    state = system, jnp.zeros(len(right), right.dtype)
    system, log_det = jax.lax.fori_loop(0, n_equations, step, state)
    return system[:, :, -1], log_det
