"""Little's test."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.inspection.little_mcar import _by_em, _groups, little_mcar

Floats = NDArray[np.float64]


def correlated(n: int, d: int, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    values: Floats = generator.normal(size=(n, d)) @ generator.normal(size=(d, d))
    return values


def test_em_of_a_complete_table_is_its_mean_and_covariance() -> None:
    values = correlated(200, 3, 0) + 5
    mean, covariance = _by_em(_groups(values, np.ones(values.shape, bool)))
    np.testing.assert_allclose(mean, values.mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(covariance, np.cov(values.T, bias=True), rtol=1e-4, atol=1e-4)


def test_em_is_a_stationary_point_of_the_likelihood() -> None:
    values = np.random.default_rng(1).normal(size=(150, 3)) @ np.array(
        [[1.0, 0.5, 0.2], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]]
    )
    observed = np.random.default_rng(2).random(values.shape) < 0.7
    mean, covariance = _by_em(_groups(np.where(observed, values, 0.0), observed))

    def log_likelihood(mean: Floats, covariance: Floats) -> float:
        total = 0.0
        for row, seen in zip(values, observed, strict=True):
            if seen.any():
                part = covariance[np.ix_(seen, seen)]
                away = row[seen] - mean[seen]
                total -= float(away @ np.linalg.solve(part, away) + np.linalg.slogdet(part)[1]) / 2
        return total

    best = log_likelihood(mean, covariance)
    for j in range(3):
        scale = covariance[j, j]
        for step in (-0.1, 0.1):
            assert log_likelihood(mean + step * np.sqrt(scale) * np.eye(3)[j], covariance) < best
            changed = covariance + step * scale * np.diag(np.eye(3)[j])
            assert log_likelihood(mean, changed) < best


def test_with_two_patterns_by_hand() -> None:
    values = correlated(400, 2, 3)
    observed = np.ones((400, 2), bool)
    observed[:150, 1] = False
    found = little_mcar(values, observed)
    assert found is not None
    # One degree of freedom: the mean of the column that is always seen, between the two patterns.
    assert (found.degrees_of_freedom, found.n_patterns, found.n_rows) == (1, 2, 400)
    welch = values[:150, 0].mean() - values[150:, 0].mean()
    pooled = values[:, 0].var() * (1 / 150 + 1 / 250)
    assert found.statistic == pytest.approx(welch**2 / pooled, rel=0.3)


@pytest.mark.parametrize("tail", [1.0, 3.0])
def test_false_alarms_are_rare_even_under_heavy_tails(tail: float) -> None:
    alarms = 0
    for seed in range(60):
        values = np.sinh(tail * correlated(150, 4, seed))
        observed = np.random.default_rng([seed, 1]).random(values.shape) < 0.75
        found = little_mcar(values, observed)
        assert found is not None
        alarms += found.p_value < 0.05
    assert alarms <= 8  # binomial(60, 0.05): 3, standard deviation 1.7


def test_holes_that_depend_on_a_value_are_found() -> None:
    values = correlated(300, 4, 5)
    observed = np.ones(values.shape, bool)
    observed[:, 3] = values[:, 0] < values[:, 0].mean()
    found = little_mcar(values, observed)
    assert found is not None
    assert found.p_value < 1e-6


def test_when_it_cannot_be_made() -> None:
    values = correlated(100, 3, 6)
    everything = np.ones(values.shape, bool)
    assert little_mcar(values[:, :1], everything[:, :1]) is None
    assert little_mcar(values, everything) is None
    assert little_mcar(values[:5], np.random.default_rng(0).random((5, 3)) < 0.5) is None
    assert (
        little_mcar(np.zeros((400, 21)), np.random.default_rng(0).random((400, 21)) < 0.5) is None
    )
    never = everything.copy()
    never[:, 2] = False
    assert little_mcar(values, never) is None


def test_columns_that_determine_each_other() -> None:
    values = correlated(200, 2, 7)
    doubled = np.concatenate([values, values], axis=1)
    observed = np.random.default_rng(8).random(doubled.shape) < 0.8
    found = little_mcar(doubled, observed)
    assert found is not None
    assert np.isfinite(found.statistic)
