"""Boosted trees: as scikit-learn grows them, of every fold its own, and on file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

from estimators.tables import PREDICTIVE
from halfseen import HalfseenClassifier, TrainingInterrupted, load
from halfseen.estimators import blind_fit, boosted_fit
from halfseen.estimators.boosted_file import boosted_from_arrays, boosted_to_arrays
from halfseen.estimators.boosted_fit import LONG, SHORT, Pace, boost, boosted_of_folds
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


@pytest.mark.parametrize(("n_classes", "pace"), [(2, SHORT), (4, SHORT), (2, LONG)])
def test_it_is_boosting_as_one_would_write_it_down(n_classes: int, pace: Pace) -> None:
    rows, code = stairs(150, n_classes)
    boosted = boost(rows, code, n_classes, seed=3, pace=pace)
    random = np.random.default_rng(3)
    share = (np.bincount(code, minlength=n_classes) + 1) / (150 + n_classes)
    heights = np.tile(np.log(share), (150, 1))
    if n_classes == 2:
        heights = heights[:, 1:] - heights[:, :1]
    for _ in range(80 if pace is SHORT else 160):
        said = expit(heights) if n_classes == 2 else softmax(heights, axis=1)
        drawn = np.sort(random.permutation(150)[:90])
        for own in range(heights.shape[1]):
            true = code == (1 if n_classes == 2 else own)
            seed = int(random.integers(2**31))
            size = {"max_depth": 5} if pace is SHORT else {"max_leaf_nodes": 31}
            tree = DecisionTreeRegressor(
                **size, min_samples_leaf=5, max_features=0.4, random_state=seed
            ).fit(rows[drawn], (true - said[:, own])[drawn])
            leaf = tree.apply(rows)
            for one in np.unique(leaf):
                inside = drawn[leaf[drawn] == one]
                p = said[inside, own]
                step = np.sum(true[inside] - p) / (np.sum(p * (1 - p)) + 1)
                rate = 0.12 if pace is SHORT else 0.1
                heights[leaf == one, own] += rate * np.clip(step, -6, 6)
    np.testing.assert_allclose(boosted.heights(rows), heights, rtol=1e-4, atol=1e-4)
    alone = np.concatenate([boosted.probabilities(rows[r : r + 1]) for r in range(150)])
    np.testing.assert_array_equal(alone, boosted.probabilities(rows))


def test_it_is_as_good_as_scikit_learns() -> None:
    (rows, code), (asked, truth) = stairs(400, 3), stairs(2000, 3, seed=1)
    theirs = GradientBoostingClassifier(
        n_estimators=60,
        learning_rate=0.12,
        max_depth=5,
        subsample=0.6,
        max_features=0.4,
        min_samples_leaf=5,
        random_state=0,
    ).fit(rows, code)
    own = boost(rows, code, 3, seed=0).probabilities(asked)
    right = (own.argmax(axis=1) == truth).mean()
    assert right > 0.95
    assert right > (theirs.predict(asked) == truth).mean() - 0.01


@pytest.mark.parametrize("there", [(0, 2), (1, 3), (0, 1, 3), (2,)])
def test_a_class_without_rows_is_hardly_ever_said(there: tuple[int, ...]) -> None:
    rows, code = stairs(200, 3)
    own = np.array(there)[code % len(there)]
    said = boost(rows, own, 4, seed=3).probabilities(rows)
    absent = [k for k in range(4) if k not in there]
    assert said[:, absent].min() > 0
    assert said[:, absent].max() < 0.01
    np.testing.assert_allclose(said.sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_rare_and_noisy_classes_do_not_run_away(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(3000, 5)).astype(np.float32)
    code = np.digitize(rows[:, 0], [1.65, 2.65])
    wrong = random.random(3000) < 0.002
    code[wrong] = random.integers(0, 3, int(wrong.sum()))
    boosted = boost(rows, code, 3, seed)
    assert np.abs(boosted.value).max() <= 0.72 + 1e-6
    assert np.isfinite(boosted.probabilities(100 * rows)).all()


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
def model() -> HalfseenClassifier:
    X, y, _ = table_of_stairs()
    return HalfseenClassifier(**ALONE).fit(X, y)


def test_they_read_thresholds(model: HalfseenClassifier) -> None:
    X, y, hidden = table_of_stairs()
    truth = np.array(["low", "middle", "high"])[stairs(600, 3)[1]]
    without = HalfseenClassifier(**ALONE, forest=False).fit(X, y)
    assert "boosted trees" not in without.prediction_.blind.names
    right = [(one.predict(X)[hidden] == truth[hidden]).mean() for one in (model, without)]
    assert right[0] > right[1] + 0.05
    said = {choice.what: choice.chosen for choice in model.history_.choices}
    assert said["boosted trees"].startswith("240, ")


def test_nothing_that_a_fold_put_aside_is_read_by_its_trees(model: HalfseenClassifier) -> None:
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
    model: HalfseenClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, _ = table_of_stairs()
    ensemble = model.prediction_.ensemble
    schema = model.schema_
    encoded = schema.encode(read_table(X), read_target(y))
    folds = [hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.1, 0)]
    assert boosted_of_folds(ensemble, encoded, folds, 0.6, 0) is None  # many holes
    few = encoded.observed.copy()
    few[40:, schema.is_target_unit] = False
    assert boosted_of_folds(ensemble, Encoded(encoded.visible, few), folds, 1.0, 0) is None
    monkeypatch.setattr(boosted_fit, "_MOST_WORK", 1e6)
    assert boosted_of_folds(ensemble, encoded, folds, 1.0, 0) is None


def test_uneven_trees_tell_more_of_plenty_of_rows() -> None:
    (rows, code), (asked, truth) = stairs(3000, 6), stairs(3000, 6, seed=1)
    code, truth = code % 2, truth % 2
    short, long = (
        boost(rows, code, 2, seed=0, pace=pace).probabilities(asked) for pace in (SHORT, LONG)
    )
    loss = [-np.log(said[np.arange(3000), truth]).mean() for said in (short, long)]
    assert loss[1] < 0.8 * loss[0]


def test_of_a_long_table_trees_read_as_many_rows_as_time_allows(
    model: HalfseenClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, _ = table_of_stairs()
    schema, ensemble = model.schema_, model.prediction_.ensemble
    encoded = schema.encode(read_table(X), read_target(y))
    folds = [hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.1, 0)]
    read = []

    def recorded(completed: NDArray[np.float32], *others: Any) -> Any:
        read.append(len(completed))
        return boost(completed, *others)

    monkeypatch.setattr(boosted_fit, "boost", recorded)
    monkeypatch.setattr(boosted_fit, "_MOST_WORK", 480 * 3.6 * 150)
    monkeypatch.setattr(boosted_fit, "_LOOKS_OF_A_TREE", 0)
    monkeypatch.setattr(boosted_fit, "_ENOUGH_ROWS", 100)
    few = boosted_of_folds(ensemble, encoded, folds, 1.0, 0)
    assert few is not None
    assert max(read) == pytest.approx(150, abs=1)


def test_rounds_are_told_where_they_take_long(
    model: HalfseenClassifier, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y, _ = table_of_stairs()
    schema, ensemble = model.schema_, model.prediction_.ensemble
    encoded = schema.encode(read_table(X), read_target(y))
    folds = [hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.1, 0)]
    monkeypatch.setattr(boosted_fit.ProgressLine, "quiet_seconds", 0.0)
    boosted_of_folds(ensemble, encoded, folds, 1.0, 0, verbose=True)
    told = capsys.readouterr().err
    assert "boosting trees, round 160/160" in told
    assert "boosting trees, round: done" in told
    boosted_of_folds(ensemble, encoded, folds, 1.0, 0)
    assert capsys.readouterr().err == ""


def test_ctrl_c_leaves_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(blind_fit, "boosted_of_folds", interrupted)
    X, y, _ = table_of_stairs()
    with pytest.warns(TrainingInterrupted, match="does without those"):
        model = HalfseenClassifier(**ALONE).fit(X, y)
    assert model.prediction_.blind.names == ["forest", "class Gaussians"]
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_file_says_the_same(model: HalfseenClassifier, tmp_path: Path) -> None:
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
    ],
)
def test_a_damaged_file_is_refused(
    model: HalfseenClassifier, name: str, change: Any, said: str
) -> None:
    arrays = boosted_to_arrays(model.prediction_.blind.boosted, "p.")
    columns = model.prediction_.ensemble.shape.columns
    assert boosted_from_arrays(240, Sealed(6, {}, arrays), "p.", columns) is not None
    key = f"p.boosted.{name}"
    damaged = arrays | {key: np.asarray(change(arrays[key]))}
    with pytest.raises(ValueError, match=said):
        boosted_from_arrays(240, Sealed(6, {}, damaged), "p.", columns)
    with pytest.raises(ValueError, match="one target column"):
        boosted_from_arrays(241, Sealed(6, {}, arrays), "p.", columns)
