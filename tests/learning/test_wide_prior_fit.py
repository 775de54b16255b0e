"""The prior of very many units is the covariance itself where that can be written down."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.learning.wide_prior_fit import MOST_ROWS_OF_WIDE, RANK_OF_WIDE, fit_wide_prior
from halfseen.machine.correlated_prior import conditional_mean


def factor_rows(n_rows: int, n_units: int, seed: int = 0) -> NDArray[np.float32]:
    """Rows of three factors and a little noise, in standard units."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(n_rows, 3)) @ generator.normal(size=(3, n_units))
    rows += 0.3 * generator.normal(size=rows.shape)
    standard: NDArray[np.float32] = ((rows - rows.mean(0)) / rows.std(0)).astype(np.float32)
    return standard


@pytest.mark.parametrize("shrinkage", [0.05, 0.7])
def test_complete_rows_of_few_units_give_the_covariance(shrinkage: float) -> None:
    rows = factor_rows(40, 7)
    prior = fit_wide_prior(rows, np.ones(rows.shape, bool), shrinkage, seed=0)
    expected = (1 - shrinkage) * np.cov(rows.T, bias=True) + shrinkage * np.eye(7)
    assert np.allclose(prior.covariance_times(jnp.eye(7)), expected, atol=1e-4)
    assert np.allclose(prior.mean, rows.mean(axis=0), atol=1e-5)


def test_of_many_units_the_variances_are_kept() -> None:
    rows = factor_rows(200, RANK_OF_WIDE + 30)
    prior = fit_wide_prior(rows, np.ones(rows.shape, bool), 0.1, seed=0)
    assert prior.loading.shape == (RANK_OF_WIDE + 30, RANK_OF_WIDE)
    diagonal = np.diag(np.asarray(prior.covariance_times(jnp.eye(RANK_OF_WIDE + 30))))
    assert np.allclose(diagonal, 0.9 * rows.var(axis=0) + 0.1, atol=1e-3)


def test_holes_are_seen_through() -> None:
    rows = factor_rows(150, 120)
    seen = np.random.default_rng(1).random(rows.shape) < 0.6
    prior = fit_wide_prior(np.where(seen, rows, 99.0).astype(np.float32), seen, 0.05, seed=0)
    expected = conditional_mean(prior, jnp.asarray(rows), jnp.asarray(seen), 30)
    error = np.mean((np.asarray(expected) - rows)[~seen] ** 2)
    assert error < 0.3 * np.mean(rows[~seen] ** 2)
    assert (np.asarray(prior.noise) > 0).all()


def test_a_long_table_is_represented_by_some_of_its_rows() -> None:
    rows = factor_rows(MOST_ROWS_OF_WIDE + 500, 5)
    seen = np.ones(rows.shape, bool)
    one, other = (fit_wide_prior(rows, seen, 0.1, seed=seed) for seed in (0, 1))
    assert not np.array_equal(one.loading, other.loading)
    again = fit_wide_prior(rows, seen, 0.1, seed=0)
    assert np.array_equal(one.loading, again.loading)


def test_nothing_observed_leaves_independent_units() -> None:
    rows = np.full((4, 3), np.nan, np.float32)
    prior = fit_wide_prior(rows, np.zeros(rows.shape, bool), 0.05, seed=0)
    assert np.allclose(prior.covariance_times(jnp.eye(3)), np.eye(3), atol=0.1)
