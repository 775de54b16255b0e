from __future__ import annotations

import numpy as np
from sklearn.linear_model import BayesianRidge

from halfseen.baselines._round_robin import RoundRobin


def test_wide_tables_regress_on_a_few_columns() -> None:
    generator = np.random.default_rng(0)
    factor = generator.standard_normal((100, 1))
    X = factor @ np.ones((1, 30)) + 0.1 * generator.standard_normal((100, 30))
    incomplete = np.where(generator.random(X.shape) < 0.3, np.nan, X)
    robin = RoundRobin(BayesianRidge(), n_rounds=2, n_nearest=5, random_state=0)
    completed = robin.fit_transform(incomplete[:80])
    assert np.abs(completed - X[:80]).max() < 1.0
    assert {len(step.neighbor_feat_idx) for step in robin.imputer.imputation_sequence_} == {5}
    assert np.abs(robin.transform(incomplete[80:]) - X[80:]).max() < 1.0


def test_rows_without_anything_observed() -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0], [np.nan, np.nan], [4.0, np.nan]])
    robin = RoundRobin(BayesianRidge(), n_rounds=2, n_nearest=5, random_state=0)
    assert np.isfinite(robin.fit_transform(X)).all()
    assert np.isfinite(robin.transform(np.full((2, 2), np.nan))).all()
