"""Scores: scikit-learn's on complete data, and unknown entries change nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from halfseen import metrics as m

CLASSES = np.array(["ant", "bee", "cat"])


def labels(shape=(40, 3), unknown=0.0, decimals=2, seed=0):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, shape).astype(float)
    y[generator.random(shape) < unknown] = np.nan
    return y, generator.random(shape).round(decimals)


def classes(n_rows=40, unknown=0.0, seed=0):
    generator = np.random.default_rng(seed)
    y = CLASSES[generator.integers(0, 3, n_rows)].astype(object)
    y[generator.random(n_rows) < unknown] = None
    return y, generator.dirichlet(np.ones(3), n_rows)


def features(seed=0):
    generator = np.random.default_rng(seed)
    y = generator.normal(size=(30, 3)) * [1, 10, 100]
    return y, y + generator.normal(size=y.shape) * [1, 10, 100], generator.random(y.shape) < 0.4


LABEL_SCORES = {
    "micro_auc": m.micro_auc,
    "macro_auc": m.macro_auc,
    "log_loss": m.log_loss,
    "calibration_error": m.calibration_error,
    "accuracy": lambda y, p: m.accuracy(y, (p > 0.5).astype(int)),
    "set_coverage": lambda y, p: m.set_coverage(y, np.stack([p < 0.6, p > 0.4], axis=-1)),
    "set_size": lambda y, p: m.set_size(y, np.stack([p < 0.6, p > 0.4], axis=-1)),
}
CLASS_SCORES = {
    "ovr_auc": lambda y, p: m.ovr_auc(y, p, CLASSES),
    "log_loss": lambda y, p: m.log_loss(y, p, CLASSES),
    "accuracy": lambda y, p: m.accuracy(y, CLASSES[p.argmax(axis=1)]),
    "set_coverage": lambda y, p: m.set_coverage(y, p > 0.3, CLASSES),
    "set_size": lambda y, p: m.set_size(y, p > 0.3),
}
FEATURE_SCORES = {
    "rmse": m.rmse,
    "normalised_rmse": m.normalised_rmse,
    "interval_coverage": lambda y, p, where: m.interval_coverage(y, p - 1, p + 1, where),
    "interval_width": lambda y, p, where: m.interval_width(y, p - 1, p + 1, where),
}


@pytest.mark.parametrize("decimals", [1, 8])
def test_complete_labels_score_as_in_sklearn(decimals):
    y, p = labels(decimals=decimals)
    assert m.micro_auc(y, p) == sk.roc_auc_score(y.ravel(), p.ravel())
    assert m.macro_auc(y, p) == sk.roc_auc_score(y, p, average="macro")
    assert m.log_loss(y, p) == sk.log_loss(y.ravel(), p.ravel())
    assert m.accuracy(y, p > 0.5) == pytest.approx(1 - sk.hamming_loss(y, p > 0.5))
    share, mean = calibration_curve(y.ravel(), p.ravel(), n_bins=10)
    bins = m.reliability_bins(y, p)
    assert [one.share_true for one in bins] == pytest.approx(share.tolist())
    assert [one.mean_probability for one in bins] == pytest.approx(mean.tolist())
    counts = [one.n_labels for one in bins]
    assert sum(counts) == y.size
    expected = np.average(np.abs(share - mean), weights=counts)
    assert m.calibration_error(y, p) == pytest.approx(expected, abs=1e-14)


def test_complete_classes_score_as_in_sklearn():
    y, p = classes()
    text = y.astype(str)
    assert m.ovr_auc(y, p, CLASSES) == pytest.approx(sk.roc_auc_score(text, p, multi_class="ovr"))
    assert m.ovr_auc(y, p[:, ::-1], CLASSES[::-1]) == pytest.approx(m.ovr_auc(y, p, CLASSES))
    assert m.log_loss(y, p, CLASSES) == pytest.approx(sk.log_loss(text, p), rel=1e-13)
    predicted = CLASSES[p.argmax(axis=1)]
    assert m.accuracy(y, predicted) == sk.accuracy_score(text, predicted)


def test_complete_features_score_as_in_sklearn():
    y, p, where = features()
    everything = np.ones(y.shape, bool)
    assert m.rmse(y, p) == pytest.approx(sk.root_mean_squared_error(y.ravel(), p.ravel()))
    assert m.rmse(y, p, where) == pytest.approx(sk.root_mean_squared_error(y[where], p[where]))
    by_column = sk.mean_squared_error(y, p, multioutput="raw_values")
    expected = np.sqrt(np.mean(by_column / y.var(axis=0)))
    assert m.normalised_rmse(y, p, everything) == pytest.approx(expected)
    assert m.column_std(y) == pytest.approx(y.std(axis=0))


@pytest.mark.parametrize("name", LABEL_SCORES)
@pytest.mark.parametrize("other", [0.123, 7.0, -np.inf, np.nan])
def test_predictions_of_unknown_labels_are_not_read(name, other):
    y, p = labels(unknown=0.4)
    changed = np.where(np.isnan(y), other, p)
    if not name.startswith("set"):
        score = LABEL_SCORES[name]
        assert score(y, changed) == score(y, p)


@pytest.mark.parametrize("name", LABEL_SCORES)
def test_every_container_of_labels(name):
    y, p = labels(unknown=0.4)
    score, frame = LABEL_SCORES[name], pd.DataFrame(y, columns=["a", "b", "c"])
    polars = pl.DataFrame(y, schema=["a", "b", "c"]).fill_nan(None)
    masked = np.ma.masked_array(np.where(np.isnan(y), 99, y), mask=np.isnan(y))
    objects = frame.astype("Int64").astype(object).to_numpy()  # with pandas.NA
    containers = [y.tolist(), frame, frame.astype("Int64"), frame.astype("boolean"), polars]
    for container in [*containers, masked, objects, frame.astype(np.float32)]:
        assert score(container, p) == score(y, p)


@pytest.mark.parametrize("name", CLASS_SCORES)
def test_every_container_of_classes_and_unknown_rows(name):
    y, p = classes(unknown=0.4)
    score, seen = CLASS_SCORES[name], m.known(y)
    expected = score(y[seen], p[seen])
    series = pd.Series(y)
    for container in (y, y.tolist(), series, series.astype("category"), series.astype("string"),
                      pl.Series(y.tolist()), np.ma.masked_array(np.where(seen, y, "dog"), ~seen),
                      y[:, None] if name in ("ovr_auc", "log_loss") else y):  # fmt: skip
        assert score(container, p) == expected
    with pytest.raises(ValueError, match="nothing to score"):
        score(np.full(len(y), None), p)


@pytest.mark.parametrize("name", FEATURE_SCORES)
def test_features_are_scored_where_known_and_asked(name):
    y, p, where = features()
    score, unknown = FEATURE_SCORES[name], np.arange(30) % 5 == 0
    y[unknown, 1] = np.nan
    p2, scored = p.copy(), where & ~np.isnan(y)
    expected = score(y, p, where)
    p2[~scored] = np.nan
    assert score(y, p2, where) == expected
    frame = pd.DataFrame(y, columns=["a", "b", "c"])
    assert score(frame, p, where.tolist()) == expected
    with pytest.raises(ValueError, match="nothing to score"):
        score(y, p, np.zeros(y.shape, bool))
    with pytest.raises(ValueError, match=r"where is int64 \(30, 3\), not bool"):
        score(y, p, where.astype(int))
    p[scored] = np.nan
    with pytest.raises(ValueError, match=r"row \d+, column \d is nan; a finite number"):
        score(y, p, where)


def test_rows_have_weights():
    y, p = labels(unknown=0.4)
    weights, seen = np.arange(40) % 4, ~np.isnan(y)
    expected = np.average(((p > 0.5) == y)[seen], weights=np.nonzero(seen)[0] % 4)
    assert m.accuracy(y, p > 0.5, sample_weight=weights) == pytest.approx(expected)
    y, p = classes()
    predicted = CLASSES[p.argmax(axis=1)]
    expected = sk.accuracy_score(y.astype(str), predicted, sample_weight=weights)
    assert m.accuracy(y, predicted, sample_weight=weights) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(40,\)"):
        m.accuracy(y, predicted, sample_weight=weights[:3])


def test_labels_without_both_values_and_absent_classes_are_skipped():
    y, p = labels()
    y[:, 1] = 1
    assert m.macro_auc(y, p) == sk.roc_auc_score(y[:, [0, 2]], p[:, [0, 2]])
    with pytest.raises(ValueError, match="None of the 1 labels has both"):
        m.macro_auc(y[:, 1], p[:, 1])
    with pytest.raises(ValueError, match="All 40 known labels are 1"):
        m.micro_auc(y[:, 1], p[:, 1])
    y, p = classes()
    y[y == "bee"] = None
    seen = m.known(y)
    areas = [sk.roc_auc_score(y[seen] == CLASSES[k], p[seen, k]) for k in (0, 2)]
    assert m.ovr_auc(y, p, CLASSES) == pytest.approx(np.mean(areas))
    with pytest.raises(ValueError, match="All 2 known rows have the same class"):
        m.ovr_auc(["ant", "ant", None], np.full((3, 3), 1 / 3), CLASSES)


def test_normalised_rmse_averages_columns_or_entries_and_skips_constant_columns():
    y, p, where = features()
    squares = ((p - y) / y.std(axis=0)) ** 2
    columns = [squares[where[:, j], j].mean() for j in range(3)]
    assert m.normalised_rmse(y, p, where) == pytest.approx(np.sqrt(np.mean(columns)))
    pooled = m.normalised_rmse(y, p, where, average="entries")
    assert pooled == pytest.approx(np.sqrt(squares[where].mean()))
    constant = np.full((30, 1), 0.1)  # rounding gives it a standard deviation above zero
    wide, filled = np.hstack([y, constant]), np.hstack([p, constant + 5])
    asked = np.hstack([where, np.ones((30, 1), bool)])
    assert m.normalised_rmse(wide, filled, asked) == m.normalised_rmse(y, p, where)
    with pytest.raises(ValueError, match="constant"):
        m.normalised_rmse(constant, constant)
    with pytest.raises(ValueError, match="scale must hold 3 numbers"):
        m.normalised_rmse(y, p, where, scale=[1.0, np.nan, 1.0])


def test_normal_intervals_have_their_coverage_and_width():
    y = np.random.default_rng(0).normal(size=(40_000, 1))
    bound = np.full(y.shape, 1.6449)
    assert m.interval_coverage(y, -bound, bound) == pytest.approx(0.9, abs=0.006)
    assert m.interval_width(y, -bound, bound) == pytest.approx(3.29, abs=0.02)
    assert m.interval_coverage([3.0, 3.0], [3.0, 3.1], [3.0, 4.0]) == 0.5
    with pytest.raises(ValueError, match=r"column 1 is 2\.0; it lies above"):
        m.interval_coverage([[0.0, 0.0]], [[0.0, 2.0]], [[1.0, 1.0]])


FRAME = pd.DataFrame({"beach": [1, 0], "sky": [0, 1]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: m.micro_auc(FRAME * [1, 2], FRAME), "y_true at row 1, column 'sky' is 2; a label"),
        (lambda: m.micro_auc(["a"], [1]), "y_true at row 0 is 'a'"),
        (lambda: m.log_loss([1, None, 0], [0.5, 9, 1.1]), r"row 2 is 1\.1; a probability"),
        (lambda: m.accuracy(FRAME, FRAME / 2), "column 'beach' is 0.5; .*threshold"),
        (lambda: m.micro_auc([1, 0], [0.5, None]), "y_score at row 1 is None; a finite"),
        (lambda: m.micro_auc([1, 0], [0.1]), r"\(2, 1\) but y_score has shape \(1, 1\)"),
        (lambda: m.micro_auc([None], [0.1]), "nothing to score"),
        (lambda: m.accuracy(["a", "b"], ["a", None]), "row 1 is None; the class is known"),
        (lambda: m.accuracy(FRAME, FRAME.astype(str)), "column 'beach' is '1'; y_true has"),
        (lambda: m.ovr_auc(["a", "x"], np.eye(2), ["a", "b"]), "row 1 is 'x'; the classes are"),
        (lambda: m.ovr_auc(["a"], np.eye(2), ["a", "b"]), r"\(2, 2\), but \(1, 2\) is needed"),
        (lambda: m.ovr_auc(["a"], [[1, 0]], ["a", "a"]), "twice"),
        (lambda: m.ovr_auc(FRAME, FRAME, [0, 1]), "one column of classes at a time"),
        (lambda: m.log_loss(["a"], [[0.2, 0.3]], ["a", "b"]), "y_proba at row 0, .*add up to 1"),
        (lambda: m.set_size(["a"], [[1, 0]]), "sets is int64"),
        (lambda: m.calibration_error([1], [0.5], n_bins=0), "n_bins must be at least 1"),
        (lambda: m.known([[1], [1, 2]]), "Row 0 holds a list"),
        (lambda: m.known(np.zeros((1, 1, 1))), "not 3"),
        (lambda: m.known(csr_array(np.eye(2))), r"toarray\(\)"),
    ],
)
def test_errors_name_row_and_column(call, message):
    with pytest.raises(ValueError, match=message):
        call()
