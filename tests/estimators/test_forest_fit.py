"""Growing trees: what they read, what they say, and how many there are."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.tree import ExtraTreeClassifier

from estimators.bits import assert_same_bits
from estimators.tables import PREDICTIVE
from halfseen import HalfseenClassifier, TrainingInterrupted
from halfseen.estimators import forest_fit
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.forest_fit import (
    _grown,
    _joined,
    grow_forest,
    target_units,
    trees_within_reach,
)
from halfseen.estimators.only_target import some_of
from halfseen.estimators.tree_nodes import leaves_of
from halfseen.learning.held_out import hold_out
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded, read_table, read_target


def rows_and_classes(n_rows: int, n_classes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(5)
    rows = random.normal(size=(n_rows, 4)).astype(np.float32)
    code = np.digitize(rows[:, 0], np.linspace(-0.5, 0.5, n_classes - 1))
    return rows, code


def test_arrays_walk_as_scikit_learns_trees_do() -> None:
    rows, code = rows_and_classes(80, 3)
    usual, known = np.full(3, 1 / 3, np.float32), np.ones(80, bool)
    forest = _joined([_grown(rows, np.eye(3, dtype=np.float32)[code], known, usual, 4, 7)], 1, [3])
    asked = np.concatenate([rows, np.random.default_rng(1).normal(size=(50, 4))])
    asked = asked.astype(np.float32)
    for tree, seed in enumerate(np.random.SeedSequence(7).generate_state(4).tolist()):
        theirs = ExtraTreeClassifier(min_samples_leaf=3, max_features=1, random_state=seed)
        leaves = theirs.fit(rows, code).apply(asked)
        own = leaves_of(
            forest.first_node[tree : tree + 1],
            forest.unit,
            forest.threshold,
            (forest.left, forest.right),
            asked,
        )[:, 0]
        np.testing.assert_array_equal(own - forest.first_node[tree], leaves)
        n_rows = theirs.tree_.n_node_samples[leaves][:, None]
        honest = (n_rows * theirs.predict_proba(asked) + 1 / 3) / (n_rows + 1)
        np.testing.assert_allclose(forest.share[own], honest, rtol=1e-5)


def test_a_label_that_is_always_on_and_one_that_nobody_knows() -> None:
    rows, _ = rows_and_classes(20, 2)
    usual, on = np.array([0.9], np.float32), np.ones((20, 1), np.float32)
    always = _joined([_grown(rows, on, np.ones(20, bool), usual, 2, 0)], 1, [1])
    assert np.allclose(always.shares(rows[None]), (20 + 0.9) / 21)
    nobody = _joined([_grown(rows, on, np.zeros(20, bool), usual, 2, 0)], 1, [1])
    assert np.allclose(nobody.shares(rows[None]), 0.9)


def test_targets_stand_in_the_order_of_their_units() -> None:
    layer = VisibleLayer(1, 2, (2, 3))
    columns = PredictiveColumns(PredictiveLayer(layer, 0), (0, 4, 1, 2, 2, 3, 3, 3), 2, 3)
    assert [units.tolist() for units in target_units(columns)] == [[1], [3, 4], [5, 6, 7]]


def test_more_work_means_fewer_trees() -> None:
    many = [trees_within_reach(50, 5000, 30, 10**k, 1) for k in range(6)]
    assert many[0] == 50
    assert all(more >= fewer for more, fewer in itertools.pairwise(many))
    assert many[-1] == 0
    assert trees_within_reach(50, 10**8, 30, 1, 1) == trees_within_reach(50, 20_000, 30, 1, 1) > 0
    assert trees_within_reach(50, 4000, 30, 1, 1000) == 0
    assert trees_within_reach(0, 100, 3, 1, 1) == 0


def test_rows_of_a_long_table_are_drawn() -> None:
    some = some_of(np.arange(30_000) * 2, forest_fit._MOST_ROWS, 0)
    assert len(some) == 20_000
    assert np.all(np.diff(some) > 0)
    assert len(some_of(np.arange(20), forest_fit._MOST_ROWS, 0)) == 20


@pytest.fixture(scope="module")
def encoded(predicts_classes: HalfseenClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    return predicts_classes.schema_.encode(read_table(table), read_target(classes, "classes"))


def test_trees_read_nothing_that_their_fold_put_aside(
    predicts_classes: HalfseenClassifier, encoded: Encoded
) -> None:
    schema, ensemble = predicts_classes.schema_, predicts_classes.prediction_.ensemble
    where = schema.column_of_unit, schema.is_target_unit
    folds = [hold_out(encoded, *where, 0.3, seed) for seed in (0, 1)]
    forest = grow_forest(ensemble, encoded, folds, 3, seed=0)
    assert forest is not None
    half = len(forest.first_node) // 2
    ends = [0, forest.first_node[half], len(forest.unit)]
    for index, fold in enumerate(folds):
        other = encoded.visible.copy()
        hidden = ~fold.training(encoded.observed)
        other[hidden] = np.random.default_rng(0).random(hidden.sum())
        again = grow_forest(ensemble, Encoded(other, encoded.observed), folds, 3, seed=0)
        assert again is not None
        # Of the second fold nodes may stand elsewhere: trees of the first read what it hides.
        theirs = [0, again.first_node[half], len(again.unit)]
        own, same = slice(*ends[index : index + 2]), slice(*theirs[index : index + 2])
        for name in ("unit", "threshold", "share"):
            assert_same_bits(getattr(forest, name)[own], getattr(again, name)[same])
        assert not np.array_equal(forest.share, again.share)


def test_trees_are_asked_as_they_were_grown(
    predicts_classes: HalfseenClassifier, encoded: Encoded
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    # Labels are shown, and must not be read.
    answers = ensemble.answers(*encoded)
    by_priors = ensemble.completed_by_priors(answers, *encoded)
    for fold in range(ensemble.n_folds):
        assert_same_bits(by_priors[fold], ensemble.completed_features(fold, *encoded))
    assert by_priors.shape[2] == (~predicts_classes.schema_.is_target_unit).sum()


@pytest.mark.parametrize("units", ["softmax", "independent"])
def test_outputs_of_different_widths(table: pd.DataFrame, units: str) -> None:
    narrow = table.drop(columns=["sold", "colour"])
    outputs = table[["sold", "colour"]].astype(object).to_numpy()
    model = HalfseenClassifier(
        **PREDICTIVE, companion=False, target_kind="outputs", class_units=units
    ).fit(narrow, outputs)
    forest = model.prediction_.blind.forest
    assert sorted(forest.widths) == [2, 3]
    rows = np.zeros((forest.n_folds, 4, 2), np.float32)
    shares, at = forest.shares(rows), 0
    for width in forest.widths:
        assert np.allclose(shares[:, at : at + width].sum(axis=1), 1.0, atol=1e-5)
        at += width
    assert [proba.shape[1] for proba in model.predict_proba(narrow)] == [2, 3]


def test_many_classes_raise_no_warning(table: pd.DataFrame) -> None:
    before = list(warnings.filters)
    every = np.arange(len(table)) // 2
    HalfseenClassifier(**PREDICTIVE, companion=False).fit(table, every.astype(str))
    assert list(warnings.filters) == before


def test_control_c_while_trees_grow_keeps_the_ensemble(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(forest_fit, "_joined", lambda *_: pytest.fail("all trees were grown"))
    monkeypatch.setattr(Ensemble, "completed_features", interrupt)
    with pytest.warns(TrainingInterrupted, match="does without those"):
        model = HalfseenClassifier(**PREDICTIVE, companion=False).fit(table, classes)
    assert model.prediction_.blind.forest is None
    assert np.isfinite(model.predict_proba(table)).all()


def test_it_can_be_left_out(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    alone = HalfseenClassifier(**PREDICTIVE, companion=False, forest=False).fit(table, classes)
    assert alone.prediction_.blind.forest is None
    assert np.isfinite(alone.predict_proba(table)).all()
    with pytest.raises(ValueError, match="forest must be True or False"):
        HalfseenClassifier(**PREDICTIVE, forest=3).fit(table, classes)
