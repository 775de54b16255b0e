"""The correlated prior of very many units: principal components, and a variance for each unit."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.prior_fit import continued_mean_of_rows
from halfseen.machine.correlated_prior import LowRankPrior

MOST_ROWS_OF_WIDE = 1000
RANK_OF_WIDE = 64
_ROUNDS = 4
_SEARCH_STEPS = 15
_LEAST_NOISE = 1e-3


def fit_wide_prior(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    shrinkage: float,
    seed: int,
) -> LowRankPrior:
    """A joint Gaussian of all units of which no covariance matrix is ever written down.

    Its covariance is that of the rows with their holes filled by its own expectation, reduced to 64
    principal components, shrunk towards one; what the components leave out is a variance of each
    unit, and so is the uncertainty of what was filled in. Four rounds from the means; at most 1,000
    random rows, whose singular vectors cost 1,000^2 n operations for n units.

    Parameters
    ----------
    values, observed : ndarray of shape (n_rows, n_units)
        Units in standard units.
    shrinkage : float
        Share of the covariance taken from its diagonal target, one.
    seed : int
        Seed of the rows that are looked at.

    Returns
    -------
    LowRankPrior

    Examples
    --------
    >>> walk = np.repeat(np.linspace(-1.7, 1.7, 50, dtype=np.float32)[:, None], 3, axis=1)
    >>> prior = fit_wide_prior(walk, np.ones((50, 3), bool), 0.1, seed=0)
    >>> prior.covariance_times(jnp.eye(3)).round(2)[0].tolist()
    [1.0, 0.8999999761581421, 0.8999999761581421]
    """
    drawn = np.random.default_rng([seed, 13]).permutation(len(values))[:MOST_ROWS_OF_WIDE]
    rows = np.sort(drawn)
    seen = observed[rows]
    held = np.where(seen, values[rows], 0.0).astype(np.float32)
    n_units = held.shape[1]
    mean = held.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    prior = LowRankPrior(
        jnp.asarray(mean), jnp.ones(n_units, jnp.float32), jnp.zeros((n_units, 1), jnp.float32)
    )
    missing = 1.0 - seen.mean(axis=0)
    for _ in range(_ROUNDS if missing.any() else 1):
        # Components turn from round to round: what was found of them before is of no use.
        nothing = jnp.zeros((len(held), prior.loading.shape[1]), jnp.float32)
        said, _found = continued_mean_of_rows(
            prior, jnp.asarray(held), jnp.asarray(seen), nothing, _SEARCH_STEPS
        )
        expected = np.asarray(said)
        filled = np.where(seen, held, expected)
        mean = filled.mean(axis=0)
        prior = _of_components(mean, filled - mean, missing * np.asarray(prior.noise), shrinkage)
    return prior


def _of_components(
    mean: NDArray[np.float32],
    away: NDArray[np.float32],
    uncertain: NDArray[np.float32],
    shrinkage: float,
) -> LowRankPrior:
    n_rows, _ = away.shape
    _, lengths, directions = np.linalg.svd(away / np.sqrt(n_rows), full_matrices=False)
    rank = min(RANK_OF_WIDE, len(lengths))
    loading = np.sqrt(1 - shrinkage) * directions[:rank].T * lengths[:rank]
    whole = (1 - shrinkage) * (np.mean(away**2, axis=0) + uncertain) + shrinkage
    noise = np.maximum(whole - np.sum(loading**2, axis=1), _LEAST_NOISE)
    return LowRankPrior(
        jnp.asarray(mean, jnp.float32),
        jnp.asarray(noise, jnp.float32),
        jnp.asarray(loading, jnp.float32),
    )
