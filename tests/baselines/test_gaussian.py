"""The joint Gaussian: closed forms, a likelihood that climbs, and what informs what."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from halfseen.baselines.gaussian import GaussianCompletion, GaussianEM


def moments(completion: GaussianCompletion) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance, in standard units."""
    mean, noise, loading = (np.asarray(part, dtype=np.float64) for part in completion.gaussian)
    return mean, loading @ loading.T + np.diag(noise)


def correlated(n_rows: int = 80, n_columns: int = 5) -> np.ndarray:
    generator = np.random.default_rng(0)
    mixing = generator.standard_normal((n_columns, n_columns))
    return generator.standard_normal((n_rows, n_columns)) @ mixing + 3.0


def test_a_complete_table_gives_the_shrunk_sample_covariance() -> None:
    table = correlated()
    mean, covariance = moments(GaussianCompletion(0.1, 8, 0).fit(table))
    np.testing.assert_allclose(mean, 0.0, atol=1e-4)
    sample = np.corrcoef(table.T)
    np.testing.assert_allclose(covariance, 0.9 * sample + 0.1 * np.eye(5), atol=5e-3)


def test_a_completion_is_the_conditional_mean() -> None:
    table = correlated()
    table[np.random.default_rng(1).random(table.shape) < 0.4] = np.nan
    completion = GaussianCompletion(0.05, 8, 0).fit(table)
    mean, covariance = moments(completion)
    found = completion.scale.standardised(completion.transform(table))
    for row, completed in zip(completion.scale.standardised(table), found, strict=True):
        o = ~np.isnan(row)
        gain = np.linalg.solve(covariance[np.ix_(o, o)], covariance[np.ix_(o, ~o)])
        expected = mean[~o] + (row[o] - mean[o]) @ gain
        np.testing.assert_allclose(completed[~o], expected, atol=1e-3)


def test_rounds_of_em_climb_the_likelihood() -> None:
    table = correlated(n_rows=300)
    table[np.random.default_rng(1).random(table.shape) < 0.4] = np.nan

    def log_likelihood(n_rounds: int) -> float:
        completion = GaussianCompletion(0.01, n_rounds, 0).fit(table)
        mean, covariance = moments(completion)
        return sum(
            multivariate_normal.logpdf(row[o], mean[o], covariance[np.ix_(o, o)])
            for row in completion.scale.standardised(table)
            if (o := ~np.isnan(row)).any()
        )

    first, later, last = (log_likelihood(n_rounds) for n_rounds in (1, 8, 24))
    assert later > first + 1
    assert last > later - 0.5  # the covariance of missing entries is simulated


def test_a_new_row_is_a_row_without_labels() -> None:
    table = correlated(96, 6)
    X, Y = table[:, :4], (table[:, 4:] > 3).astype(float)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    Y[11] = np.nan
    fitted = GaussianEM().fit(X, Y)
    found = fitted.predict_scores(X[11:12])
    np.testing.assert_allclose(found, fitted.complete().scores[11:12], atol=1e-5)


def test_labels_inform_features_and_other_labels() -> None:
    generator = np.random.default_rng(1)
    Y = np.repeat(generator.integers(0, 2, (200, 1)), 2, axis=1).astype(float)
    X = 10 * Y[:, :1] + generator.standard_normal((200, 1))
    X[:4], known = np.nan, Y[:4].copy()
    Y[:4, 1] = np.nan
    features, scores = GaussianEM(shrinkage=0.01).fit(X, Y).complete()
    np.testing.assert_allclose(features[:4], 10 * known[:, :1], atol=1.0)
    np.testing.assert_allclose(scores[:4, 1], known[:, 1], atol=0.3)


@pytest.mark.parametrize("shrinkage", [0.0, 1.0, -0.1])
def test_shrinkage_out_of_range(shrinkage: float) -> None:
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        GaussianEM(shrinkage=shrinkage).fit([[1.0], [2.0]], [[0], [1]])
