"""Scorers and folds inside scikit-learn's model selection."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from halfseen import metrics as m
from halfseen.model_selection import ObservedStratifiedKFold, observed_scorer

NAMES = ["accuracy", "roc_auc", "micro_auc", "neg_log_loss"]
ENTRIES = st.sampled_from([0.0, 1.0, 2.0, np.nan])
Y = arrays(float, st.integers(6, 30), elements=ENTRIES) | arrays(
    float, st.tuples(st.integers(6, 30), st.integers(1, 3)), elements=ENTRIES
)


class NearestMeans(ClassifierMixin, BaseEstimator):
    """Softmax of distances to the means of known rows of each class."""

    def __init__(self, sharpness=1.0):
        self.sharpness = sharpness

    def fit(self, X, y):
        y, X = m.label_array(y), np.asarray(X)
        seen = m.known(y)
        self.classes_ = np.array(sorted(set(y[seen].tolist())))
        self.means_ = np.array([X[seen][y[seen] == c].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        distances = ((np.asarray(X)[:, None] - self.means_) ** 2).sum(axis=2)
        weights = np.exp(-self.sharpness * (distances - distances.min(axis=1, keepdims=True)))
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)].astype(object)


def class_table(seed=0):
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, 3, 60)
    X = generator.normal(size=(60, 2)) + 1.5 * np.eye(3)[codes][:, :2]
    y = np.array(["ant", "bee", "cat"], dtype=object)[codes]
    y[generator.random(60) < 0.4] = None
    return X, y


def returning(proba, classes=None):
    return SimpleNamespace(predict_proba=lambda X: proba, classes_=classes)


def test_scores_of_classes_are_those_of_known_rows():
    X, y = class_table()
    model = NearestMeans().fit(X, y)
    p = model.predict_proba(X)
    assert observed_scorer("accuracy")(model, X, y) == m.accuracy(y, model.predict(X))
    assert observed_scorer("roc_auc")(model, X, y) == m.ovr_auc(y, p, model.classes_)
    assert observed_scorer("neg_log_loss")(model, X, y) == -m.log_loss(y, p, model.classes_)
    with pytest.raises(ValueError, match=r"y has classes .*; use 'roc_auc'"):
        observed_scorer("micro_auc")(model, X, y)


def test_scores_of_labels_in_one_array_or_in_a_list():
    generator = np.random.default_rng(0)
    y, p = generator.choice([0, 1, np.nan], (40, 2)), generator.random((40, 2))
    columns = [np.column_stack([1 - one, one]) for one in p.T]
    for model in (returning(p), returning(columns, [[0, 1], [0, 1]])):
        assert observed_scorer("roc_auc")(model, None, y) == pytest.approx(m.macro_auc(y, p))
        assert observed_scorer("micro_auc")(model, None, y) == pytest.approx(m.micro_auc(y, p))
        assert observed_scorer("neg_log_loss")(model, None, y) == pytest.approx(-m.log_loss(y, p))
    with pytest.raises(ValueError, match="predict_proba is of 1 columns, but y has 2"):
        observed_scorer("roc_auc")(returning(columns[:1], [[0, 1]]), None, y)


def test_two_classes_have_one_roc_curve():
    y, p = ["no", None, "yes", "no", "yes"], np.array([0.2, 0.9, 0.4, 0.6, 0.7])
    model = returning(np.column_stack([1 - p, p]), ["no", "yes"])
    expected = roc_auc_score([0, 1, 0, 1], p[[0, 2, 3, 4]])
    assert observed_scorer("roc_auc")(model, None, y) == expected
    assert observed_scorer("micro_auc")(model, None, y) == expected


def test_columns_of_classes_are_averaged_and_unknown_columns_skipped():
    X, kind = class_table()
    model = NearestMeans().fit(X, kind)
    p, known = model.predict_proba(X), m.known(kind).sum()
    size = np.where(X[:, 0] > 0, 1.0, 2.0)
    both = returning([p, np.eye(2)[(X[:, 1] > 0) * 1]], [model.classes_, [1, 2]])
    y = pd.DataFrame({"kind": kind, "size": size})
    areas = [
        m.ovr_auc(kind, p, model.classes_),
        m.ovr_auc(size, np.eye(2)[(X[:, 1] > 0) * 1], [1, 2]),
    ]
    assert observed_scorer("roc_auc")(both, X, y) == pytest.approx(np.mean(areas))
    losses = [
        m.log_loss(kind, p, model.classes_),
        m.log_loss(size, np.eye(2)[(X[:, 1] > 0) * 1], [1, 2]),
    ]
    expected = np.average(losses, weights=[known, 60])
    assert observed_scorer("neg_log_loss")(both, X, y) == pytest.approx(-expected)
    y["size"] = None
    assert observed_scorer("roc_auc")(both, X, y) == areas[0]
    y["kind"] = None
    for name in ("roc_auc", "neg_log_loss"):
        with pytest.raises(ValueError, match="known"):
            observed_scorer(name)(both, X, y)


def test_a_class_that_the_estimator_lacks_has_probability_zero():
    y, p = ["a", "b", "c"], np.array([[0.8, 0.2], [0.4, 0.6], [0.5, 0.5]])
    area = observed_scorer("roc_auc")(returning(p, ["a", "b"]), None, y)
    expected = m.ovr_auc(y, np.hstack([p, np.zeros((3, 1))]), ["a", "b", "c"])
    assert area == expected
    with pytest.raises(ValueError, match=r"y holds \[1\.0, 0\.0\], the estimator \["):
        observed_scorer("roc_auc")(returning(p, ["0", "1"]), None, np.array([1.0, 0.0, np.nan]))


@pytest.mark.parametrize("wrap", [np.asarray, pd.Series, lambda y: pl.Series(y.tolist()), list])
def test_grid_search_over_half_known_classes(wrap):
    X, y = class_table()
    search = GridSearchCV(
        NearestMeans(), {"sharpness": [1e-6, 0.5]}, scoring=observed_scorer("neg_log_loss"),
        cv=ObservedStratifiedKFold(3, random_state=0), error_score="raise",
    ).fit(X, wrap(y))  # fmt: skip
    assert search.best_params_ == {"sharpness": 0.5}
    # Without sharpness all three classes are equally likely.
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(-np.log(3), abs=1e-4)
    y[0] = "dodo"  # in one test fold only
    for name in ("accuracy", "roc_auc", "neg_log_loss"):
        scores = cross_val_score(search.best_estimator_, X, wrap(y), scoring=observed_scorer(name),
                                 cv=search.cv, error_score="raise")  # fmt: skip
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", NAMES)
def test_scorers_are_copied_and_compared_by_name(name):
    scorer = observed_scorer(name)
    assert pickle.loads(pickle.dumps(scorer)) == clone(scorer) == scorer
    assert repr(scorer) == f"observed_scorer('{name}')"
    with pytest.raises(ValueError, match=r"The scores are accuracy, .*, not 'auc'"):
        observed_scorer("auc")


@settings(max_examples=60, deadline=None)
@given(Y, st.integers(2, 6), st.integers(0, 99) | st.none())
def test_every_row_is_tested_once_and_the_seed_decides(y, n_splits, seed):
    splitter = ObservedStratifiedKFold(n_splits, shuffle=seed is not None, random_state=seed)
    tested = [test for _, test in splitter.split(y, y)]
    for (train, test), first in zip(splitter.split(y, y), tested, strict=True):
        np.testing.assert_array_equal(test, first)
        assert sorted([*train, *test]) == list(range(len(y)))
    assert len(tested) == splitter.get_n_splits() == n_splits
    assert sorted(np.concatenate(tested)) == list(range(len(y)))
    assert np.ptp([len(test) for test in tested]) <= 1


@settings(max_examples=40, deadline=None)
@given(arrays(float, st.integers(6, 40), elements=ENTRIES), st.integers(2, 6))
def test_every_class_and_the_unknown_spread_evenly(y, n_splits):
    folds = [test for _, test in ObservedStratifiedKFold(n_splits, random_state=0).split(y, y)]
    for value in (0.0, 1.0, 2.0, np.nan):
        counts = [np.isclose(y[test], value, equal_nan=True).sum() for test in folds]
        assert np.ptp(counts) <= 1


@pytest.mark.parametrize("n_labels", [1, 6])
def test_known_labels_spread_better_than_by_chance(n_labels):
    generator = np.random.default_rng(0)
    y = (generator.random((200, n_labels)) < np.linspace(0.03, 0.3, n_labels)).astype(float)
    y[generator.random(y.shape) < 0.5] = np.nan

    def unevenness(splitter):
        counts = np.array([np.nansum(y[test], axis=0) for _, test in splitter.split(y, y)])
        return np.mean((counts - counts.mean(axis=0)) ** 2)

    ours = np.mean([unevenness(ObservedStratifiedKFold(5, random_state=s)) for s in range(5)])
    plain = np.mean([unevenness(KFold(5, shuffle=True, random_state=s)) for s in range(5)])
    assert ours < plain / 3


def test_it_is_a_splitter_of_sklearn():
    splitter = ObservedStratifiedKFold(3, random_state=7)
    assert repr(splitter) == "ObservedStratifiedKFold(n_splits=3, random_state=7, shuffle=True)"
    assert clone(GridSearchCV(None, {}, cv=splitter)).cv.random_state == 7
    with pytest.raises(ValueError, match="whole number of at least 2"):
        ObservedStratifiedKFold(1)
    with pytest.raises(ValueError, match="no effect without shuffle"):
        ObservedStratifiedKFold(shuffle=False, random_state=0)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        (None, None, "y is needed to stratify"),
        ([1, 0, None], [1, 1, 2], "GroupKFold"),
        ([1, 0, None, 1], None, "inconsistent numbers of samples"),
        ([1, 0, None], None, "3 rows cannot fill 5 folds"),
    ],
)
def test_what_cannot_be_split_is_an_error(y, groups, message):
    with pytest.raises(ValueError, match=message):
        next(ObservedStratifiedKFold().split(np.zeros((3, 1)), y, groups))
