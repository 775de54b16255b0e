import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.metrics import log_loss as complete_log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halfseen.scoring import (
    ObservedStratifiedKFold,
    accuracy,
    averaged_auc,
    hamming_accuracy,
    known,
    log_loss,
    macro_auc,
    micro_auc,
    observed_scorer,
)
from halfseen.scoring._label_array import label_array

NAMES = [
    "accuracy",
    "hamming_accuracy",
    "micro_auc",
    "macro_auc",
    "averaged_auc",
    "neg_log_loss",
]


class NearestMeans(ClassifierMixin, BaseEstimator):
    """Softmax of distances to class means; rows of unknown class are left out."""

    def __init__(self, sharpness=1.0):
        self.sharpness = sharpness

    def fit(self, X, y):
        values, X = label_array(y), np.asarray(X)
        self.several_ = values.ndim == 2
        columns = values if self.several_ else values[:, None]
        self.columns_ = []
        for column in columns.T:
            seen = known(column)
            classes = np.array(sorted(set(column[seen].tolist())))
            means = [X[seen][column[seen] == c].mean(axis=0) for c in classes.tolist()]
            self.columns_.append((classes, np.array(means)))
        classes = [classes for classes, _ in self.columns_]
        self.classes_ = classes if self.several_ else classes[0]
        return self

    def _columns(self, X):
        for _, means in self.columns_:
            distances = ((np.asarray(X)[:, None] - means) ** 2).sum(axis=2)
            weights = np.exp(-self.sharpness * (distances - distances.min(1, keepdims=True)))
            yield weights / weights.sum(axis=1, keepdims=True)

    def predict_proba(self, X):
        columns = list(self._columns(X))
        return columns if self.several_ else columns[0]

    def predict(self, X):
        answers = zip(self.columns_, self._columns(X), strict=True)
        picked = [classes[p.argmax(1)].astype(object) for (classes, _), p in answers]
        return np.column_stack(picked) if self.several_ else picked[0]


class NearestMeansLabels(NearestMeans):
    """The same with one array of probabilities of labels."""

    def predict_proba(self, X):
        return np.column_stack([p[:, 1] for p in super().predict_proba(X)])


def class_table(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n_rows)
    X = rng.normal(size=(n_rows, 2)) + 1.5 * np.eye(3)[codes][:, :2]
    y = np.array(["ant", "bee", "cat"], dtype=object)[codes]
    y[rng.random(n_rows) < 0.4] = None
    return X, y


def label_table(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (n_rows, 2)).astype(float)
    X = y + rng.normal(size=(n_rows, 2))
    y[rng.random(y.shape) < 0.4] = np.nan
    return X, y


FOLDS = ObservedStratifiedKFold(3, random_state=0)


def test_classes_are_scored_on_known_rows():
    X, y = class_table()
    model = NearestMeans().fit(X, y)
    p = model.predict_proba(X)
    assert observed_scorer("accuracy")(model, X, y) == accuracy(y, model.predict(X))
    assert observed_scorer("averaged_auc")(model, X, y) == averaged_auc(y, p, model.classes_)
    assert observed_scorer("neg_log_loss")(model, X, y) == -log_loss(y, p, model.classes_)


def test_labels_are_scored_on_known_entries():
    X, y = label_table()
    model = NearestMeansLabels().fit(X, y)
    p = model.predict_proba(X)
    assert observed_scorer("hamming_accuracy")(model, X, y) == hamming_accuracy(y, model.predict(X))
    assert observed_scorer("accuracy")(model, X, y) == hamming_accuracy(y, model.predict(X))
    assert observed_scorer("micro_auc")(model, X, y) == micro_auc(y, p)
    assert observed_scorer("macro_auc")(model, X, y) == macro_auc(y, p)
    assert observed_scorer("neg_log_loss")(model, X, y) == -log_loss(y, p)


@pytest.mark.parametrize("name", ["micro_auc", "macro_auc", "neg_log_loss"])
def test_a_list_of_label_probabilities_scores_as_one_array(name):
    X, y = label_table()
    one = observed_scorer(name)(NearestMeansLabels().fit(X, y), X, y)
    assert observed_scorer(name)(NearestMeans().fit(X, y), X, y) == pytest.approx(one, rel=1e-12)


def test_several_columns_of_classes():
    X, kind = class_table()
    size = np.where(X[:, 0] > 0, 1.0, 2.0)
    size[::3] = np.nan
    y = np.column_stack([kind, size.astype(object)])
    model = NearestMeans().fit(X, y)
    kinds, sizes = model.predict_proba(X)
    kind_classes, size_classes = model.classes_
    areas = [averaged_auc(kind, kinds, kind_classes), averaged_auc(size, sizes, size_classes)]
    assert observed_scorer("averaged_auc")(model, X, y) == np.mean(areas)
    n_kind, n_size = known(kind).sum(), known(size).sum()
    total = n_kind * log_loss(kind, kinds, kind_classes) + n_size * log_loss(
        size, sizes, size_classes
    )
    loss = observed_scorer("neg_log_loss")(model, X, y)
    assert loss == pytest.approx(-total / (n_kind + n_size), rel=1e-12)
    # A column of which nothing, or one class only, is known takes no part.
    y[:, 1] = None
    assert observed_scorer("averaged_auc")(model, X, y) == areas[0]
    assert observed_scorer("neg_log_loss")(model, X, y) == -log_loss(kind, kinds, kind_classes)


