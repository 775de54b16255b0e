from __future__ import annotations

import numpy as np

from halfseen.baselines.boosted_imputed import BoostedImputed


def test_features_are_the_same_whatever_the_labels() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((60, 1)) @ np.ones((1, 4))
    X += 0.2 * generator.standard_normal(X.shape)
    incomplete = np.where(generator.random(X.shape) < 0.3, np.nan, X)
    Y = generator.integers(0, 2, (60, 2)).astype(float)
    one = BoostedImputed(n_rounds=2).fit(incomplete, Y).complete().features
    other = BoostedImputed(n_rounds=2).fit(incomplete, 1 - Y).complete().features
    np.testing.assert_array_equal(one, other)
    assert np.mean((one - X)[np.isnan(incomplete)] ** 2) < 0.2


def test_trees_learn_what_the_gaussian_cannot() -> None:
    generator = np.random.default_rng(1)
    X = generator.standard_normal((400, 2))
    Y = (X[:, :1] * X[:, 1:] > 0).astype(float)
    Y[:100] = np.nan
    scores = BoostedImputed(n_rounds=60).fit(X, Y).complete().scores[:100, 0]
    assert np.mean((scores > 0.5) == (X[:100, 0] * X[:100, 1] > 0)) > 0.9
