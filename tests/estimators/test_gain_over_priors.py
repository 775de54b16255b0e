"""What members take away of the error of their own priors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen import RBMClassifier
from halfseen.estimators.gain_over_priors import gain_over_priors, share_taken_away
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.tables import Encoded, read_table, read_target


@pytest.fixture(scope="module")
def encoded(predicts_classes: RBMClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    target = read_target(classes, "classes")
    return predicts_classes.schema_.encode(read_table(table), target)


@pytest.fixture(scope="module")
def folds(predicts_classes: RBMClassifier, encoded: Encoded) -> list[HeldOut]:
    schema = predicts_classes.schema_
    n_folds = predicts_classes.prediction_.ensemble.n_folds
    return [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in range(n_folds)
    ]


def gain_by_entries(model: RBMClassifier, encoded: Encoded, folds: list[HeldOut]) -> float:
    """The same, entry by entry, with the best multiple found by least squares."""
    ensemble = model.prediction_.ensemble
    own, moves = [], []
    for index, fold in enumerate(folds):
        visible, observed = encoded.rows(fold.judged_rows)
        answers = ensemble.answers_of_fold(index, visible, observed & ~fold.judging)
        for row, unit in zip(*np.nonzero(fold.judging), strict=True):
            if model.schema_.is_target_unit[unit]:
                continue
            mean, scale = ensemble.unit_mean[unit], ensemble.unit_scale[unit]
            for kind in range(ensemble.n_kinds):
                base = float(answers.base[kind, row, unit])
                own.append((visible[row, unit] - mean) / scale - base)
                moves.append((answers.means[kind, row, unit] - mean) / scale - base)
    truth, moved = np.array(own, np.float64), np.array(moves, np.float64)
    multiple = max(0.0, np.linalg.lstsq(moved[:, None], truth, rcond=None)[0][0])
    return float(1 - np.sum((truth - multiple * moved) ** 2) / np.sum(truth**2))


def test_it_is_what_the_best_multiple_takes_away(
    predicts_classes: RBMClassifier, encoded: Encoded, folds: list[HeldOut]
) -> None:
    found = gain_over_priors(predicts_classes.prediction_.ensemble, encoded, folds)
    assert found == pytest.approx(gain_by_entries(predicts_classes, encoded, folds), abs=1e-4)


def test_nothing_put_aside_is_no_gain(
    predicts_classes: RBMClassifier, encoded: Encoded, folds: list[HeldOut]
) -> None:
    nothing = [fold._replace(judging=np.zeros_like(fold.judging)) for fold in folds]
    assert gain_over_priors(predicts_classes.prediction_.ensemble, encoded, nothing) == 0.0


def test_targets_have_no_say(
    predicts_classes: RBMClassifier, encoded: Encoded, folds: list[HeldOut]
) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    units = np.flatnonzero(predicts_classes.schema_.is_target_unit)
    wrong, fold = encoded._replace(visible=encoded.visible.copy()), folds[0]
    rows = np.ix_(fold.judged_rows, units)
    assert fold.judging[:, units].any()
    wrong.visible[rows] += fold.judging[:, units]
    assert gain_over_priors(ensemble, wrong, [fold]) == gain_over_priors(ensemble, encoded, [fold])


@given(
    st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1, max_size=20),
)
def test_a_share_is_between_none_and_all(pairs: list[tuple[float, float]]) -> None:
    own, said = np.array(pairs).T
    share = share_taken_away(own @ own, own @ said, said @ said)
    assert 0.0 <= share <= 1.0 + 1e-9