def test_complete_classes_score_as_sklearn_does():
    X, y = class_table()
    seen = known(y)
    X, y = X[seen], y[seen].astype(str)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    p = model.predict_proba(X)
    assert observed_scorer("accuracy")(model, X, y) == accuracy_score(y, model.predict(X))
    assert observed_scorer("averaged_auc")(model, X, y) == pytest.approx(
        roc_auc_score(y, p, multi_class="ovr"), abs=1e-15
    )
    assert observed_scorer("neg_log_loss")(model, X, y) == pytest.approx(-complete_log_loss(y, p))


def test_two_classes_of_text_have_one_roc_curve():
    X, y = class_table()
    y = np.where(y == "cat", None, y)
    seen = known(y)
    model = LogisticRegression().fit(X[seen], y[seen].astype(str))
    expected = roc_auc_score(y[seen] == "bee", model.predict_proba(X[seen])[:, 1])
    for name in ("micro_auc", "macro_auc"):
        assert observed_scorer(name)(model, X, y) == expected


def test_forests_of_sklearn_are_understood():
    X, y = label_table()
    complete = np.nan_to_num(y)
    forest = RandomForestClassifier(5, random_state=0).fit(X, complete)
    p = np.column_stack([column[:, 1] for column in forest.predict_proba(X)])
    assert observed_scorer("micro_auc")(forest, X, y) == micro_auc(y, p)


@pytest.mark.parametrize("wrap", [np.asarray, pd.Series, lambda y: pl.Series(y.tolist()), list])
def test_grid_search_over_half_known_classes(wrap):
    X, y = class_table()
    search = GridSearchCV(
        NearestMeans(),
        {"sharpness": [1e-6, 0.5]},
        scoring=observed_scorer("neg_log_loss"),
        cv=FOLDS,
        error_score="raise",
    ).fit(X, wrap(y))
    assert search.best_params_ == {"sharpness": 0.5}
    # Without sharpness all three classes are equally likely.
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(-np.log(3), abs=1e-4)


@pytest.mark.parametrize("wrap", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_cross_validate_over_half_known_labels(wrap):
    X, y = label_table()
    names = ["hamming_accuracy", "micro_auc", "macro_auc", "neg_log_loss"]
    results = cross_validate(
        NearestMeansLabels(),
        X,
        wrap(y),
        scoring={name: observed_scorer(name) for name in names},
        cv=FOLDS,
        error_score="raise",
    )
    for fold, (train, test) in enumerate(FOLDS.split(X, y)):
        model = NearestMeansLabels().fit(X[train], y[train])
        assert results["test_micro_auc"][fold] == micro_auc(y[test], model.predict_proba(X[test]))
        assert results["test_hamming_accuracy"][fold] == hamming_accuracy(
            y[test], model.predict(X[test])
        )
    assert (results["test_macro_auc"] > 0.5).all()


def test_two_processes_score_as_one():
    X, labels = label_table()
    # A model of scikit-learn that does not look at y: other processes cannot import this file.
    model, y = KMeans(2, n_init=1, random_state=0), labels[:, 0]
    scoring = observed_scorer("accuracy")
    one = cross_val_score(model, X, y, scoring=scoring, cv=FOLDS, n_jobs=1, error_score="raise")
    two = cross_val_score(model, X, y, scoring=scoring, cv=FOLDS, n_jobs=2, error_score="raise")
    np.testing.assert_array_equal(one, two)


def test_a_class_only_in_the_test_fold_is_scored():
    X, y = class_table()
    y[0] = "dodo"
    for name in ("accuracy", "averaged_auc", "neg_log_loss"):
        scores = cross_val_score(
            NearestMeans(), X, y, scoring=observed_scorer(name), cv=FOLDS, error_score="raise"
        )
        assert np.isfinite(scores).all()


def test_a_class_never_met_counts_as_chance():
    X, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "a"]
    model = NearestMeans().fit(X, y)
    area = observed_scorer("averaged_auc")(model, X, ["a", "b", "c"])
    p = model.predict_proba(X)
    a, b = (roc_auc_score(truth, p[:, k]) for k, truth in enumerate(([1, 0, 0], [0, 1, 0])))
    assert area == pytest.approx((a + b + 0.5) / 3)


def test_classes_and_labels_are_told_apart():
    X, y = label_table()
    with pytest.raises(ValueError, match="probabilities of labels, not of classes"):
        observed_scorer("averaged_auc")(NearestMeansLabels().fit(X, y), X, y)
    X, y = class_table()
    with pytest.raises(ValueError, match="y has 3 classes"):
        observed_scorer("micro_auc")(NearestMeans().fit(X, y), X, y)


@pytest.mark.parametrize("name", ["accuracy", "averaged_auc", "neg_log_loss"])
def test_nothing_known_is_said(name):
    X, y = class_table()
    with pytest.raises(ValueError, match=r"known"):
        observed_scorer(name)(NearestMeans().fit(X, y), X, np.full(len(y), None))


@pytest.mark.parametrize("name", NAMES)
def test_copies_are_equal(name):
    scorer = observed_scorer(name)
    assert pickle.loads(pickle.dumps(scorer)) == clone(scorer) == scorer
    search = clone(GridSearchCV(NearestMeans(), {}, scoring=scorer))
    assert search.scoring == scorer
    assert repr(scorer) == f"observed_scorer('{name}')"
    assert scorer != observed_scorer(NAMES[NAMES.index(name) - 1])


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'auc'; choose one of accuracy, .*neg_log_loss"):
        observed_scorer("auc")
