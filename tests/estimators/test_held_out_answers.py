"""What an ensemble learns from entries put aside, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from halfseen import RBMClassifier
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.fitted_prediction import discrete_candidates
from halfseen.estimators.held_out_answers import (
    HeldOutAnswers,
    _asked_like,
    _said_of_truth,
    _taught_by,
    _truth_probability,
    held_out_answers,
    label_scores,
    learn_blend,
)
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded, read_table, read_target


@pytest.fixture(scope="module")
def encoded(predicts_classes: RBMClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    target = read_target(classes, "classes")
    return predicts_classes.schema_.encode(read_table(table), target)


@pytest.fixture(scope="module")
def folds(predicts_classes: RBMClassifier, encoded: Encoded) -> list[HeldOut]:
    schema = predicts_classes.schema_
    return [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in (0, 1)
    ]


@pytest.fixture(scope="module")
def heard(
    predicts_classes: RBMClassifier, encoded: Encoded, folds: list[HeldOut]
) -> list[HeldOutAnswers]:
    prediction = predicts_classes.prediction_
    return held_out_answers(prediction.ensemble, prediction.forest, folds)


def test_only_its_own_members_speak_of_a_fold(
    predicts_classes: RBMClassifier,
    encoded: Encoded,
    folds: list[HeldOut],
    heard: list[HeldOutAnswers],
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    for index, (fold, one) in enumerate(zip(folds, heard, strict=True)):
        every = ensemble.answers(fold.visible, fold.shown)
        own = slice(index * ensemble.n_kinds, (index + 1) * ensemble.n_kinds)
        assert np.array_equal(one.known.means, every.means[own])
        assert len(one.known.means) == ensemble.n_kinds


def test_what_is_judged_was_not_shown(heard: list[HeldOutAnswers]) -> None:
    for one in heard:
        assert one.judged.any()
        assert not (one.judged & one.shown).any()


def test_labels_of_new_rows_are_hidden(
    predicts_classes: RBMClassifier, heard: list[HeldOutAnswers]
) -> None:
    is_target = predicts_classes.schema_.is_target_unit
    for one in heard:
        without = ~one.shown[:, is_target].any(axis=1)
        assert np.array_equal(one.known.means[:, without], one.new.means[:, without])
        assert not np.array_equal(one.known.means[:, ~without], one.new.means[:, ~without])


def test_truth_probability_by_hand(
    predicts_classes: RBMClassifier, heard: list[HeldOutAnswers]
) -> None:
    ensemble, schema = predicts_classes.prediction_.ensemble, predicts_classes.schema_
    said = _truth_probability(ensemble, heard, "known", ~schema.is_target_unit)
    expected = []
    sold, colour = schema.feature_units(2).start, schema.feature_units(3)
    n_gaussian = schema.n_gaussian
    for one in heard:
        means = np.pad(discrete_candidates(ensemble, one.known), [(0, 0), (0, 0), (n_gaussian, 0)])
        for row in np.flatnonzero(one.judged[:, sold]):
            p = means[:, row, sold]
            expected.append(p if one.truth[row, sold] else 1 - p)
        for row in np.flatnonzero(one.judged[:, colour.start]):
            true = colour.start + int(np.argmax(one.truth[row, colour]))
            expected.append(means[:, row, true])
    assert np.allclose(np.sort(said, axis=1), np.sort(np.transpose(expected), axis=1))


def test_bounds_of_numbers_are_what_was_seen(
    predicts_classes: RBMClassifier, encoded: Encoded, heard: list[HeldOutAnswers]
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    blend = learn_blend(ensemble, encoded, heard)
    for unit in range(2):
        seen = encoded.visible[encoded.observed[:, unit], unit]
        assert (blend.lowest[unit], blend.highest[unit]) == (seen.min(), seen.max())
    assert np.allclose(blend.number.sum(axis=1), 1.0)
    assert np.isclose(blend.discrete.sum(), 1.0)
    assert (blend.target == np.eye(ensemble.n_kinds + 2)).all()  # prior and forest


def test_a_pool_of_known_rows_is_learned_from_such_rows(predicts_labels: RBMClassifier) -> None:
    is_target = predicts_labels.schema_.is_target_unit
    n_visible = len(is_target)
    shown = np.zeros((2, n_visible), bool)
    shown[0] = is_target
    judged = np.ones((2, n_visible), bool) & ~shown
    nothing = Answers(*[np.zeros((1, 2, 0), np.float32)] * 4)
    truth = np.zeros((2, n_visible), np.float32)
    one = HeldOutAnswers(nothing, nothing, truth, judged | is_target, shown, None)
    known = _taught_by([one], "known", is_target)[0].judged
    assert known[0].all()
    assert not known[1].any()
    assert _taught_by([one], "new", is_target)[0].judged.all()
    new = _asked_like([one], "new", is_target)[0].judged
    assert new[1].all()
    assert not new[0].any()
    nobody = one._replace(shown=np.zeros_like(shown))
    assert _asked_like([nobody], "known", is_target)[0].judged.all()


def one_row(
    columns: tuple[int, ...], n_bernoulli: int, groups: tuple[int, ...], truth: list[float]
) -> tuple[PredictiveColumns, HeldOutAnswers, NDArray[np.float64]]:
    """All units are of targets and judged; of unit i 0.1 (i + 1) is said."""
    layer = VisibleLayer(0, n_bernoulli, groups)
    nothing = Answers(*[np.zeros((1, 1, 0), np.float32)] * 4)
    judged = np.ones((1, len(truth)), bool)
    one = HeldOutAnswers(nothing, nothing, np.array([truth], np.float32), judged, ~judged, None)
    of_columns = PredictiveColumns(PredictiveLayer(layer, 0), columns, 0, max(columns) + 1)
    return of_columns, one, 0.1 * (1 + np.arange(len(truth)))[None]


def test_of_a_label_either_value_is_the_truth() -> None:
    said = _said_of_truth(*_ordered(one_row((0, 1), 2, (), [1.0, 0.0])))
    assert np.allclose(said, [0.1, 0.8])


def test_of_classes_only_the_true_one_counts() -> None:
    said = _said_of_truth(*_ordered(one_row((0, 0, 0), 0, (3,), [0.0, 1.0, 0.0])))
    assert np.allclose(said, [0.2])
    independent = _said_of_truth(*_ordered(one_row((0, 0, 0), 3, (), [0.0, 1.0, 0.0])))
    assert np.allclose(independent, [0.2])


def _ordered(made: Any) -> Any:
    columns, one, said = made
    return columns, said, one


def test_no_entry_has_a_say_in_what_it_is_judged_by(
    predicts_classes: RBMClassifier, heard: list[HeldOutAnswers]
) -> None:
    prediction = predicts_classes.prediction_
    ensemble, blend = prediction.ensemble, prediction.blend
    is_target = ensemble.shape.columns.is_target_unit
    judged = heard[0].judged[:, is_target].any(axis=1)
    first_part = np.flatnonzero(judged & (np.arange(len(judged)) % 5 == 0))
    row = first_part[0]
    truth = heard[0].truth.copy()
    truth[row, is_target] = np.roll(truth[row, is_target], 1)
    before = label_scores(ensemble, blend, heard, 0)
    changed = [heard[0]._replace(truth=truth), *heard[1:]]
    after = label_scores(ensemble, blend, changed, 0)
    in_first_part = sum(
        int(one.judged[np.arange(len(one.truth)) % 5 == 0][:, is_target].any(axis=1).sum())
        for one in heard
    )
    assert in_first_part > 1
    assert before[0] != after[0]  # its own truth
    np.testing.assert_array_equal(before[1:in_first_part], after[1:in_first_part])
    assert np.any(before[in_first_part:] != after[in_first_part:])  # the others were told
