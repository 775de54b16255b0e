"""What an ensemble learns from entries put aside, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from compilations import counted_compilations
from halfseen import HalfseenClassifier
from halfseen.estimators import ensemble as ensemble_file
from halfseen.estimators import held_out_answers as module
from halfseen.estimators.blind_readers import BlindReaders
from halfseen.estimators.bounds_of_numbers import bounds_of_numbers
from halfseen.estimators.fitted_prediction import (
    FittedPrediction,
    discrete_candidates,
    number_candidates,
    spread_of,
    target_candidates,
)
from halfseen.estimators.held_out_answers import HeldOutAnswers, Said, held_out_answers
from halfseen.estimators.held_out_lessons import (
    _asked_like,
    _said_of_truth,
    _taught_by,
    label_scores,
    learn_blend,
)
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.class_gaussians import ClassGaussians
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded, read_table, read_target


@pytest.fixture(scope="module")
def encoded(predicts_classes: HalfseenClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    target = read_target(classes, "classes")
    return predicts_classes.schema_.encode(read_table(table), target)


@pytest.fixture(scope="module")
def folds(predicts_classes: HalfseenClassifier, encoded: Encoded) -> list[HeldOut]:
    schema = predicts_classes.schema_
    return [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in (0, 1)
    ]


@pytest.fixture(scope="module")
def heard(
    predicts_classes: HalfseenClassifier, encoded: Encoded, folds: list[HeldOut]
) -> list[HeldOutAnswers]:
    prediction = predicts_classes.prediction_
    return held_out_answers(prediction.ensemble, blind(prediction), encoded, folds)


def blind(prediction: FittedPrediction) -> list[BlindReaders]:
    """Gaussians made up for every fold, none like another; the table itself has too few numbers."""
    assert prediction.blind.names == ["forest"]
    is_target = prediction.ensemble.shape.columns.is_target_unit
    n_classes, n_units = int(is_target.sum()), int((~is_target).sum())
    mean = np.random.default_rng(2).normal(size=(2, n_classes, n_units))
    covariance = np.tile(np.eye(n_units), (n_classes, 1, 1))
    share = np.full(n_classes, 1 / n_classes)
    return [
        replace(prediction.blind, gaussians=ClassGaussians(share, own, covariance)) for own in mean
    ]


class Asked(NamedTuple):
    visible: NDArray[np.float32]
    shown: NDArray[np.bool_]
    judging: NDArray[np.bool_]


def asked_of(fold: HeldOut, encoded: Encoded) -> Asked:
    """The rows in which something is judged."""
    asked = fold.judging.any(axis=1)
    assert 0 < asked.sum() < len(asked)
    visible, observed = encoded.rows(fold.judged_rows[asked])
    return Asked(visible, observed & ~fold.judging[asked], fold.judging[asked])


@pytest.mark.parametrize("context", ["known", "new"])
def test_what_is_heard_of_a_fold_is_said_by_its_own_members(
    predicts_classes: HalfseenClassifier,
    encoded: Encoded,
    folds: list[HeldOut],
    heard: list[HeldOutAnswers],
    context: str,
) -> None:
    prediction, schema = predicts_classes.prediction_, predicts_classes.schema_
    ensemble, numbers = prediction.ensemble, slice(0, schema.n_gaussian)
    for index, (fold, one) in enumerate(zip(folds, heard, strict=True)):
        asked = asked_of(fold, encoded)
        np.testing.assert_array_equal(one.judged, asked.judging)
        np.testing.assert_array_equal(one.truth, asked.visible)
        shown = asked.shown if context == "known" else asked.shown & ~schema.is_target_unit
        every = ensemble.answers(asked.visible, shown)
        own = slice(index * ensemble.n_kinds, (index + 1) * ensemble.n_kinds)
        answers = type(every)(*(part[own] for part in every))
        said, judged = getattr(one, context), asked.judging[:, numbers]
        readers = blind(prediction)[index]
        of_blind = readers.said_of_fold(index, ensemble, answers, asked.visible, shown)
        more = readers.numbers(ensemble, of_blind, asked.visible, shown)
        assert len(more) == readers.n_of_numbers
        expected = np.concatenate([number_candidates(answers, ensemble.n_kinds), more])
        np.testing.assert_array_equal(said.numbers, expected[:, judged])
        np.testing.assert_array_equal(said.spread, spread_of(answers)[judged])
        discrete = discrete_candidates(ensemble, answers)
        expected = target_candidates(ensemble, discrete, of_blind.targets)
        np.testing.assert_array_equal(said.targets, expected)


def test_rows_are_heard_alike_however_many_at_a_time(
    predicts_classes: HalfseenClassifier,
    encoded: Encoded,
    folds: list[HeldOut],
    heard: list[HeldOutAnswers],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prediction = predicts_classes.prediction_
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    again = held_out_answers(prediction.ensemble, blind(prediction), encoded, folds)
    for one, other in zip(heard, again, strict=True):
        for context in ("known", "new"):
            said, also = getattr(one, context), getattr(other, context)
            for name in ("numbers", "spread", "targets"):
                np.testing.assert_array_equal(getattr(also, name), getattr(said, name))
            np.testing.assert_array_equal(np.sort(also.truth), np.sort(said.truth))


def test_what_is_judged_was_not_shown(heard: list[HeldOutAnswers]) -> None:
    for one in heard:
        assert one.judged.any()
        assert not (one.judged & one.shown).any()


def test_labels_of_new_rows_are_hidden(
    predicts_classes: HalfseenClassifier, heard: list[HeldOutAnswers]
) -> None:
    is_target = predicts_classes.schema_.is_target_unit
    for one in heard:
        without = ~one.shown[:, is_target].any(axis=1)
        known, new = one.known.targets, one.new.targets
        assert np.array_equal(known[:, without], new[:, without])
        assert not np.array_equal(known[:, ~without], new[:, ~without])


def test_truth_probability_by_hand(
    predicts_classes: HalfseenClassifier,
    encoded: Encoded,
    folds: list[HeldOut],
    heard: list[HeldOutAnswers],
) -> None:
    ensemble, schema = predicts_classes.prediction_.ensemble, predicts_classes.schema_
    sold, colour = schema.feature_units(2).start, schema.feature_units(3)
    n_gaussian = schema.n_gaussian
    for index, (fold, one) in enumerate(zip(folds, heard, strict=True)):
        asked, expected = asked_of(fold, encoded), []
        answers = ensemble.answers_of_fold(index, asked.visible, asked.shown)
        means = np.pad(discrete_candidates(ensemble, answers), [(0, 0), (0, 0), (n_gaussian, 0)])
        for row in np.flatnonzero(one.judged[:, sold]):
            p = means[:, row, sold]
            expected.append(p if one.truth[row, sold] else 1 - p)
        for row in np.flatnonzero(one.judged[:, colour.start]):
            true = colour.start + int(np.argmax(one.truth[row, colour]))
            expected.append(means[:, row, true])
        assert np.allclose(one.known.truth, np.transpose(expected))


def test_a_blend_has_bounds_and_weights(
    predicts_classes: HalfseenClassifier, encoded: Encoded, heard: list[HeldOutAnswers]
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    bounds = bounds_of_numbers(encoded, predicts_classes.schema_)
    blend = learn_blend(ensemble, bounds, heard)
    assert_array_equal([blend.lowest, blend.highest], bounds)
    assert (blend.number.sum(axis=1) <= 1 + 1e-9).all()
    assert np.isclose(blend.discrete.sum(), 1.0)
    assert (blend.target == np.eye(ensemble.n_kinds + 3)).all()  # prior, forest, Gaussians


def test_a_pool_of_known_rows_is_learned_from_such_rows(
    predicts_labels: HalfseenClassifier,
) -> None:
    is_target = predicts_labels.schema_.is_target_unit
    n_visible = len(is_target)
    shown = np.zeros((2, n_visible), bool)
    shown[0] = is_target
    judged = np.ones((2, n_visible), bool) & ~shown
    nothing = Said(*[np.zeros((1, 0))] * 4)
    truth = np.zeros((2, n_visible), np.float32)
    one = HeldOutAnswers(nothing, nothing, truth, judged | is_target, shown, 0, 0)
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
    nothing = Said(*[np.zeros((1, 0))] * 4)
    judged = np.ones((1, len(truth)), bool)
    one = HeldOutAnswers(nothing, nothing, np.array([truth], np.float32), judged, ~judged, 0, 0)
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
    predicts_classes: HalfseenClassifier, encoded: Encoded, heard: list[HeldOutAnswers]
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    blend = learn_blend(ensemble, bounds_of_numbers(encoded, predicts_classes.schema_), heard)
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


def test_a_fold_in_which_nothing_is_judged(
    predicts_classes: HalfseenClassifier, encoded: Encoded, folds: list[HeldOut]
) -> None:
    prediction = predicts_classes.prediction_
    nothing = folds[0]._replace(judging=np.zeros_like(folds[0].judging))
    (one,) = held_out_answers(prediction.ensemble, blind(prediction), encoded, [nothing])
    assert not one.judged.any()
    n_candidates = prediction.ensemble.n_kinds + 3  # prior, forest and Gaussians
    assert one.known.targets.shape[:2] == one.new.targets.shape[:2] == (n_candidates, 1)
    for part in (*one.known[:3], *one.new[:3]):
        assert part.size == 0


def test_what_answers_is_compiled_ahead(
    predicts_classes: HalfseenClassifier, encoded: Encoded, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    with counted_compilations() as compiled:
        replace(ensemble).compile_answers()
        replace(ensemble).answers(*encoded)
        assert not compiled  # NumPy answers
    monkeypatch.setattr(ensemble_file, "_MOST_WEIGHTS_OF_HOST", 0)
    # Of a shape that nobody else has: one more step of the search.
    shape = replace(ensemble.shape, n_search_steps=ensemble.shape.n_search_steps + 1)
    replace(ensemble, shape=shape).compile_answers()
    with counted_compilations() as compiled:
        replace(ensemble, shape=shape).answers(*encoded)
        assert not compiled
        other = replace(shape, n_search_steps=shape.n_search_steps + 1)
        replace(ensemble, shape=other).answers(*encoded)
        assert compiled == ["jit(answers_of_tile)"]
