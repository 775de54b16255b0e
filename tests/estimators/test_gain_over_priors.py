"""What members take away of the error of their own priors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimators.curved import curved_table
from halfseen import HalfseenClassifier
from halfseen.estimators import gain_over_priors as module
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.gain_over_priors import gain_over_priors, share_taken_away
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.tables import Encoded, read_table, read_target


class Asked(NamedTuple):
    """A model of waves and the sign of one of them, and what is put aside."""

    model: HalfseenClassifier
    encoded: Encoded
    folds: list[HeldOut]

    @property
    def ensemble(self) -> Ensemble:
        ensemble: Ensemble = self.model.prediction_.ensemble
        return ensemble


@pytest.fixture(scope="module")
def asked() -> Asked:
    X = curved_table()
    y: Any = np.where(np.isnan(X[:, 0]), None, np.where(X[:, 0] > 0, "up", "down"))
    # As many steps as a first round has not.
    light = {"n_machines": 2, "n_epochs": 60, "n_hidden": 40, "companion": False, "forest": False}
    model = HalfseenClassifier(random_state=0, **light).fit(X, y)
    schema = model.schema_
    encoded = schema.encode(read_table(X), read_target(y, "classes"))
    folds = [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in range(2)
    ]
    return Asked(model, encoded, folds)


def left_by_entries(asked: Asked, of_targets: bool) -> tuple[float, int]:
    """What is left of features, or of labels, entry by entry, and of how many labels.

    The best multiple is found by least squares.
    """
    ensemble, is_target = asked.ensemble, asked.model.schema_.is_target_unit
    reader = int(np.flatnonzero(ensemble.prior_sees_labels[: ensemble.n_kinds])[0])
    own, moves, n_labels = [], [], 0
    for index, fold in enumerate(asked.folds):
        visible, observed = asked.encoded.rows(fold.judged_rows)
        answers = ensemble.answers_of_fold(index, visible, observed & ~fold.judging)
        n_labels += int(fold.judging[:, is_target].any(axis=1).sum())
        for row, unit in zip(*np.nonzero(fold.judging), strict=True):
            if is_target[unit] != of_targets:
                continue
            mean, scale = ensemble.unit_mean[unit], ensemble.unit_scale[unit]
            for kind in range(ensemble.n_kinds):
                base = float(answers.base[reader if of_targets else kind, row, unit])
                own.append((visible[row, unit] - mean) / scale - base)
                moves.append((answers.means[kind, row, unit] - mean) / scale - base)
    truth, moved = np.array(own, np.float64), np.array(moves, np.float64)
    multiple = max(0.0, np.linalg.lstsq(moved[:, None], truth, rcond=None)[0][0])
    return float(np.sum((truth - multiple * moved) ** 2) / np.sum(truth**2)), n_labels


def test_it_is_what_the_best_multiples_take_away(asked: Asked) -> None:
    found = gain_over_priors(asked.ensemble, asked.encoded, asked.folds)
    assert found > 0.05
    of_features, _ = left_by_entries(asked, of_targets=False)
    of_labels, n_labels = left_by_entries(asked, of_targets=True)
    assert of_labels < 0.95
    left = of_features * of_labels ** (n_labels / (n_labels + 200))
    assert found == pytest.approx(1 - left, abs=1e-4)


def test_of_many_rows_some_of_the_whole_table_are_asked(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[Any] = []

    class Watched(Encoded):
        def rows(self, which: Any) -> Any:
            rows.append(which)
            return super().rows(which)

    fold = asked.folds[0]
    among = fold.judged_rows[fold.judging.any(axis=1)]
    monkeypatch.setattr(module, "_MOST_ROWS", 50)
    gain_over_priors(asked.ensemble, Watched(*asked.encoded), [fold])
    (asked_rows,) = rows
    assert 25 < len(asked_rows) <= 50
    assert set(asked_rows) <= set(among)
    assert asked_rows[-1] > 0.9 * len(asked.encoded.visible)


def test_nothing_put_aside_is_no_gain(asked: Asked) -> None:
    nothing = [fold._replace(judging=np.zeros_like(fold.judging)) for fold in asked.folds]
    assert gain_over_priors(asked.ensemble, asked.encoded, nothing) == 0.0


def test_labels_have_a_say(asked: Asked) -> None:
    encoded, fold = asked.encoded, asked.folds[0]
    units = np.flatnonzero(asked.model.schema_.is_target_unit)
    assert fold.judging[:, units].any()
    turned = encoded.visible.copy()
    judged = fold.judged_rows[fold.judging[:, units[0]]]
    turned[np.ix_(judged, units)] = turned[np.ix_(judged, units[::-1])]
    wrong = encoded._replace(visible=turned)
    found = gain_over_priors(asked.ensemble, encoded, [fold])
    assert 0 < gain_over_priors(asked.ensemble, wrong, [fold]) < found - 0.01


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1, max_size=20))
def test_a_share_is_between_none_and_all(pairs: list[tuple[float, float]]) -> None:
    own, said = np.array(pairs).T
    share = share_taken_away(own @ own, own @ said, said @ said)
    assert 0.0 <= share <= 1.0 + 1e-9
