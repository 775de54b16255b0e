"""The correlated prior fitted to the observed entries by expectation-maximisation."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri

from halfseen.learning.epoch import rows_on_device
from halfseen.learning.one_thread import one_thread
from halfseen.learning.over_relaxed import Moments, over_relaxed
from halfseen.machine.compilation_cache import QUICKLY_COMPILED
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior, continued_mean

MOST_ROWS = 6000
MOST_UNITS = 1500
MOST_UNITS_OF_FULL_RANK = 420
RANK = 64
USUAL_SHRINKAGE = 0.05
_SEARCH_STEPS = 40
_ROWS_AT_ONCE = 256
_MOST_ON_HOST = 200_000  # entries of a table


class PriorSettings(NamedTuple):
    """How the prior is fitted."""

    shrinkage: float = USUAL_SHRINKAGE  # share of the covariance taken from its target, one
    n_rounds: int = 7
    n_rows_of_covariance: int = 50  # rows whose conditional covariance is looked at in a round
    n_search_steps: int = 20  # of the expectation of the missing entries, in the first round
    n_further_steps: int = 6  # in every later round, from where the one before has ended


def fit_prior(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    settings: PriorSettings,
    seed: int,
) -> Prior:
    """A joint Gaussian of all units, of observed entries only.

    The expectation of the missing entries is found for all rows at once; their conditional
    covariance, whose mean over the rows hardly differs from row to row under any one pattern of
    holes, is taken over fifty random rows in every round. Tables of more than 6,000 rows are
    represented by as many random ones, and more than 420 units by a covariance of rank 64.

    Parameters
    ----------
    values, observed : ndarray of shape (n_rows, n_units)
        Units in standard units.
    settings : PriorSettings
        Shrinkage and rounds.
    seed : int
        Seed of the rows that are looked at.

    Returns
    -------
    CorrelatedPrior or LowRankPrior

    Examples
    --------
    >>> walk = np.repeat(np.linspace(-1.7, 1.7, 50, dtype=np.float32)[:, None], 2, axis=1)
    >>> prior = fit_prior(walk, np.ones((50, 2), bool), PriorSettings(), seed=0)
    >>> [round(float(value), 2) for value in prior.covariance[0]]
    [1.0, 0.95]
    """
    generator = np.random.default_rng([seed, 3])
    if len(values) > MOST_ROWS:
        rows = rows_of_prior(len(values), seed)
        values, observed = values[rows], observed[rows]
    with one_thread:
        return _maximised(values, observed, settings, generator)


def rows_of_prior(n_rows: int, seed: int) -> NDArray[np.int64]:
    """The rows that represent a table: all of them, or 6,000 at random, in their order.

    Examples
    --------
    >>> rows_of_prior(3, seed=0), len(rows_of_prior(7000, seed=0))
    (array([0, 1, 2]), 6000)
    """
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    drawn = np.random.default_rng([seed, 11]).permutation(n_rows)[:MOST_ROWS]
    return np.sort(drawn)


def _maximised(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    settings: PriorSettings,
    generator: np.random.Generator,
) -> Prior:
    held = np.where(observed, values, 0.0).astype(np.float64)
    mean, covariance = _pairwise_start(held, observed, settings.shrinkage)
    search = _Search(values, observed, len(mean))
    for round_ in range(settings.n_rounds):
        n_steps = settings.n_further_steps if round_ else settings.n_search_steps
        said = search.expected(CorrelatedPrior(*_in_single_precision(mean, covariance)), n_steps)
        expected = held.copy()
        np.copyto(expected, said, where=~observed)
        chosen = generator.permutation(len(held))[: settings.n_rows_of_covariance]
        spread = _mean_conditional_covariance(covariance, observed[chosen])
        before = Moments(mean, covariance)
        mean = expected.mean(axis=0)
        expected -= mean
        covariance = (1 - settings.shrinkage) * (expected.T @ expected / len(expected) + spread)
        covariance[np.diag_indices_from(covariance)] += settings.shrinkage
        if round_ < settings.n_rounds - 1:
            mean, covariance = over_relaxed(before, Moments(mean, covariance))
    return _as_prior(mean, covariance)


def prior_loss(
    prior: Prior, values: NDArray[np.float32], shown: NDArray[np.bool_], judged: NDArray[np.bool_]
) -> float:
    """Mean squared error of what the prior expects at judged entries.

    Parameters
    ----------
    prior : CorrelatedPrior or LowRankPrior
        The joint Gaussian.
    values : ndarray of shape (n_rows, n_units)
        In standard units.
    shown, judged : ndarray of bool, of shape (n_rows, n_units)
        What the prior is told, and where it is judged; at least one entry.

    Examples
    --------
    >>> prior = CorrelatedPrior(jnp.zeros(2), jnp.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> table, shown = np.array([[2.0, 3.0]], np.float32), np.array([[True, False]])
    >>> prior_loss(prior, table, shown, ~shown)
    4.0
    """
    n_found = len(prior.mean) if isinstance(prior, CorrelatedPrior) else prior.loading.shape[1]
    with one_thread:
        expected = _Search(values, shown, n_found).expected(jax.device_get(prior), _SEARCH_STEPS)
    return float(np.mean((expected - values)[judged] ** 2))


class _Search:
    """The search for the expectation of missing entries, which goes on where it ended before.

    Of a small table NumPy does it before a program for it would be compiled.
    """

    def __init__(
        self, values: NDArray[np.float32], observed: NDArray[np.bool_], n_found: int
    ) -> None:
        self._n_rows = len(values)
        self._on_host = values.size <= _MOST_ON_HOST
        self._rows: Any
        if self._on_host:
            self._rows = np.where(observed, values, 0).astype(np.float32), observed
        else:
            self._rows = rows_on_device(values, observed)
        found = np.zeros((len(self._rows[0]), n_found), np.float32)
        self._found: Any = found if self._on_host else jax.device_put(found)

    def expected(self, prior: Prior, n_steps: int) -> NDArray[np.float32]:
        """E[unit | observed units of its row], after so many further steps."""
        if self._on_host:
            values, observed = self._rows
            said, self._found = continued_mean(prior, values, observed, self._found, n_steps)
        else:
            on_device = jax.device_put(prior)
            said, self._found = continued_mean_of_rows(on_device, *self._rows, self._found, n_steps)
        return np.asarray(said)[: self._n_rows]


def _pairwise_start(
    held: NDArray[np.float64], observed: NDArray[np.bool_], shrinkage: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of the columns, and covariances of every pair over rows in which both are seen."""
    mean = held.sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    away = np.where(observed, held - mean, 0.0)
    counted = observed.astype(np.float32)  # of at most 6,000 rows, which it counts exactly
    covariance = away.T @ away / ((counted.T @ counted).astype(np.float64) + 1.0)
    values, vectors = np.linalg.eigh(covariance)
    covariance = (1 - shrinkage) * (vectors * np.maximum(values, 0.0)) @ vectors.T
    covariance[np.diag_indices_from(covariance)] += shrinkage
    return mean, covariance


def _mean_conditional_covariance(
    covariance: NDArray[np.float64], observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """cov[missing | observed] averaged over rows, zero where a unit is observed.

    Whichever is the smaller system. With K the inverse covariance it is the inverse of K's missing
    block. And it is ``C - C P C``, with P the inverse of the covariance C's observed block: of rows
    of which little is seen only these are averaged, and what they explain is taken away at once.
    """
    few = observed.sum(axis=1) <= observed.shape[1] // 2
    explained = covariance @ _summed_inverse_blocks(covariance, observed[few]) @ covariance
    summed = few.sum() * covariance - explained
    if not few.all():
        precision = symmetric_from_lower(dpotri(np.linalg.cholesky(covariance), lower=True)[0])
        summed += _summed_inverse_blocks(precision, ~observed[~few])
    mean: NDArray[np.float64] = summed / len(observed)
    return mean


def _summed_inverse_blocks(
    matrix: NDArray[np.float64], within: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The inverse of the block of a matrix that each row is within, zero elsewhere, summed."""
    summed = np.zeros_like(matrix)
    for inside in within:
        units = np.flatnonzero(inside)
        if len(units):
            block = np.ix_(units, units)
            factor = dpotrf(matrix[block].T, lower=True, overwrite_a=True)[0]
            summed[block] += dpotri(factor, lower=True, overwrite_c=True)[0]
    # What stands above the diagonal of a block was never filled, and is not read.
    return symmetric_from_lower(summed)


def symmetric_from_lower(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric matrix of which only the lower triangle was filled."""
    strict = np.tril(lower, -1)
    symmetric: NDArray[np.float64] = strict + strict.T
    symmetric[np.diag_indices_from(symmetric)] = np.diag(lower)
    return symmetric


def _in_single_precision(*arrays: NDArray[np.float64]) -> Any:
    """The arrays as float32, as JAX takes them."""
    return tuple(array.astype(np.float32) for array in arrays)


def _as_prior(mean: NDArray[np.float64], covariance: NDArray[np.float64]) -> Prior:
    if len(mean) <= MOST_UNITS_OF_FULL_RANK:
        return CorrelatedPrior(*jax.device_put(_in_single_precision(mean, covariance)))
    values, vectors = np.linalg.eigh(covariance)
    rest = float(np.mean(values[:-RANK]))
    loading = vectors[:, -RANK:] * np.sqrt(np.maximum(values[-RANK:] - rest, 0.0))
    noise = np.maximum(np.diag(covariance) - np.sum(loading**2, axis=1), 1e-3)
    return LowRankPrior(*jax.device_put(_in_single_precision(mean, noise, loading)))


@partial(jax.jit, compiler_options=QUICKLY_COMPILED)
def continued_mean_of_rows(
    prior: Prior,
    values: jax.Array,
    observed: jax.Array,
    found: jax.Array,
    n_steps: int | jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """``continued_mean`` of some rows at a time, which stay in the cache while it searches."""
    n_rows = len(values)

    def in_parts(rows: jax.Array) -> jax.Array:
        padded = jnp.pad(rows, [(0, -n_rows % _ROWS_AT_ONCE), (0, 0)])
        return padded.reshape(-1, _ROWS_AT_ONCE, rows.shape[1])

    of_parts: tuple[jax.Array, jax.Array] = jax.lax.map(
        lambda part: continued_mean(prior, part[0], part[1], part[2], n_steps),
        (in_parts(values), in_parts(observed), in_parts(found)),
    )
    expected, found = (part.reshape(-1, part.shape[2])[:n_rows] for part in of_parts)
    return expected, found
