"""The correlated prior fitted to the observed entries by expectation-maximisation."""

from __future__ import annotations

import math
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
RANK = 160
USUAL_SHRINKAGE = 0.05
_SEARCH_STEPS = 40
_ROWS_AT_ONCE = 256
_SMALLEST = 1e-12
_LARGEST_VARIANCE = 100.0  # in standard units
_WAY_DOWN = 0.6  # part of the rounds in which the shrinkage falls
_MOST_ON_HOST = 200_000  # entries of a table


class PriorSettings(NamedTuple):
    """How the prior is fitted."""

    shrinkage: float = USUAL_SHRINKAGE  # share of the covariance taken from its target, one
    n_rounds: int = 7
    n_rows_of_covariance: int = 50  # rows whose conditional covariance is looked at in a round
    n_search_steps: int = 20  # of the expectation of the missing entries, in the first round
    n_further_steps: int = 6  # in every later round, from where the one before has ended
    first_shrinkage: float = 0.0  # of the first round, if that is more
    is_exact: bool = False  # every row is solved for by itself, where a search would end too early

    def of_rounds(self) -> list[float]:
        """The shrinkage of every round: from the first one down to its own, by equal factors.

        Of columns that hang together closely, seen in few rows, the covariance of pairs is a poor
        start, and rounds that shrink it little leave it slowly; shrunk far, they go most of the way
        first. It is reached after six tenths of the rounds.

        Examples
        --------
        >>> downwards = PriorSettings(0.002, n_rounds=6, first_shrinkage=0.2).of_rounds()
        >>> [round(share, 3) for share in downwards]
        [0.2, 0.043, 0.009, 0.002, 0.002, 0.002]
        """
        times = max(1.0, self.first_shrinkage / self.shrinkage)
        of_way = np.arange(self.n_rounds) / max(1e-9, _WAY_DOWN * (self.n_rounds - 1))
        shares: list[float] = (self.shrinkage * times ** np.maximum(0.0, 1.0 - of_way)).tolist()
        return shares

    def n_steps(self, round_: int, shrinkage: float) -> int:
        """Steps of the search: the less a covariance is shrunk the more, by the root.

        As usual where rounds do not begin with more of it, since enough is seen.
        """
        n_usual = self.n_further_steps if round_ else self.n_search_steps
        times = USUAL_SHRINKAGE / shrinkage if self.first_shrinkage else 1.0
        return math.ceil(n_usual * math.sqrt(max(1.0, times)))


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
    represented by as many random ones, and more than 420 units by a covariance of rank 160.

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
    shrinkages = settings.of_rounds()
    mean, covariance = _pairwise_start(held, observed, [*shrinkages, settings.shrinkage][0])
    search = _Search(values, observed, len(mean))
    for round_, shrinkage in enumerate(shrinkages):
        n_steps = settings.n_steps(round_, shrinkage)
        chosen = generator.permutation(len(held))[: settings.n_rows_of_covariance]
        before = Moments(mean, covariance)
        if settings.is_exact and n_steps < len(mean):
            expected, spread = exact_expectation(before, held, observed)
        else:
            on_device = CorrelatedPrior(*_in_single_precision(mean, covariance))
            expected = held.copy()
            np.copyto(expected, search.expected(on_device, n_steps), where=~observed)
            spread = _mean_conditional_covariance(covariance, observed[chosen])
        mean = expected.mean(axis=0)
        expected -= mean
        covariance = (1 - shrinkage) * (expected.T @ expected / len(expected) + spread)
        covariance[np.diag_indices_from(covariance)] += shrinkage
        if not np.diag(covariance).max() < _LARGEST_VARIANCE:
            return _as_prior(*before)  # a search that ended too early has led it astray
        if round_ < settings.n_rounds - 1:
            mean, covariance = over_relaxed(before, Moments(mean, covariance))
    return _as_prior(mean, covariance)


