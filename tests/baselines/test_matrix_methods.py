"""What holds for every method that completes by matrices."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from halfseen.baselines.baseline import Baseline, NotInductive
from halfseen.baselines.cle import CLE
from halfseen.baselines.cle_nonlinear import NonlinearCLE
from halfseen.baselines.coco import COCO
from halfseen.baselines.mc1 import MC1
from halfseen.baselines.noisy_imc import NoisyIMC
from halfseen.baselines.tuner import drawn_candidates

METHODS: list[Baseline] = [
    MC1(lam=0.3),
    COCO(lam=0.3),
    NoisyIMC(),
    CLE(n_components=5, max_iter=40),
    NonlinearCLE(n_components=5, n_frequencies=40, max_iter=40),
]
INDUCTIVE = [method for method in METHODS if method.inductive]


def named(method: Baseline) -> str:
    return method.method


def table(
    seed: int = 0, n_rows: int = 120, target: str = "labels"
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X and Y in full, then with 40 % hidden: three factors give ten features and the labels."""
    generator = np.random.default_rng([seed, 9])
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
def test_predicts_what_is_hidden_and_leaves_what_is_observed(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table()
    features, scores = clone(method).fit(X_seen, Y_seen).complete()
    seen_x, seen_y = ~np.isnan(X_seen), ~np.isnan(Y_seen)
    np.testing.assert_array_equal(features[seen_x], X[seen_x])
    np.testing.assert_array_equal(scores[seen_y], Y[seen_y])
    assert np.mean((features - X)[~seen_x] ** 2) < 0.35 * np.var(X[~seen_x])
    assert roc_auc_score(Y[~seen_y], scores[~seen_y]) > 0.9


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_same_seed_same_bits_and_arguments_untouched(method: Baseline) -> None:
    _, _, X, Y = table(n_rows=40)
    kept_x, kept_y = X.copy(), Y.copy()
    first, second = (clone(method).fit(X, Y).complete() for _ in range(2))
    assert first.features.tobytes() == second.features.tobytes()
    assert first.scores.tobytes() == second.scores.tobytes()
    np.testing.assert_array_equal(X, kept_x)
    np.testing.assert_array_equal(Y, kept_y)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_odd_columns_rows_and_labels(method: Baseline) -> None:
    _, _, X, Y = table(n_rows=60)
    X[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, 7.3)  # constant
    X[:, 1] = np.nan  # never observed
    X[3], Y[3] = np.nan, np.nan  # a row of nothing
    Y[:, 0] = np.where(np.isnan(Y[:, 0]), np.nan, 0.0)  # one value only
    Y[:, 1] = np.nan  # never known
    fitted = clone(method).fit(X, Y)
    features, scores = fitted.complete()
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(features[:, 0], 7.3, atol=1.0)
    np.testing.assert_allclose(features[:, 1], 0.0, atol=0.1)
    if method.inductive:
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
def test_classes(method: Baseline) -> None:
    _, Y, X_seen, Y_seen = table(target="classes")
    hidden = np.isnan(Y_seen[:, 0])
    scores = clone(method).fit(X_seen, Y_seen, target="classes").complete().scores
    assert np.mean(scores[hidden].argmax(axis=1) == Y[hidden].argmax(axis=1)) > 0.6
    np.testing.assert_array_equal(scores[~hidden], Y[~hidden])
    if method.gives_probabilities:
        assert scores.min() >= 0
        np.testing.assert_allclose(scores.sum(axis=1), 1.0)


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


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_units_do_not_matter(method: Baseline) -> None:
    _, _, X, Y = table(n_rows=50)
    plain = clone(method).fit(X, Y).complete()
    other = clone(method).fit(1000.0 * X - 3.0, Y).complete()
    np.testing.assert_allclose((other.features + 3.0) / 1000.0, plain.features, rtol=1e-3)
    np.testing.assert_allclose(other.scores, plain.scores, atol=1e-3)


@pytest.mark.parametrize("method", INDUCTIVE, ids=named)
def test_new_rows(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(n_rows=240)
    fitted = clone(method).fit(X_seen[:160], Y_seen[:160])
    assert roc_auc_score(Y[160:].ravel(), fitted.predict_scores(X[160:]).ravel()) > 0.93
    incomplete = fitted.predict_scores(X_seen[160:])
    assert roc_auc_score(Y[160:].ravel(), incomplete.ravel()) > 0.85
    np.testing.assert_allclose(fitted.predict_scores(X_seen[165:166]), incomplete[5:6], atol=1e-9)
    nothing = fitted.predict_scores(np.full((1, 10), np.nan))
    np.testing.assert_allclose(nothing[0], np.nanmean(Y_seen[:160], axis=0), atol=0.25)


@pytest.mark.parametrize("method", [m for m in METHODS if not m.inductive], ids=named)
def test_new_rows_are_refused(method: Baseline) -> None:
    _, _, X, Y = table(n_rows=20)
    with pytest.raises(NotInductive, match="transductive only"):
        clone(method).fit(X, Y).predict_scores(X)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_grid_names_parameters(method: Baseline) -> None:
    grid = type(method).grid  # type: ignore[attr-defined]
    assert grid
    for candidate in drawn_candidates(grid, 3, 0):
        clone(method).set_params(**candidate)
