from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from halfseen.baselines._gaussian import (
    Gaussian,
    conditional_means,
    expectation,
    fit_gaussian,
    log_posterior,
    maximised,
    pairwise_start,
    patterns,
)


def example(seed: int, share: float, n_rows: int = 30, d: int = 7) -> tuple[Gaussian, np.ndarray]:
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((d, d))
    gaussian = Gaussian(generator.standard_normal(d), root @ root.T + np.eye(d))
    table = generator.multivariate_normal(*gaussian, n_rows)
    table[generator.random(table.shape) >= share] = np.nan
    return gaussian, table


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
def test_expectation_row_by_row(seed: int, share: float) -> None:
    """Against the textbook formula for one row at a time, and scipy's density."""
    gaussian, table = example(seed, share)
    completed, summed, log_likelihood = table.copy(), np.zeros((7, 7)), 0.0
    for row in completed:
        o = ~np.isnan(row)
        S = gaussian.covariance
        gain = S[np.ix_(~o, o)] @ np.linalg.inv(S[np.ix_(o, o)])
        summed[np.ix_(~o, ~o)] += S[np.ix_(~o, ~o)] - gain @ S[np.ix_(o, ~o)]
        if o.any():
            observed = multivariate_normal(gaussian.mean[o], S[np.ix_(o, o)])
            log_likelihood += observed.logpdf(row[o])
        row[~o] = gaussian.mean[~o] + gain @ (row[o] - gaussian.mean[o])
    expected = expectation(gaussian, table)
    np.testing.assert_allclose(expected.completed, completed, atol=1e-7)
    np.testing.assert_allclose(expected.covariance, summed, atol=1e-7)
    assert expected.log_likelihood == pytest.approx(log_likelihood, rel=1e-8, abs=1e-8)
    np.testing.assert_allclose(conditional_means(gaussian, table), completed, atol=1e-7)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0.01, 0.3]))
def test_every_step_climbs_the_posterior(seed: int, share: float, shrinkage: float) -> None:
    _, table = example(seed, share)
    gaussian = pairwise_start(table, shrinkage)
    climb = []
    for _ in range(8):
        expected = expectation(gaussian, table)
        climb.append(log_posterior(gaussian, expected.log_likelihood, len(table), shrinkage))
        gaussian = maximised(expected, shrinkage)
    assert (np.diff(climb) > -1e-7 * np.abs(climb[:-1])).all()


def test_complete_table_gives_the_sample_covariance() -> None:
    _, table = example(0, 1.1)
    gaussian = fit_gaussian(table, shrinkage=0.1, n_iterations=5, tolerance=0.0)
    np.testing.assert_allclose(gaussian.mean, table.mean(axis=0))
    sample = np.cov(table.T, bias=True)
    np.testing.assert_allclose(gaussian.covariance, 0.9 * sample + 0.1 * np.eye(7))


def test_rows_of_one_pattern_come_together() -> None:
    observed = np.random.default_rng(0).random((60, 11)) < 0.5
    observed[10:40] = observed[5]
    seen_rows: list[int] = []
    for rows, seen, missing in patterns(observed):
        for row in rows:
            np.testing.assert_array_equal(np.flatnonzero(observed[row]), seen)
            np.testing.assert_array_equal(np.flatnonzero(~observed[row]), missing)
        seen_rows.extend(rows)
    assert sorted(seen_rows) == list(range(60))
    assert sum(len(rows) > 1 for rows, _, _ in patterns(observed)) == 1


@pytest.mark.parametrize("shrinkage", [0.0, 1.0, -0.1])
def test_shrinkage_out_of_range(shrinkage: float) -> None:
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        fit_gaussian(np.zeros((3, 2)), shrinkage=shrinkage, n_iterations=1, tolerance=0.0)