def prior_loss(
    prior: Prior,
    values: NDArray[np.float32],
    shown: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    is_target: NDArray[np.bool_],
) -> float:
    """Mean squared error of what the prior expects at judged entries, of features and of targets.

    That of both together is their geometric mean, weighted by the numbers of units: where features
    are known to a hair, a label that nobody knows does not hide it.

    Parameters
    ----------
    prior : CorrelatedPrior or LowRankPrior
        The joint Gaussian.
    values : ndarray of shape (n_rows, n_units)
        In standard units.
    shown, judged : ndarray of bool, of shape (n_rows, n_units)
        What the prior is told, and where it is judged; at least one entry.
    is_target : ndarray of bool, of shape (n_units,)
        Which units belong to targets.

    Examples
    --------
    >>> prior = CorrelatedPrior(jnp.zeros(2), jnp.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> table, shown = np.array([[2.0, 3.0]], np.float32), np.array([[True, False]])
    >>> prior_loss(prior, table, shown, ~shown, np.zeros(2, bool))
    4.0
    """
    n_found = len(prior.mean) if isinstance(prior, CorrelatedPrior) else prior.loading.shape[1]
    with one_thread:
        expected = _Search(values, shown, n_found).expected(jax.device_get(prior), _SEARCH_STEPS)
    logs, weights = [], []
    for units in (~is_target, is_target):
        entries = judged & units
        if entries.any():
            squared = float(np.mean((expected - values)[entries].astype(np.float64) ** 2))
            logs.append(math.log(max(squared, _SMALLEST)) if squared == squared else math.inf)
            weights.append(int(units.sum()))
    return float(np.exp(np.average(logs, weights=weights)))


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


def exact_expectation(
    gaussian: Moments, held: NDArray[np.float64], observed: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows with their missing entries expected, and cov[missing | observed] averaged over all rows.

    Of a covariance that is nearly singular a search would need hundreds of steps, and one that ends
    early leads rounds astray. Here each row is solved for by the inverse of the smaller of two
    blocks: the observed one of the covariance, or the missing one of its inverse. That takes
    ``m^3`` operations for a block of size m.

    Examples
    --------
    >>> gaussian = Moments(np.zeros(2), np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> rows, spread = exact_expectation(
    ...     gaussian, np.array([[2.0, 0.0]]), np.array([[True, False]]))
    >>> rows.round(6).tolist(), spread.round(6).tolist()
    ([[2.0, 1.0]], [[0.0, 0.0], [0.0, 0.75]])
    """
    mean, covariance = gaussian
    precision = symmetric_from_lower(dpotri(np.linalg.cholesky(covariance), lower=True)[0])
    expected = held.copy()
    inverses_of_seen, spread = np.zeros_like(covariance), np.zeros_like(covariance)
    n_few = 0
    for row, seen in zip(expected, observed, strict=True):
        inside, outside = np.flatnonzero(seen), np.flatnonzero(~seen)
        away = row[inside] - mean[inside]
        if len(inside) < len(outside):
            n_few += 1
            inverse = _inverse_of_block(covariance, inside)
            row[outside] = mean[outside] + covariance[np.ix_(outside, inside)] @ (inverse @ away)
            inverses_of_seen[np.ix_(inside, inside)] += inverse
        elif len(outside):
            inverse = _inverse_of_block(precision, outside)
            pulled = precision[np.ix_(outside, inside)] @ away
            row[outside] = mean[outside] - inverse @ pulled
            spread[np.ix_(outside, outside)] += inverse
    spread += n_few * covariance - covariance @ inverses_of_seen @ covariance
    return expected, spread / len(held)


def _inverse_of_block(matrix: NDArray[np.float64], units: NDArray[np.intp]) -> NDArray[np.float64]:
    factor = dpotrf(matrix[np.ix_(units, units)].T, lower=True, overwrite_a=True)[0]
    return symmetric_from_lower(dpotri(factor, lower=True, overwrite_c=True)[0])


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
