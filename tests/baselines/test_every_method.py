"""What holds for every method: what is observed stays, what is hidden is never read, and so on."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import halfseen.baselines
from baselines.hidden_table import table
from baselines.test_networks import ADVERSARIAL, AUTOENCODER, MASKED, MISGAN
from halfseen.baselines import (
    CLE,
    GAIN,
    MC1,
    Baseline,
    BoostedImputed,
    BoostedNative,
    CatBoostPerLabel,
    ColumnPrior,
    ForestImputed,
    GaussianEM,
    IterativeLinear,
    IterativeTrees,
    MisGANConvolutional,
    NearestNeighbours,
    NoisyIMC,
    NotInductive,
    SoftImpute,
)
from halfseen.baselines.baseline import drawn_candidates

PRIOR = ColumnPrior()
LEARNING: list[Baseline] = [
    MC1(lam=0.3),
    NoisyIMC(),
    CLE(n_components=5, max_iter=40),
    GaussianEM(),
    SoftImpute(),
    IterativeLinear(n_rounds=2),
    IterativeTrees(n_trees=4, n_rounds=1),
    NearestNeighbours(n_neighbours=10),
    BoostedNative(n_rounds=20),
    BoostedImputed(n_rounds=20),
    ForestImputed(n_trees=30),
]
if find_spec("catboost"):
    LEARNING.append(CatBoostPerLabel(n_rounds=40, learning_rate=0.3))
QUICK = [PRIOR, *LEARNING]
NETWORKS: list[Baseline] = [MASKED, AUTOENCODER, ADVERSARIAL, MISGAN]
CONVOLUTIONAL = MisGANConvolutional(shape=(4, 4), n_channels=2, n_generator_steps=4, n_steps=4)
EVERY = [*QUICK, *NETWORKS, CONVOLUTIONAL]
FOR_CLASSES = [*QUICK, MASKED, AUTOENCODER, ADVERSARIAL]


def named(method: Baseline) -> str:
    return type(method).__name__


def with_something_behind(table: np.ndarray) -> np.ndarray:
    """The same table, with other bits in every NaN: sign and payload."""
    bits = np.ascontiguousarray(table).view(np.uint64).copy()
    bits[np.isnan(table)] = 0xFFF8_0000_DEAD_BEEF
    return bits.view(np.float64)


def test_no_public_method_is_left_out() -> None:
    public = {getattr(halfseen.baselines, name) for name in halfseen.baselines.__all__}
    methods = {
        of for of in public if isinstance(of, type) and issubclass(of, Baseline) and of != Baseline
    }
    assert methods - {CatBoostPerLabel} <= {type(method) for method in EVERY}


@pytest.mark.parametrize("method", EVERY, ids=named)
def test_observed_stays_hidden_is_not_read_and_a_seed_decides(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table()
    tables = (X_seen, Y_seen), (with_something_behind(X_seen), with_something_behind(Y_seen))
    kept = [part.tobytes() for pair in tables for part in pair]
    fitted, again = (clone(method).fit(*pair) for pair in tables)
    assert [part.tobytes() for pair in tables for part in pair] == kept
    features, scores = fitted.complete()
    assert features.tobytes() == again.complete().features.tobytes()
    assert scores.tobytes() == again.complete().scores.tobytes()
    seen_x, seen_y = ~np.isnan(X_seen), ~np.isnan(Y_seen)
    np.testing.assert_array_equal(features[seen_x], X[seen_x])
    np.testing.assert_array_equal(scores[seen_y], Y[seen_y])
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    if method.gives_probabilities:
        assert scores.min() >= 0
        assert scores.max() <= 1
    if method in NETWORKS:
        other = clone(method).set_params(random_state=1).fit(X_seen, Y_seen)
        assert scores.tobytes() != other.complete().scores.tobytes()
    if method.inductive:
        of_new, new = fitted.complete(X_seen)
        np.testing.assert_array_equal(of_new[seen_x], X[seen_x])
        assert new.tobytes() == again.predict_scores(tables[1][0]).tobytes()
        with pytest.raises(ValueError, match=r"X has 2 features, but .* was fitted on 16"):
            fitted.predict_scores([[1.0, 2.0]])
    else:
        with pytest.raises(NotInductive, match=r"transductive only.*call complete\(\)"):
            fitted.predict_scores(X_seen)


@pytest.mark.parametrize("method", EVERY, ids=named)
def test_tables_that_cannot_be_fitted_are_refused_by_place(method: Baseline) -> None:
    X, Y, _, _ = table()
    X[5, 3] = np.inf
    with pytest.raises(ValueError, match="infinite value in row 5, column 3"):
        clone(method).fit(X, Y)
    X[5, 3], Y[7, 1] = 0.0, 2.0
    with pytest.raises(ValueError, match="in row 7, column 1"):
        clone(method).fit(X, Y)


@pytest.mark.parametrize("method", EVERY, ids=named)
def test_its_grid_can_be_searched(method: Baseline) -> None:
    for candidate in drawn_candidates(method.grid, budget=50, seed=0):
        assert clone(method).set_params(**candidate).get_params().items() >= candidate.items()


@pytest.mark.parametrize("method", LEARNING, ids=named)
def test_predicts_what_is_hidden(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(200)
    features, scores = clone(method).fit(X_seen, Y_seen).complete()
    hidden_x, hidden_y = np.isnan(X_seen), np.isnan(Y_seen)
    if method.imputes:
        assert np.mean((features - X)[hidden_x] ** 2) < 0.35 * np.var(X[hidden_x])
    assert roc_auc_score(Y[hidden_y], scores[hidden_y]) > 0.9


@pytest.mark.parametrize("method", [*QUICK, *NETWORKS], ids=named)
def test_odd_columns_rows_and_labels(method: Baseline) -> None:
    _, _, X, Y = table()
    X[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, 7.3)  # constant
    X[:, 1] = np.nan  # never observed
    X[3], Y[3] = np.nan, np.nan  # a row of nothing
    Y[:, 0] = np.where(np.isnan(Y[:, 0]), np.nan, 0.0)  # one value only
    Y[:, 1] = np.nan  # never known
    fitted = clone(method).fit(X, Y)
    features, scores = fitted.complete()
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(features[:, 0], 7.3, atol=1e-6 if method in NETWORKS else 0.3)
    np.testing.assert_allclose(features[:, 1], 0.0, atol=0.1)
    if method in NETWORKS:
        assert (scores[:, 1] == 0.5).all()
    if method.inductive:
        assert np.isfinite(fitted.predict_scores(X)).all()
        assert np.isfinite(fitted.predict_scores(np.full((2, 16), np.nan))).all()


@pytest.mark.parametrize("method", QUICK, ids=named)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_single_known_label_and_features_of_one_value(method: Baseline, value: float) -> None:
    X, Y = np.full((5, 3), 2.0), np.full((5, 2), np.nan)
    X[0, 0], Y[0, 0] = np.nan, value
    features, scores = clone(method).fit(X, Y).complete()
    np.testing.assert_allclose(features, 2.0, atol=0.2)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("method", QUICK, ids=named)
def test_one_feature_and_one_label(method: Baseline) -> None:
    X = np.linspace(0.0, 1.0, 50)[:, None]
    Y = (X > 0.5).astype(float)
    X[4], Y[::7] = np.nan, np.nan
    fitted = clone(method).fit(X, Y)
    features, scores = fitted.complete()
    assert np.isfinite(features).all()
    assert scores[7, 0] < scores[42, 0] or method is PRIOR
    if method.inductive:
        low, high = fitted.predict_scores([[0.1], [0.9]])[:, 0]
        assert low < high or method is PRIOR


@pytest.mark.parametrize("method", FOR_CLASSES, ids=named)
def test_classes(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(target="classes")
    hidden = np.isnan(Y_seen[:, 0])
    fitted = clone(method).fit(X_seen, Y_seen, target="classes")
    features, scores = fitted.complete()
    np.testing.assert_array_equal(scores[~hidden], Y[~hidden])
    np.testing.assert_array_equal(features[~np.isnan(X_seen)], X[~np.isnan(X_seen)])
    if any(method is learning for learning in LEARNING):
        right = scores[hidden].argmax(axis=1) == Y[hidden].argmax(axis=1)
        assert np.mean(right) > 0.55
    if method.gives_probabilities or isinstance(method, GAIN):
        new = [fitted.predict_scores(X_seen)] if method.inductive else []
        for probabilities in (scores, *new):
            assert probabilities.min() >= 0
            np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("method", QUICK, ids=named)
def test_a_class_never_seen(method: Baseline) -> None:
    _, _, X, Y = table(60, target="classes")
    Y[Y[:, 2] == 1] = np.nan
    scores = clone(method).fit(X, Y, target="classes").complete().scores
    assert np.isfinite(scores).all()
    assert (scores.argmax(axis=1) != 2).all()


@pytest.mark.parametrize("method", QUICK, ids=named)
def test_more_columns_than_rows(method: Baseline) -> None:
    generator = np.random.default_rng(5)
    X, Y = generator.standard_normal((12, 60)), generator.integers(0, 2, (12, 2)).astype(float)
    X[generator.random(X.shape) < 0.3] = np.nan
    Y[0] = np.nan
    features, scores = clone(method).fit(X, Y).complete()
    assert features.shape == X.shape
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("method", QUICK, ids=named)
def test_units_do_not_matter(method: Baseline) -> None:
    _, _, X, Y = table(50)
    plain = clone(method).fit(X, Y).complete()
    # Powers of two leave trees their ties.
    other = clone(method).fit(1024.0 * X, Y).complete()
    np.testing.assert_allclose(other.features / 1024.0, plain.features, rtol=1e-3)
    np.testing.assert_allclose(other.scores, plain.scores, atol=1e-3)


@pytest.mark.parametrize("method", [m for m in LEARNING if m.inductive], ids=named)
def test_new_rows(method: Baseline) -> None:
    X, Y, X_seen, Y_seen = table(300)
    fitted = clone(method).fit(X_seen[:200], Y_seen[:200])
    assert roc_auc_score(Y[200:].ravel(), fitted.predict_scores(X[200:]).ravel()) > 0.9
    incomplete = fitted.predict_scores(X_seen[200:])
    assert roc_auc_score(Y[200:].ravel(), incomplete.ravel()) > 0.85
    alone = fitted.predict_scores(X_seen[205:206])
    np.testing.assert_allclose(alone, incomplete[5:6], atol=1e-6)
