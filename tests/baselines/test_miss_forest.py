from __future__ import annotations

import numpy as np

from halfseen.baselines.miss_forest import MissForest


def test_completes_what_no_line_does() -> None:
    """The second column is the square of the first, with which it does not correlate."""
    first = np.random.default_rng(0).uniform(-1, 1, 300)
    X = np.column_stack([first, first**2])
    incomplete = X.copy()
    incomplete[::5, 1] = np.nan
    fitted = MissForest(classifier="logistic").fit(incomplete, (X[:, :1] > 0).astype(float))
    error = (fitted.complete().features - X)[::5, 1]
    assert np.mean(error**2) < 0.1 * X[:, 1].var()


def test_trees_stay_small() -> None:
    X = np.random.default_rng(0).standard_normal((500, 2))
    X[::3, 0] = np.nan
    fitted = MissForest(max_leaf_nodes=8, n_rounds=1, classifier="logistic").fit(X, X[:, 1:] > 0)
    steps = fitted.imputer_.imputer.imputation_sequence_
    leaves = [tree.get_n_leaves() for step in steps for tree in step.estimator.estimators_]
    assert max(leaves) == 8
