from __future__ import annotations

import numpy as np

from halfseen.baselines.boosted_native import BoostedNative


def test_that_a_feature_is_missing_may_tell() -> None:
    """Where missing says something by itself, native NaN sees it and no imputation could."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((300, 2))
    Y = generator.integers(0, 2, (300, 1)).astype(float)
    X[Y[:, 0] == 1, 0] = np.nan
    fitted = BoostedNative(n_rounds=20).fit(X, Y)
    absent, present = fitted.predict_scores([[np.nan, 0.0], [0.0, 0.0]])[:, 0]
    assert absent > 0.85
    assert present < 0.15


def test_other_labels_are_used_where_known() -> None:
    generator = np.random.default_rng(1)
    first = generator.integers(0, 2, (300, 1)).astype(float)
    Y = np.hstack([first, first])
    Y[:60, 1] = np.nan
    scores = BoostedNative(n_rounds=30).fit(generator.standard_normal((300, 2)), Y).complete()
    assert np.mean((scores.scores[:60, 1] > 0.5) == first[:60, 0]) > 0.95
