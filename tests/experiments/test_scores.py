"""Hiding, predicting and scoring, beside scikit-learn and slow references."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from halfseen import RBMClassifier
from halfseen.experiments.data_sets import DataSet, array_data_set, frame_data_set
from halfseen.experiments.pipeline import Hidden, Prediction, fit_and_predict, hide, method_named
from halfseen.experiments.scores import interval_entries, table_scores

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed: int, target: str) -> tuple[Hidden, Prediction]:
    """A small incomplete table with hidden entries, and a prediction."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(24, 4)) * [1, 10, 1, 1] + [0, 5, 0, 0]
    X[:, 2], X[0, 3] = 7.0, np.nan  # a constant
    Y = (generator.random((24, 3)) < 0.4).astype(float)
    if target == "classes":
        Y = np.eye(3)[generator.integers(3, size=24)]
        Y[:3] = np.eye(3)
    Y[5] = np.nan
    data = array_data_set("drawn", X, Y, target, numeric=np.array([True, True, True, False]))
    hidden = hide(data, feature_rate=0.5, label_rate=0.6, seed=seed)
    asked = hidden.asked_Y.copy()
    asked[:3] = True  # at least something of each kind
    features = np.nan_to_num(X) + 0.3 * generator.normal(size=X.shape)
    if target == "classes":
        scores = [generator.dirichlet(np.ones(3), 24)]
    else:
        one = generator.random((24, 3))
        scores = [np.stack([1 - p, p], axis=1) for p in one.T]
    bounds = np.stack([features - 0.5, features + 0.5], axis=-1)
    return hidden._replace(asked_Y=asked), Prediction(features, scores, bounds=bounds)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_labels_are_scored_as_scikit_learn_does(seed: int) -> None:
    hidden, found = drawn(seed, "labels")
    scores = table_scores(hidden, "training rows", found)
    asked = hidden.asked_Y & ~np.isnan(hidden.data.Y)
    truth = hidden.data.Y[asked]
    score = np.stack([one[:, 1] for one in found.scores], axis=1)
    if 0 < truth.mean() < 1:
        assert scores["micro_auc"] == pytest.approx(metrics.roc_auc_score(truth, score[asked]))
    n_wrong = ((score[asked] > 0.5) != truth).sum()
    assert scores["hamming_accuracy"] == pytest.approx(1 - n_wrong / len(truth))
    n_known = (~np.isnan(hidden.data.Y)).sum()
    assert scores["accuracy_all_entries"] == pytest.approx(1 - n_wrong / n_known)
    assert scores["log_loss"] == pytest.approx(metrics.log_loss(truth, score[asked], labels=[0, 1]))
    assert not {"accuracy", "averaged_auc"} & set(scores)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_classes_are_scored_as_scikit_learn_does(seed: int) -> None:
    hidden, found = drawn(seed, "classes")
    scores = table_scores(hidden, "training rows", found)
    codes = hidden.asked_codes("training rows")[:, 0]
    known = ~np.isnan(codes)
    (proba,) = found.scores
    expected = metrics.accuracy_score(codes[known], proba[known].argmax(axis=1))
    assert scores["accuracy"] == pytest.approx(expected)
    areas = [
        metrics.roc_auc_score(codes[known] == code, proba[known, code])
        for code in np.unique(codes[known]).astype(int)
    ]
    assert scores["averaged_auc"] == pytest.approx(np.mean(areas))
    assert not {"hamming_accuracy", "micro_auc"} & set(scores)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_numbers_are_scored_where_they_are_hidden(seed: int) -> None:
    hidden, found = drawn(seed, "labels")
    scores = table_scores(hidden, "training rows", found)
    squares, normalised, held = [], [], []
    assert found.features is not None
    for j in range(3):  # the last column is no number
        spread = np.std(hidden.data.X[:, j])
        for i in np.flatnonzero(hidden.asked_X[:, j]):
            error = found.features[i, j] - hidden.data.X[i, j]
            squares.append(error**2)
            if j != 2:  # a constant has no spread
                normalised.append((error / spread) ** 2)
    for i, j in zip(*np.nonzero(hidden.asked_X), strict=True):
        held.append(abs(found.features[i, j] - hidden.data.X[i, j]) <= 0.5 + 1e-6 * 20)
    assert scores["rmse"] == pytest.approx(math.sqrt(np.mean(squares)))
    assert scores["normalised_rmse"] == pytest.approx(math.sqrt(np.mean(normalised)))
    assert scores["interval_coverage"] == pytest.approx(np.mean(held), abs=0.02)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.sampled_from(["labels", "classes"]))
def test_what_is_not_hidden_changes_no_score(seed: int, target: str) -> None:
    hidden, found = drawn(seed, target)
    codes = hidden.asked_codes("training rows")
    assert found.features is not None
    other = Prediction(
        np.where(hidden.asked_X, found.features, np.nan),
        [np.where(np.isnan(c)[:, None], np.nan, one)
         for c, one in zip(codes.T, found.scores, strict=True)],
    )  # fmt: skip
    scores = table_scores(hidden, "training rows", found._replace(bounds=None))
    assert table_scores(hidden, "training rows", other) == scores


