"""Boosted trees: as scikit-learn grows them, of every fold its own, and on file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from estimators.tables import PREDICTIVE
from halfseen import RBMClassifier, TrainingInterrupted, load
from halfseen.estimators import blind_fit, boosted_fit
from halfseen.estimators.boosted_file import boosted_from_arrays, boosted_to_arrays
from halfseen.estimators.boosted_fit import boost, boosted_of_folds
from halfseen.learning.held_out import hold_out
from halfseen.storage import Sealed
from halfseen.tables import Encoded, read_table, read_target

ALONE = PREDICTIVE | {"companion": False}


def stairs(
    n_rows: int, n_classes: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Rows whose class is a step of the first unit, turned round by the sign of the second."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_rows, 3)).astype(np.float32)
    step = np.digitize(rows[:, 0], np.linspace(-0.6, 0.6, n_classes - 1))
    return rows, np.where(rows[:, 1] > 0, step, n_classes - 1 - step)


def theirs(rows: NDArray[np.float32], code: NDArray[np.int64]) -> GradientBoostingClassifier:
    return GradientBoostingClassifier(
        n_estimators=60,
        learning_rate=0.12,
        max_depth=5,
        min_samples_leaf=5,
        subsample=0.6,
        max_features=0.4,
        random_state=3,
    ).fit(rows, code)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_arrays_say_what_scikit_learns_trees_do(n_classes: int) -> None:
    rows, code = stairs(300, n_classes)
    asked = stairs(80, n_classes, seed=1)[0]
    boosted = boost(rows, code, n_classes, seed=3)
    said = theirs(rows, code).predict_proba(asked)
    honest = 0.999 * said + 0.001 / n_classes
    np.testing.assert_allclose(boosted.probabilities(asked), honest, rtol=1e-4)
    for row in range(80):
        alone = boosted.probabilities(asked[row : row + 1])[0]
        np.testing.assert_array_equal(alone, boosted.probabilities(asked)[row])


@pytest.mark.parametrize("there", [(0, 2), (1, 3), (0, 1, 3)])
def test_a_class_without_rows_is_hardly_ever_said(there: tuple[int, ...]) -> None:
    rows, code = stairs(200, len(there))
    own = np.array(there)[code]
    boosted = boost(rows, own, 4, seed=3)
    said = boosted.probabilities(rows)
    assert said.shape == (200, 4)
    among = theirs(rows, own).predict_proba(rows)
    of_those = said[:, there] / said[:, there].sum(axis=1, keepdims=True)
    assert np.abs(of_those - among).max() < 2e-3
    absent = [k for k in range(4) if k not in there]
    assert said[:, absent].max() < 0.05
    assert (said[:, absent] > 0).all()


def test_a_smaller_power_is_less_sure() -> None:
    rows, code = stairs(200, 2)
    boosted = boost(rows, code, 2, seed=0)
    half = type(boosted)(**{**vars(boosted), "power": 0.5})
    odds, less = (p[:, 1] / p[:, 0] for p in map(lambda b: b.probabilities(rows), (boosted, half)))
    np.testing.assert_allclose(less, np.sqrt(odds), rtol=1e-9)


def table_of_stairs(
    n_rows: int = 600,
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.bool_]]:
    rows, code = stairs(n_rows, 3)
    X = rows.astype(np.float64)
    random = np.random.default_rng(4)
    X[random.random(X.shape) < 0.05] = np.nan
    y = np.array(["low", "middle", "high"], dtype=object)[code]
    hidden = random.random(n_rows) < 0.4
    y[hidden] = None
    return X, y, hidden


@pytest.fixture(scope="module")
def model() -> RBMClassifier:
    X, y, _ = table_of_stairs()
    return RBMClassifier(**ALONE).fit(X, y)


def test_they_read_thresholds(model: RBMClassifier) -> None:
    X, y, hidden = table_of_stairs()
    truth = np.array(["low", "middle", "high"])[stairs(600, 3)[1]]
    without = RBMClassifier(**ALONE, forest=False).fit(X, y)
    assert "boosted trees" not in without.prediction_.blind.names
    right = [(one.predict(X)[hidden] == truth[hidden]).mean() for one in (model, without)]
    assert right[0] > right[1] + 0.05
    said = {choice.what: choice.chosen for choice in model.history_.choices}
    assert said["boosted trees"].startswith("180, ")


def test_nothing_that_a_fold_put_aside_is_read_by_its_trees(model: RBMClassifier) -> None:
    X, y, _ = table_of_stairs()
    schema, ensemble = model.schema_, model.prediction_.ensemble
    encoded = schema.encode(read_table(X), read_target(y))
    folds = [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in (0, 1)
    ]
    before = boosted_of_folds(ensemble, encoded, folds, 1.0, 0)
    assert before is not None
    other = encoded.visible.copy()
    judged = np.zeros(other.shape, bool)
    judged[folds[0].judged_rows] = folds[0].judging
    other[judged] = 1.0 - other[judged]
    after = boosted_of_folds(ensemble, Encoded(other, encoded.observed), folds, 1.0, 0)
    assert after is not None
    np.testing.assert_array_equal(after.of_folds[0].value, before.of_folds[0].value)
    np.testing.assert_array_equal(after.of_folds[0].threshold, before.of_folds[0].threshold)
    assert not np.array_equal(after.of_folds[1].value, before.of_folds[1].value)
    assert not np.array_equal(after.whole.value, before.whole.value)


def test_where_there_is_nothing_to_boost(
    model: RBMClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, _ = table_of_stairs()
    ensemble = model.prediction_.ensemble
    schema = model.schema_
    encoded = schema.encode(read_table(X), read_target(y))
    folds = [hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.1, 0)]
    assert boosted_of_folds(ensemble, encoded, folds, 0.6, 0) is None  # many holes
    one_class = encoded.visible.copy()
    one_class[:, schema.is_target_unit] = [1, 0, 0]
    alike = Encoded(one_class, encoded.observed)
    assert boosted_of_folds(ensemble, alike, folds, 1.0, 0) is None
    monkeypatch.setattr(boosted_fit, "_MOST_WORK", 1e6)
    assert boosted_of_folds(ensemble, encoded, folds, 1.0, 0) is None


def test_ctrl_c_leaves_the_members(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(blind_fit, "boosted_of_folds", interrupted)
    X, y, _ = table_of_stairs()
    with pytest.warns(TrainingInterrupted, match="does without them"):
        model = RBMClassifier(**ALONE).fit(X, y)
    assert model.prediction_.blind.names == []
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_file_says_the_same(model: RBMClassifier, tmp_path: Path) -> None:
    X, _, _ = table_of_stairs()
    model.save(tmp_path / "model.halfseen")
    again = load(tmp_path / "model.halfseen")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("base", lambda base: base[:2], "shape"),
        ("value", lambda value: value * np.nan, "numbers within"),
        ("value", lambda value: value.astype(np.float64), "float32"),
        ("left", lambda left: np.zeros_like(left), "come after it"),
        ("unit", lambda unit: unit + 3, "units of features"),
        ("first_node", lambda first: first - 1, "begin at a node"),
        ("power", lambda power: power - 9, "power"),
    ],
)
def test_a_damaged_file_is_refused(model: RBMClassifier, name: str, change: Any, said: str) -> None:
    arrays = boosted_to_arrays(model.prediction_.blind.boosted, "p.")
    columns = model.prediction_.ensemble.shape.columns
    assert boosted_from_arrays(180, Sealed(6, {}, arrays), "p.", columns) is not None
    key = f"p.boosted.{name}"
    damaged = arrays | {key: np.asarray(change(arrays[key]))}
    with pytest.raises(ValueError, match=said):
        boosted_from_arrays(180, Sealed(6, {}, damaged), "p.", columns)
    with pytest.raises(ValueError, match="one target column"):
        boosted_from_arrays(181, Sealed(6, {}, arrays), "p.", columns)
