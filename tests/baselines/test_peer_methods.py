"""What holds for every peer that a user might pick instead."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from halfseen.baselines.baseline import Baseline
from halfseen.baselines.boosted_imputed import BoostedImputed
from halfseen.baselines.boosted_native import BoostedNative
from halfseen.baselines.column_prior import ColumnPrior
from halfseen.baselines.gaussian_em import GaussianEM
from halfseen.baselines.iterative_imputer import IterativeImputerPeer
from halfseen.baselines.miss_forest import MissForest
from halfseen.baselines.nearest_neighbours import NearestNeighbours
from halfseen.baselines.probabilistic_pca import ProbabilisticPCA
from halfseen.baselines.soft_impute import SoftImpute
from halfseen.baselines.tuner import drawn_candidates
from halfseen.baselines.xgboost_masked import XGBoostMasked

METHODS: list[Baseline] = [
    ColumnPrior(),
    GaussianEM(),
    ProbabilisticPCA(n_components=3),
    SoftImpute(),
    IterativeImputerPeer(n_rounds=2),
    MissForest(n_trees=4, n_rounds=1, classifier="logistic"),
    NearestNeighbours(n_neighbours=10),
    BoostedNative(n_rounds=20),
    BoostedImputed(n_rounds=20),
]
if importlib.util.find_spec("xgboost"):
    METHODS.append(XGBoostMasked(n_rounds=25))
LEARNING = METHODS[1:]


def named(method: Baseline) -> str:
    return type(method).__name__


def table(
    n_rows: int = 200, target: str = "labels"
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X and Y in full, then with 40 % hidden: three factors give ten features and the labels."""
    generator = np.random.default_rng(7)
    factors = generator.standard_normal((n_rows, 3))
    X = factors @ generator.standard_normal((3, 10)) * 2.0 + 5.0
    X += 0.2 * generator.standard_normal(X.shape)
    if target == "classes":
        Y = np.eye(3)[np.argmax(factors, axis=1)]
        hidden_y = np.broadcast_to(generator.random((n_rows, 1)) < 0.4, Y.shape)
    else:
        Y = (factors + 0.3 > 0).astype(float)
        hidden_y = generator.random(Y.shape) < 0.4
    hidden_x = generator.random(X.shape) < 0.4
    return X, Y, np.where(hidden_x, np.nan, X), np.where(hidden_y, np.nan, Y)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_leaves_what_is_observed_and_says_where_features_come_from(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(60)
    features, scores = clone(method).fit(X_seen, Y_seen).complete()
    seen_x, seen_y = ~np.isnan(X_seen), ~np.isnan(Y_seen)
    np.testing.assert_array_equal(features[seen_x], X[seen_x])
    np.testing.assert_array_equal(scores[seen_y], Y[seen_y])
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    if not method.imputes:
        assert method.feature_source != Baseline.feature_source
        np.testing.assert_allclose(features[~seen_x[:, 0], 0], np.nanmean(X_seen[:, 0]))
    if method.gives_probabilities:
        assert scores.min() >= 0
        assert scores.max() <= 1


@pytest.mark.parametrize("method", LEARNING, ids=named)
def test_predicts_what_is_hidden(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table()
    features, scores = clone(method).fit(X_seen, Y_seen).complete()
    hidden_x, hidden_y = np.isnan(X_seen), np.isnan(Y_seen)
    if method.imputes:
        assert np.mean((features - X)[hidden_x] ** 2) < 0.6 * np.var(X[hidden_x])
    assert roc_auc_score(Y[hidden_y], scores[hidden_y]) > 0.8


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_same_seed_same_bits_and_arguments_untouched(method: Baseline) -> None:
    _, _, X, Y = table(40)
    kept_x, kept_y = X.copy(), Y.copy()
    first, second = (clone(method).fit(X, Y) for _ in range(2))
    assert first.complete().features.tobytes() == second.complete().features.tobytes()
    assert first.complete().scores.tobytes() == second.complete().scores.tobytes()
    assert first.predict_scores(X).tobytes() == second.predict_scores(X).tobytes()
    np.testing.assert_array_equal(X, kept_x)
    np.testing.assert_array_equal(Y, kept_y)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_odd_columns_rows_and_labels(method: Baseline) -> None:
    _, _, X, Y = table(60)
    X[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, 7.3)  # constant
    X[:, 1] = np.nan  # never observed
    X[3], Y[3] = np.nan, np.nan  # a row of nothing
    Y[:, 0] = np.where(np.isnan(Y[:, 0]), np.nan, 0.0)  # one value only
    Y[:, 1] = np.nan  # never known
    fitted = clone(method).fit(X, Y)
    features, scores = fitted.complete()
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(features[:, 0], 7.3, atol=0.3)
    np.testing.assert_allclose(features[:, 1], 0.0, atol=0.1)
    np.testing.assert_allclose(scores[:, 0], 0.0, atol=0.3)
    assert np.isfinite(fitted.predict_scores(X)).all()


@pytest.mark.parametrize("method", METHODS, ids=named)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_single_known_label_and_features_of_one_value(method: Baseline, value: float) -> None:
    X, Y = np.full((5, 3), 2.0), np.full((5, 2), np.nan)
    X[0, 0], Y[0, 0] = np.nan, value
    features, scores = clone(method).fit(X, Y).complete()
    np.testing.assert_allclose(features, 2.0, atol=0.2)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_one_feature_and_one_label(method: Baseline) -> None:
    X = np.linspace(0.0, 1.0, 50)[:, None]
    Y = (X > 0.5).astype(float)
    X[4], Y[::7] = np.nan, np.nan
    fitted = clone(method).fit(X, Y)
    assert np.isfinite(fitted.complete().features).all()
    low, high = fitted.predict_scores([[0.1], [0.9]])[:, 0]
    assert low < high or isinstance(method, ColumnPrior)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_classes(method: Baseline) -> None:
    _, Y, X_seen, Y_seen = table(target="classes")
    hidden = np.isnan(Y_seen[:, 0])
    fitted = clone(method).fit(X_seen, Y_seen, target="classes")
    scores = fitted.complete().scores
    right = scores[hidden].argmax(axis=1) == Y[hidden].argmax(axis=1)
    assert np.mean(right) > 0.6 or isinstance(method, ColumnPrior)
    np.testing.assert_array_equal(scores[~hidden], Y[~hidden])
    if method.gives_probabilities:
        for probabilities in (scores, fitted.predict_scores(X_seen)):
            assert probabilities.min() >= 0
            np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_a_class_never_seen(method: Baseline) -> None:
    _, _, X, Y = table(60, target="classes")
    Y[Y[:, 2] == 1] = np.nan
    scores = clone(method).fit(X, Y, target="classes").complete().scores
    assert np.isfinite(scores).all()
    assert (scores.argmax(axis=1) != 2).all()


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_more_columns_than_rows(method: Baseline) -> None:
    generator = np.random.default_rng(5)
    X, Y = generator.standard_normal((12, 60)), generator.integers(0, 2, (12, 2)).astype(float)
    X[generator.random(X.shape) < 0.3] = np.nan
    Y[0] = np.nan
    features, scores = clone(method).fit(X, Y).complete()
    assert features.shape == X.shape
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("method", LEARNING, ids=named)
def test_new_rows(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(300)
    fitted = clone(method).fit(X_seen[:200], Y_seen[:200])
    assert roc_auc_score(Y[200:].ravel(), fitted.predict_scores(X[200:]).ravel()) > 0.9
    incomplete = fitted.predict_scores(X_seen[200:])
    assert roc_auc_score(Y[200:].ravel(), incomplete.ravel()) > 0.85
    alone = fitted.predict_scores(X_seen[205:206])
    np.testing.assert_allclose(alone, incomplete[5:6], atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_its_grid_can_be_searched(method: Baseline) -> None:
    for candidate in drawn_candidates(method.grid, budget=50, seed=0):
        assert clone(method).set_params(**candidate).get_params().items() >= candidate.items()
