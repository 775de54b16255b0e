"""Classifiers per label, imputation before them, and nearest neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

from halfseen.baselines import (
    BoostedImputed,
    BoostedNative,
    CatBoostPerLabel,
    IterativeLinear,
    NearestNeighbours,
)
from halfseen.baselines.classifiers import PerLabel, RoundRobin, randomly_masked


@pytest.mark.parametrize("method", [IterativeLinear(), BoostedNative()], ids=["linear", "trees"])
def test_other_labels_are_used_where_known_and_not_needed(method: PerLabel) -> None:
    """The second label copies the first; features tell of both, with much noise."""
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, (400, 1)).astype(float)
    X, Y = first + generator.standard_normal((400, 2)), np.hstack([first, first])
    Y[generator.random(Y.shape) < 0.4] = np.nan
    fitted = method.fit(X, Y)
    unknown = np.full_like(Y, np.nan)
    knowing = np.hstack([first, unknown[:, 1:]])
    with_label = np.mean((fitted._completed(X, knowing)[1][:, 1] > 0.5) == first[:, 0])
    without = np.mean((fitted.predict_scores(X)[:, 1] > 0.5) == first[:, 0])
    assert with_label > 0.95
    assert 0.7 < without < 0.95


def test_a_label_does_not_see_itself() -> None:
    generator = np.random.default_rng(1)
    X, Y = generator.standard_normal((80, 2)), generator.integers(0, 2, (80, 2)).astype(float)
    fitted = BoostedNative(n_rounds=10).fit(X, Y)
    other = np.column_stack([1 - Y[:, 0], Y[:, 1]])
    one, two = (fitted._completed(X, labels)[1][:, 0] for labels in (Y, other))
    np.testing.assert_array_equal(one, two)


def test_a_class_not_seen_has_probability_zero() -> None:
    X, Y = np.arange(9.0)[:, None], np.eye(4)[[0, 0, 0, 1, 1, 1, 3, 3, 3]]
    probabilities = IterativeLinear().fit(X, Y, "classes").predict_scores(X)
    np.testing.assert_array_equal(probabilities[:, 2], 0.0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_labels_are_masked_at_all_rates() -> None:
    share = np.isnan(randomly_masked(np.ones((3000, 4)), np.random.default_rng(0))).mean(axis=1)
    assert np.mean(share == 1) > 0.3
    assert np.mean(share == 0) > 0.05


class Zeros:
    """Zeros for missing entries."""

    def fit_transform(self, X: np.ndarray) -> np.ndarray:
        self.n_rows = len(X)
        return np.nan_to_num(X)

    def transform(self, X: np.ndarray) -> np.ndarray:
        return np.nan_to_num(X)


class OnZeros(IterativeLinear):
    """A method of two lines."""

    def _imputer(self) -> Zeros:
        return Zeros()


def test_completed_features_do_not_depend_on_labels() -> None:
    X = np.array([[1.0, np.nan], [2.0, 1.0], [3.0, 2.0], [np.nan, 3.0]])
    Y = np.array([[0.0], [0.0], [1.0], [np.nan]])
    completed, other = (OnZeros().fit(X, labels).complete() for labels in (Y, 1 - Y))
    np.testing.assert_array_equal(completed.features, np.nan_to_num(X))
    np.testing.assert_array_equal(completed.features, other.features)
    np.testing.assert_allclose(other.scores, 1 - completed.scores, atol=1e-4)


def test_new_rows_are_imputed_by_what_was_fitted() -> None:
    fitted = OnZeros().fit(np.arange(6.0)[:, None], np.array([[0], [0], [0], [1], [1], [1]]))
    low, nothing, high = fitted.predict_scores([[0.5], [np.nan], [5.0]])[:, 0]
    assert fitted.imputer_.n_rows == 6
    assert nothing < low < high


def test_a_round_robin_finds_a_line() -> None:
    X = np.column_stack([np.arange(6.0), 2.0 * np.arange(6.0)])
    X[3, 1] = np.nan
    robin = RoundRobin(BayesianRidge(), n_rounds=3, n_nearest=10, seed=0)
    assert robin.fit_transform(X)[3, 1] == pytest.approx(6.0, abs=0.01)
    assert robin.transform(np.array([[np.nan, 4.0]]))[0, 0] == pytest.approx(2.0, abs=0.01)


def test_trees_learn_what_the_gaussian_cannot() -> None:
    generator = np.random.default_rng(1)
    X = generator.standard_normal((400, 2))
    Y = (X[:, :1] * X[:, 1:] > 0).astype(float)
    Y[:100] = np.nan
    scores = BoostedImputed(n_rounds=60).fit(X, Y).complete().scores[:100, 0]
    assert np.mean((scores > 0.5) == (X[:100, 0] * X[:100, 1] > 0)) > 0.9


def test_without_catboost_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "catboost", None)
    with pytest.raises(ImportError, match=r"halfseen\[baselines\]"):
        CatBoostPerLabel().fit([[1.0], [2.0]], [[0], [1]])


def test_a_vote_is_the_share_of_neighbours_that_know_the_label() -> None:
    X = np.array([[0.0], [1.0], [2.0], [0.5], [9.0]])
    Y = np.array([[1.0], [0.0], [1.0], [np.nan], [0.0]])
    fitted = NearestNeighbours(n_neighbours=3).fit(X, Y)
    assert fitted.complete().scores[3, 0] == pytest.approx(2 / 3)
    np.testing.assert_allclose(fitted.predict_scores([[0.5]]), [[2 / 3]])


def test_known_labels_count_in_the_distance() -> None:
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, (100, 1)).astype(float)
    Y = np.hstack([first, first])
    Y[:40, 1] = np.nan
    X = generator.standard_normal((100, 3))
    heavy = NearestNeighbours(label_weight=1000.0).fit(X, Y).complete().scores
    np.testing.assert_allclose(heavy[:40, 1], first[:40, 0], atol=1e-3)


def test_tall_tables_have_a_bounded_number_of_donors() -> None:
    X = np.random.default_rng(0).standard_normal((300, 2))
    Y = (X[:, :1] > 0).astype(float)
    Y[::2] = np.nan
    scores = NearestNeighbours(max_donors=50, n_neighbours=3).fit(X, Y).complete().scores
    assert np.mean((scores[::2, 0] > 0.5) == (X[::2, 0] > 0)) > 0.85


def test_weight_out_of_range() -> None:
    with pytest.raises(ValueError, match="label_weight must be positive"):
        NearestNeighbours(label_weight=0.0).fit(np.zeros((3, 1)), np.ones((3, 1)))