def test_scores_that_do_not_apply_are_absent_and_no_number_is_refused() -> None:
    hidden, found = drawn(0, "labels")
    assert not {"log_loss", "calibration_error"} & set(
        table_scores(hidden, "training rows", found, gives_probabilities=False)
    )
    nothing = hidden._replace(asked_X=hidden.asked_X & False, asked_Y=hidden.asked_Y & False)
    assert table_scores(nothing, "training rows", found) == {}
    found.scores[1][:] = np.nan
    with pytest.raises(ValueError, match="no finite number"):
        table_scores(hidden, "training rows", found)


N = 120


def mixed() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numbers, categories, a label and a target of three classes, some missing."""
    random = np.random.default_rng(1)
    cause = random.normal(size=N)
    X = pd.DataFrame(
        {
            "a": cause + 0.3 * random.normal(size=N),
            "id": [f"row {i}" for i in range(N)],
            "kind": np.where(cause > 0, "p", random.choice(["q", "r"], N)),
            "b": cause + 0.3 * random.normal(size=N),
        }
    )
    y = pd.DataFrame(
        {
            "ill": np.where(cause > 0.2, "yes", "no"),
            "stage": np.where(cause > 0.8, "high", np.where(cause < -0.5, "low", "mid")),
        }
    )
    return X.mask(random.random(X.shape) < 0.1), y.mask(random.random(y.shape) < 0.1)


def test_a_frame_becomes_numbers_whose_columns_belong_together() -> None:
    X, y = mixed()
    data = frame_data_set("mixed", X, y)
    assert (data.target, data.feature_names) == ("several", ("a", "kind", "b"))
    assert data.blocks.tolist() == [0, 1, 1, 1, 2]
    assert data.numeric.tolist() == [True, False, False, False, True]
    assert [output.classes for output in data.outputs] == [("no", "yes"), ("high", "low", "mid")]
    np.testing.assert_array_equal(np.isnan(data.codes), y.isna())
    shown = pd.Series(np.array(["high", "low", "mid"])[data.codes[y.stage.notna(), 1].astype(int)])
    assert (shown.to_numpy() == y.stage[y.stage.notna()].to_numpy()).all()
    assert frame_data_set("one", X, y["stage"]).target == "classes"
    assert frame_data_set("one", X, y["ill"]).target == "labels"


@pytest.mark.parametrize("of_y", [["ill"], ["stage"], ["ill", "stage"]])
@pytest.mark.parametrize("method", ["rbm_mo", "gaussian_em", "boosted_native"])
def test_both_questions_of_any_table(method: str, of_y: list[str]) -> None:
    X, y = mixed()
    hidden = hide(
        frame_data_set("mixed", X, y[of_y]), feature_rate=0.3, label_rate=0.3, seed=0,
        new_rows=np.arange(N) % 4 == 0, new_feature_rate=0.0,
    )  # fmt: skip
    fitted = method_named(method, {"n_iter": 30} if method == "rbm_mo" else {})
    found = fit_and_predict(fitted, hidden, ("new rows", "training rows"))
    for question in ("new rows", "training rows"):
        scores = table_scores(hidden, question, found[question], method != "gaussian_em")
        auc = scores["micro_auc" if of_y == ["ill"] else "averaged_auc"]
        assert auc > 0.8
    if method == "gaussian_em":
        assert scores["normalised_rmse"] < 1
    shown_X, shown_y = hidden.shown("training rows")
    assert shown_X.num_rows == len(X) - N // 4
    assert shown_y.to_pandas().isna().to_numpy().mean() == pytest.approx(0.37, abs=0.1)


def test_intervals_of_a_frame_are_in_the_units_of_its_columns() -> None:
    X, y = mixed()
    X["b"] *= 1000
    hidden = hide(frame_data_set("mixed", X, y["ill"]), feature_rate=0.3, label_rate=0.3, seed=0)
    model = RBMClassifier(n_iter=20, random_state=0)
    found = fit_and_predict(model, hidden, ("training rows",))["training rows"]
    entries = interval_entries(hidden, "training rows", found)
    assert entries is not None
    block, held, width = entries
    assert set(block) == {0, 2}
    assert held.mean() > 0.7
    assert width[block == 2].mean() < 6


def overwritten(data: DataSet, hidden: Hidden) -> DataSet:
    from dataclasses import replace

    return replace(
        data, X=np.where(hidden.asked_X, 1e6, data.X),
        Y=np.where(hidden.asked_Y, 1 - data.Y, data.Y),
    )  # fmt: skip


@pytest.mark.parametrize("method", ["gaussian_em", "mc1", "rbm_mo", "column_prior"])
def test_what_is_hidden_is_not_looked_at(method: str) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4)) + random.normal(size=(80, 1))
    data = array_data_set("a", X, (X[:, :2] > 0).astype(float), "labels")
    how: dict[str, Any] = {"feature_rate": 0.3, "label_rate": 0.3, "seed": 0}
    hidden = hide(data, **how)
    answers = []
    for one in (data, overwritten(data, hidden)):
        fitted = method_named(method, {"n_iter": 2} if method == "rbm_mo" else {})
        answers.append(fit_and_predict(fitted, hide(one, **how), ("training rows",)))
    first, second = (one["training rows"] for one in answers)
    np.testing.assert_array_equal(first.features, second.features)
    np.testing.assert_array_equal(first.scores, second.scores)
