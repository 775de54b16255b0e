"""Growing trees: what they read, what they say, and how many there are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier

from estimators.bits import assert_same_bits
from estimators.tables import PREDICTIVE
from halfseen import RBMClassifier
from halfseen.estimators.forest_fit import (
    _grown,
    _joined,
    grow_forest,
    target_units,
    trees_within_reach,
)
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
    usual = np.full(3, 1 / 3, np.float32)
    forest = _joined([_grown(rows, np.eye(3, dtype=np.float32)[code], usual, 4, 7)], 1, [3])
    theirs = ExtraTreesClassifier(4, min_samples_leaf=3, max_features=1, random_state=7).fit(
        rows, code
    )
    asked = np.concatenate([rows, np.random.default_rng(1).normal(size=(50, 4))])
    asked = asked.astype(np.float32)
    leaves = theirs.apply(asked)
    for tree, estimator in enumerate(theirs.estimators_):
        own = forest._leaves(forest.first_node[tree : tree + 1], asked)[:, 0]
        np.testing.assert_array_equal(own - forest.first_node[tree], leaves[:, tree])
        n_rows = estimator.tree_.n_node_samples[leaves[:, tree]][:, None]
        theirs_says = estimator.predict_proba(asked)
        honest = (n_rows * theirs_says + 1 / 3) / (n_rows + 1)
        np.testing.assert_allclose(forest.share[own], honest, rtol=1e-5)


def test_a_label_that_is_always_on_and_one_that_nobody_knows() -> None:
    rows, _ = rows_and_classes(20, 2)
    usual = np.array([0.9], np.float32)
    always = _joined([_grown(rows, np.ones((20, 1), np.float32), usual, 2, 0)], 1, [1])
    assert np.allclose(always.shares(rows[None]), (20 + 0.9) / 21)
    nobody = _joined([_grown(rows[:0], np.ones((0, 1), np.float32), usual, 2, 0)], 1, [1])
    assert np.allclose(nobody.shares(rows[None]), 0.9)


def test_targets_stand_in_the_order_of_their_units() -> None:
    layer = VisibleLayer(1, 2, (2, 3))
    columns = PredictiveColumns(PredictiveLayer(layer, 0), (0, 4, 1, 2, 2, 3, 3, 3), 2, 3)
    assert [units.tolist() for units in target_units(columns)] == [[1], [3, 4], [5, 6, 7]]


def test_more_work_means_fewer_trees() -> None:
    many = [trees_within_reach(50, 5000, 30, 10**k) for k in range(6)]
    assert many[0] == 50
    assert trees_within_reach(50, 10**8, 30, 1) == trees_within_reach(50, 20_000, 30, 1) > 0
    assert all(more >= fewer for more, fewer in itertools.pairwise(many))
    assert many[-1] == 0
    assert trees_within_reach(0, 100, 3, 1) == 0


@pytest.fixture(scope="module")
def encoded(predicts_classes: RBMClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    return predicts_classes.schema_.encode(read_table(table), read_target(classes, "classes"))


def test_neither_hidden_labels_nor_what_was_put_aside_are_read(
    predicts_classes: RBMClassifier, encoded: Encoded
) -> None:
    schema, ensemble = predicts_classes.schema_, predicts_classes.prediction_.ensemble
    where = schema.column_of_unit, schema.is_target_unit
    folds = [hold_out(*encoded, *where, 0.3, seed) for seed in (0, 1)]
    forest = grow_forest(ensemble, encoded, folds, 3, seed=0)
    other = encoded.visible.copy()
    hidden = ~(folds[0].training | folds[1].training)
    other[hidden] = np.random.default_rng(0).random(hidden.sum())
    again = grow_forest(ensemble, Encoded(other, encoded.observed), folds, 3, seed=0)
    assert forest is not None
    assert again is not None
    for name in ("first_node", "unit", "threshold", "left", "right", "share"):
        assert_same_bits(getattr(forest, name), getattr(again, name))
    assert hidden.any()


def test_it_can_be_left_out(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    alone = RBMClassifier(**PREDICTIVE, companion=False, forest=False).fit(table, classes)
    assert alone.prediction_.forest is None
    assert np.isfinite(alone.predict_proba(table)).all()
    with pytest.raises(ValueError, match="forest must be True or False"):
        RBMClassifier(**PREDICTIVE, forest=3).fit(table, classes)
