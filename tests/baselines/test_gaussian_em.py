from __future__ import annotations

import numpy as np

from halfseen.baselines.gaussian_em import GaussianEM


def test_a_new_row_is_a_row_without_labels() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((80, 4))
    Y = (X[:, :2] + 0.5 * X[:, 2:] > 0).astype(float)
    X[generator.random(X.shape) < 0.3] = np.nan
    Y[generator.random(Y.shape) < 0.3] = np.nan
    Y[11] = np.nan
    fitted = GaussianEM().fit(X, Y)
    np.testing.assert_allclose(fitted.predict_scores(X[11:12]), fitted.complete().scores[11:12])


def test_known_labels_of_a_row_inform_the_unknown_ones() -> None:
    generator = np.random.default_rng(1)
    Y = np.repeat(generator.integers(0, 2, (200, 1)), 2, axis=1).astype(float)
    Y[generator.random(Y.shape) < 0.2] = np.nan
    Y[0], Y[1] = [1.0, np.nan], [0.0, np.nan]
    scores = GaussianEM().fit(generator.standard_normal((200, 2)), Y).complete().scores
    assert scores[0, 1] > 0.7
    assert scores[1, 1] < 0.3


def test_features_learn_from_labels() -> None:
    generator = np.random.default_rng(2)
    Y = generator.integers(0, 2, (200, 1)).astype(float)
    X = 10 * Y + generator.standard_normal((200, 1))
    X[:4] = np.nan
    features = GaussianEM(shrinkage=0.01).fit(X, Y).complete().features
    np.testing.assert_allclose(features[:4], 10 * Y[:4], atol=1.0)
