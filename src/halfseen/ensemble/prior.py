"""Gaussians fitted to incomplete rows, and what they say of missing entries.

The prior of eq. (2) takes visible units to be independent. Here they are jointly Gaussian, in
standard units, with covariance ``diag(noise) + loading loading^T``. Such a Gaussian is fitted by
expectation-maximisation to the observed entries of all rows, and where the target is one column of
classes, another one to the rows of each class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows = NDArray[np.float32]

# EM goes this much further than a round says: where much is missing, its rounds are short.
_OVER_RELAXATION = 0.7
_N_SEARCH = 5  # steps of conjugate gradients in each round, from where the last one ended
_LEAST_NOISE = 1e-3
_PRECISION = 1e-4  # relative, of the search


class GaussianPrior(NamedTuple):
    """Units ``mean + loading f + noise^(1/2) e`` with independent standard normal f and e."""

    mean: jax.Array  # (n_units,)
    noise: jax.Array  # (n_units,), variances
    loading: jax.Array  # (n_units, rank), columns orthogonal


class Moments(NamedTuple):
    """Mean and covariance."""

    mean: Floats  # (n_units,)
    covariance: Floats  # (n_units, n_units)


def conditional_mean(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array, n_steps: int
) -> jax.Array:
    """E[unit | observed units of its row]; an observed unit expects itself."""
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

    diagonal = 1.0 + (1.0 / prior.noise) @ prior.loading**2  # of rows without missing units
    right = (precision * deviation) @ prior.loading
    return conjugate_gradients(product, diagonal, right, start, n_steps)


def conjugate_gradients(
    product: Callable[[jax.Array], jax.Array], diagonal: jax.Array, right: jax.Array,
    start: jax.Array, n_steps: int,
) -> jax.Array:  # fmt: skip
    """Solve ``product(x) = right`` for each row by itself; `product` is symmetric and positive.

    The search is preconditioned by a diagonal near that of the product. A row that has come to rest
    does not change any more, so that none depends on the others.
    """

    def step(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        number, solution, residual, direction, remaining = state
        image = product(direction)
        length = remaining / jnp.maximum(jnp.sum(direction * image, axis=1), tiny)
        solution = solution + length[:, None] * direction
        residual = residual - length[:, None] * image
        left = jnp.sum(residual**2 / diagonal, axis=1)
        # Further steps would change no prediction that anybody could tell: the row rests.
        left = jnp.where(left <= _PRECISION**2 * size, 0.0, left)
        turn = left / jnp.maximum(remaining, tiny)
        direction = residual / diagonal + turn[:, None] * direction
        return number + 1, solution, residual, direction, left

    def goes_on(state: tuple[jax.Array, ...]) -> jax.Array:
        return (state[0] < n_steps) & jnp.any(state[-1] > 0)

    tiny, size = np.finfo(right.dtype).tiny, jnp.sum(right**2 / diagonal, axis=1)
    residual = right - product(start)
    remaining = jnp.sum(residual**2 / diagonal, axis=1)
    state = jnp.int32(0), start, residual, residual / diagonal, remaining
    solution: jax.Array = jax.lax.while_loop(goes_on, step, state)[1]  # type: ignore[arg-type]
    return solution


def fit_prior(
    values: NDArray[Any], observed: Bools, weight: Floats, towards: Moments,
    shrinkage: tuple[float, float], *, rank: int, n_rounds: int, n_patterns: int, seed: list[int],
) -> GaussianPrior:  # fmt: skip
    """Fit a Gaussian to the observed entries of weighted rows, in standard units.

    Mean and covariance are shrunk `towards` given ones, by the shares of `shrinkage`. The
    covariance of missing units given observed ones is that of `n_patterns` random rows.
    """
    random = np.random.default_rng(seed)
    values = np.where(observed, values, 0.0)
    weight = weight / weight.sum()

    def shrunk(found: Moments) -> Moments:
        parts = zip(found, towards, shrinkage, strict=True)
        return Moments(*(own + share * (other - own) for own, other, share in parts))

    found = moments = shrunk(_pairwise_moments(values, observed, weight))
    rows = [jnp.asarray(values.astype(np.float32)), jnp.asarray(observed)]
    of_rows = jnp.asarray(weight.astype(np.float32))
    fitted: Any = np.broadcast_to(moments.mean.astype(np.float32), values.shape)
    for _ in range(n_rounds):
        prior = _as_prior(moments, rank)
        mean, covariance, fitted = expected_moments(prior, *rows, of_rows, fitted)
        patterns = observed[random.choice(len(observed), n_patterns, p=weight)]
        covariance = np.asarray(covariance, np.float64) + _missing_covariance(prior, patterns)
        found = shrunk(Moments(np.asarray(mean, np.float64), covariance))
        pairs = zip(found, moments, strict=True)
        moments = Moments(*(new + _OVER_RELAXATION * (new - old) for new, old in pairs))
    return _as_prior(found, rank)


@jax.jit
def expected_moments(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array, weight: jax.Array,
    fitted: jax.Array,
) -> tuple[jax.Array, jax.Array, jax.Array]:  # fmt: skip
    """Moments of the rows with missing units as expected, and what is expected of all units."""
    # What the last round expected lies in the space of the new factors, nearly.
    lengths = jnp.maximum(jnp.sum(prior.loading**2, axis=0), 1e-6)
    start = (fitted - prior.mean) @ prior.loading / lengths
    factors = _expected_factors(prior, values, observed, start, _N_SEARCH)
    fitted = prior.mean + factors @ prior.loading.T
    expected = jnp.where(observed, values, fitted)
    mean = weight @ expected
    deviation = expected - mean
    return mean, deviation.T @ (weight[:, None] * deviation), fitted


def _missing_covariance(prior: GaussianPrior, observed: Bools) -> Floats:
    """Covariance of missing units given observed ones, averaged over rows; exact for each.

    That of one row is the inverse of the block of its missing units in the inverse of the whole.
    """
    precision = np.linalg.inv(covariance_of(prior))
    total = np.zeros_like(precision)
    for seen in observed:
        missing = np.flatnonzero(~seen)
        block = np.ix_(missing, missing)
        total[block] += np.linalg.inv(precision[block])
    return total / len(observed)


def covariance_of(prior: GaussianPrior) -> Floats:
    """Covariance of all units."""
    loading, noise = np.asarray(prior.loading, np.float64), np.asarray(prior.noise, np.float64)
    return np.asarray(loading @ loading.T + np.diag(noise))


def _pairwise_moments(values: Floats, observed: Bools, weight: Floats) -> Moments:
    """Means of units, and covariances over the rows in which both units are observed."""
    seen = observed.astype(np.float64)
    weighted = len(seen) * weight[:, None] * seen
    mean = (weighted * values).sum(axis=0) / np.maximum(weighted.sum(axis=0), 1.0)
    deviation = np.where(observed, values - mean, 0.0)
    return Moments(mean, deviation.T @ (weighted * deviation) / (weighted.T @ seen + 1.0))


def _as_prior(moments: Moments, rank: int) -> GaussianPrior:
    """The nearest covariance of this rank plus a diagonal; the diagonal of the sum is kept."""
    mean, covariance = moments
    n_units = len(mean)
    values, vectors = eigh(covariance, subset_by_index=[n_units - rank, n_units - 1])
    rest = (np.trace(covariance) - values.sum()) / max(1, n_units - rank)
    loading = vectors * np.sqrt(np.maximum(values - max(rest, _LEAST_NOISE), 0.0))
    noise = np.maximum(np.diag(covariance) - np.sum(loading**2, axis=1), _LEAST_NOISE)
    parts = (part.astype(np.float32) for part in (mean, noise, loading))
    return GaussianPrior(*map(jnp.asarray, parts))


def log_density(
    prior: GaussianPrior, values: jax.Array, observed: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """log N(observed units) of each row, and the conditional mean of every unit; exact."""
    n_units, rank = prior.loading.shape
    precision = jnp.where(observed, 1.0 / prior.noise, 0.0)
    deviation = jnp.where(observed, values - prior.mean, 0.0)
    squares = (prior.loading[:, :, None] * prior.loading[:, None, :]).reshape(n_units, -1)
    matrix = jnp.eye(rank)[:, :, None] + (precision @ squares).T.reshape(rank, rank, -1)
    right = ((precision * deviation) @ prior.loading).T
    factors, log_det = _eliminate(matrix, right)
    log_det += jnp.sum(jnp.where(observed, jnp.log(2 * jnp.pi * prior.noise), 0.0), axis=1)
    distance = jnp.sum(precision * deviation**2, axis=1) - jnp.sum(right * factors, axis=0)
    expected = prior.mean + factors.T @ prior.loading.T
    return -0.5 * (log_det + distance), jnp.where(observed, values, expected)


def _eliminate(matrix: jax.Array, right: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Solutions and log-determinants of positive definite systems, one for each row of a table.

    Systems lie along the last axis, which makes elementwise operations quick. Bits of LAPACK's
    batched results would depend on the place in the batch.
    """
    n_equations = len(right)

    def step(k: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        system, log_det = state
        row = jax.lax.dynamic_index_in_dim(system, k, axis=0, keepdims=False)
        pivot = jax.lax.dynamic_index_in_dim(row, k, axis=0)
        column = jax.lax.dynamic_index_in_dim(system, k, axis=1)
        others = (jnp.arange(n_equations) != k)[:, None, None]
        row = row / pivot
        return jnp.where(others, system - column * row, row), log_det + jnp.log(pivot[0])

    system = jnp.concatenate([matrix, right[:, None]], axis=1)
    state = system, jnp.zeros_like(right[0])
    system, log_det = jax.lax.fori_loop(0, n_equations, step, state)
    return system[:, -1], log_det
