"""Scores of an answer, beside slow references that can be read."""

from __future__ import annotations

import math
from dataclasses import asdict, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.tiny import tiny_data_set
from halfseen.experiments.answer_scores import (
    Answer,
    AnswerScores,
    reliability_bins,
    score_answer,
)
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.record import SCORES

SEEDS = st.integers(0, 2**32 - 1)
OF_CLASSES = {"averaged_auc", "accuracy"}
OF_LABELS = {"micro_auc", "macro_auc", "hamming_accuracy"}


def drawn(seed: int, target: str) -> tuple[DataSet, np.ndarray, np.ndarray, Answer]:
    """A small incomplete table, what is asked of it, and an answer that is partly right."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(24, 4)) * [1, 10, 1, 1] + [0, 5, 0, 0]
    X[:, 2] = 7.0  # constant
    if target == "classes":
        Y = np.eye(3)[generator.integers(3, size=24)]
        Y[generator.random(24) < 0.2] = np.nan
        asked_rows = generator.random((24, 1)) < 0.6
        asked = np.broadcast_to(asked_rows, Y.shape).copy()
        scores = generator.dirichlet(np.ones(3), 24)
    else:
        Y = (generator.random((24, 3)) < 0.4).astype(float)
        Y[generator.random(Y.shape) < 0.2] = np.nan
        asked = generator.random(Y.shape) < 0.6
        scores = generator.random(Y.shape)
    asked_features = generator.random(X.shape) < 0.5
    X[generator.random(X.shape) < 0.1] = np.nan
    features = np.nan_to_num(X) + 0.3 * generator.normal(size=X.shape)
    numeric = np.array([True, True, True, False])
    data = DataSet("drawn", X, Y, target, numeric=numeric)
    answer = Answer(features, scores, features - 0.5, features + 0.5)
    # At least something of each kind is asked for.
    asked[:3], asked_features[:3] = True, True
    X[:3], Y[:3] = [[0, 1, 7, 0], [1, 2, 7, 1], [2, 3, 7, 0]], np.eye(3)
    return data, asked_features, asked, answer


def auc(truth: list[float], scores: list[float]) -> float:
    """Share of pairs of a one and a zero that stand in the right order."""
    ones = [s for t, s in zip(truth, scores, strict=True) if t == 1]
    zeros = [s for t, s in zip(truth, scores, strict=True) if t == 0]
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a in ones for b in zeros]
    return sum(won) / len(won)


def entries(data: DataSet, asked: np.ndarray) -> list[tuple[int, int]]:
    n_rows, n_labels = data.Y.shape
    return [
        (i, j)
        for i in range(n_rows)
        for j in range(n_labels)
        if asked[i, j] and not math.isnan(data.Y[i, j])
    ]


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_labels_beside_the_reference(seed):
    data, asked_features, asked, answer = drawn(seed, "labels")
    found = score_answer(data, asked_features, asked, answer, True)
    places = entries(data, asked)
    truth = [data.Y[place] for place in places]
    scores = [answer.scores[place] for place in places]
    wrong = sum((s > 0.5) != (t == 1) for t, s in zip(truth, scores, strict=True))
    of_label = []
    for label in range(3):
        mine = [place for place in places if place[1] == label]
        of_label.append(auc([data.Y[p] for p in mine], [answer.scores[p] for p in mine]))
    said = [s if t == 1 else 1 - s for t, s in zip(truth, scores, strict=True)]
    assert found.micro_auc == pytest.approx(auc(truth, scores))
    assert found.macro_auc == pytest.approx(sum(of_label) / 3)
    assert found.hamming_accuracy == pytest.approx(1 - wrong / len(places))
    n_known = sum(not math.isnan(y) for y in data.Y.ravel())
    assert found.accuracy_all_entries == pytest.approx(1 - wrong / n_known)
    assert found.log_loss == pytest.approx(-sum(map(math.log, said)) / len(said))
    assert math.isnan(found.accuracy)
    assert math.isnan(found.averaged_auc)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_classes_beside_the_reference(seed):
    data, asked_features, asked, answer = drawn(seed, "classes")
    found = score_answer(data, asked_features, asked, answer, True)
    rows = [i for i in range(24) if asked[i].all() and not math.isnan(data.Y[i, 0])]
    truth = [list(data.Y[i]).index(1.0) for i in rows]
    said = [max(range(3), key=lambda j: answer.scores[i, j]) for i in rows]
    wrong = sum(t != s for t, s in zip(truth, said, strict=True))
    areas = [
        auc([float(t == code) for t in truth], [answer.scores[i, code] for i in rows])
        for code in set(truth)
    ]
    losses = [-math.log(answer.scores[i, t]) for i, t in zip(rows, truth, strict=True)]
    assert found.accuracy == pytest.approx(1 - wrong / len(rows))
    n_known = sum(not math.isnan(y) for y in data.Y[:, 0])
    assert found.accuracy_all_entries == pytest.approx(1 - wrong / n_known)
    assert found.averaged_auc == pytest.approx(sum(areas) / len(areas))
    assert found.log_loss == pytest.approx(sum(losses) / len(losses))
    assert all(math.isnan(getattr(found, name)) for name in OF_LABELS)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_features_beside_the_reference(seed):
    data, asked_features, asked, answer = drawn(seed, "labels")
    found = score_answer(data, asked_features, asked, answer, True)
    squares, standard, held, widths = [], [], [], []
    for j in range(3):  # the last column is not numeric
        known = [x for x in data.X[:, j] if not math.isnan(x)]
        mean = sum(known) / len(known)
        spread = math.sqrt(sum((x - mean) ** 2 for x in known) / len(known))
        for i in range(24):
            if asked_features[i, j] and not math.isnan(data.X[i, j]):
                error = answer.features[i, j] - data.X[i, j]
                squares.append(error**2)
                held.append(answer.lower[i, j] <= data.X[i, j] <= answer.upper[i, j])
                if j != 2:  # a constant column has no spread
                    standard.append((error / spread) ** 2)
                    widths.append((answer.upper[i, j] - answer.lower[i, j]) / spread)
    assert found.rmse == pytest.approx(math.sqrt(sum(squares) / len(squares)))
    assert found.standardised_rmse == pytest.approx(math.sqrt(sum(standard) / len(standard)))
    assert found.interval_coverage == pytest.approx(sum(held) / len(held))
    assert found.interval_width == pytest.approx(sum(widths) / len(widths))


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from(["labels", "classes"]))
def test_what_is_not_asked_for_or_never_known_changes_nothing(seed, target):
    data, asked_features, asked, answer = drawn(seed, target)
    seen_x, seen_y = asked_features & ~np.isnan(data.X), asked & ~np.isnan(data.Y)
    other = Answer(
        np.where(seen_x, answer.features, np.nan),
        np.where(seen_y, answer.scores, np.nan),
        np.where(seen_x, answer.lower, np.nan),
        np.where(seen_x, answer.upper, np.nan),
    )
    first = score_answer(data, asked_features, asked, answer, True)
    again = score_answer(data, asked_features, asked, other, True)
    np.testing.assert_equal(asdict(again), asdict(first))
    assert reliability_bins(data, asked, other, True) == reliability_bins(data, asked, answer, True)


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_a_right_answer_is_right(target):
    data = tiny_data_set(target)
    everything = np.ones(data.X.shape, bool), np.ones(data.Y.shape, bool)
    found = score_answer(data, *everything, Answer(data.X, data.Y, data.X, data.X), True)
    best = {
        "accuracy_all_entries": 1, "log_loss": 0, "calibration_error": 0, "rmse": 0,
        "standardised_rmse": 0, "interval_coverage": 1, "interval_width": 0,
    }  # fmt: skip
    best |= dict.fromkeys(OF_LABELS if target == "labels" else OF_CLASSES, 1)
    for name, value in asdict(found).items():
        expected = best.get(name, math.nan)
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_scores_that_are_no_probabilities_have_no_loss_and_may_be_anything(target):
    data, asked_features, asked, answer = drawn(0, target)
    shifted = Answer(answer.features, answer.scores * 10 - 3)
    found = score_answer(data, asked_features, asked, shifted, False)
    assert math.isnan(found.log_loss)
    assert math.isnan(found.calibration_error)
    assert math.isnan(found.interval_coverage)
    assert reliability_bins(data, asked, shifted, False) == ()


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_where_nothing_is_asked_for_nothing_is_scored(target):
    data, asked_features, asked, answer = drawn(0, target)
    found = score_answer(data, asked_features & False, asked & False, answer, True)
    assert all(math.isnan(value) for value in asdict(found).values())
    assert reliability_bins(data, asked & False, answer, True) == ()


def test_where_every_asked_label_is_one_there_is_no_curve_but_an_accuracy():
    data, asked_features, asked, answer = drawn(0, "labels")
    found = score_answer(data, asked_features, asked & (data.Y == 1), answer, True)
    assert math.isnan(found.micro_auc)
    assert math.isnan(found.macro_auc)
    assert found.hamming_accuracy == np.mean(answer.scores[asked & (data.Y == 1)] > 0.5)


def test_a_single_class_has_no_curve_but_an_accuracy():
    data, asked_features, asked, answer = drawn(0, "classes")
    found = score_answer(data, asked_features, asked & (data.Y[:, :1] == 1), answer, True)
    assert math.isnan(found.averaged_auc)
    assert 0 <= found.accuracy <= 1


def test_a_method_that_does_not_complete_features_has_no_rmse():
    data, asked_features, asked, answer = drawn(0, "labels")
    found = score_answer(data, asked_features, asked, Answer(None, answer.scores), True)
    assert math.isnan(found.rmse)
    assert found.micro_auc > 0


def test_columns_without_bounds_are_left_out_of_coverage():
    data, asked_features, asked, answer = drawn(0, "labels")
    lower, upper = answer.lower.copy(), answer.upper.copy()
    lower[:, 0], upper[:, 0] = np.nan, np.nan
    some = asked_features & (np.arange(4) != 0)
    bounded = score_answer(
        data, asked_features, asked, Answer(answer.features, answer.scores, lower, upper), True
    )
    expected = score_answer(data, some, asked, answer, True)
    assert bounded.interval_coverage == expected.interval_coverage
    assert bounded.interval_width == expected.interval_width


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_a_score_that_is_none_is_said(target):
    data, asked_features, asked, answer = drawn(0, target)
    answer.scores[1, 2] = np.nan
    with pytest.raises(ValueError, match="gave nan for label 2 of row 1"):
        score_answer(data, asked_features, asked, answer, True)


def test_classes_without_any_score_are_all_alike():
    data, asked_features, asked, answer = drawn(0, "classes")
    nothing = Answer(None, np.zeros_like(answer.scores))
    found = score_answer(data, asked_features, asked, nothing, True)
    assert found.log_loss == pytest.approx(math.log(3))
    assert found.averaged_auc == 0.5


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from(["labels", "classes"]))
def test_bins_hold_all_that_is_asked_for_and_give_the_calibration_error(seed, target):
    data, asked_features, asked, answer = drawn(seed, target)
    bins = reliability_bins(data, asked, answer, True)
    known = asked & ~np.isnan(data.Y)
    total = sum(n for _, _, n in bins)
    assert total == known.sum()
    gap = sum(n * abs(mean - share) for mean, share, n in bins) / total
    found = score_answer(data, asked_features, asked, answer, True)
    assert found.calibration_error == pytest.approx(gap)
    assert len(bins) <= 10


def test_the_scores_are_those_of_the_records():
    assert tuple(field.name for field in fields(AnswerScores)) == SCORES
