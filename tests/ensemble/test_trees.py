"""Trees of targets."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.ensemble.trees import boost_trees


@pytest.mark.parametrize("seed", range(4))
def test_boosting_of_a_class_of_three_rows_stays_finite(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(1500, 8)).astype(np.float32)
    codes = (np.arange(1500) < 3).astype(int)
    share = np.array([0.998, 0.002])
    trees = boost_trees(X, codes, np.ones(1500), share, seed, 60)
    assert np.isfinite(trees.output).all()
    proba = trees.predict_proba(X)
    assert np.isfinite(proba).all()
    assert proba[:3, 1].min() > proba[3:, 1].mean()
