"""Predictive training from a table to an ensemble: seeds, choices, endings, hidden values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimators.bits import (
    answers,
    assert_same_bits,
    assert_same_model,
    assert_same_parts,
    more_answers,
)
from estimators.tables import LIGHT, PREDICTIVE
from halfseen import HalfseenClassifier, TrainingInterrupted
from halfseen.estimators import predictive_fit, rbm_base
from halfseen.estimators.predictive_fit import column_knots
from halfseen.learning.history import EpochRecord
from halfseen.learning.predictive_training import Round

ALONE = PREDICTIVE | {"companion": False}


@given(
    st.lists(st.floats(-100, 100, width=32), max_size=60),
    st.sampled_from([4, 6, 8, 12]),
)
def test_knots_increase(values: list[float], n_knots: int) -> None:
    knots = column_knots(np.array(values), n_knots)
    assert knots.shape == (n_knots,)
    assert (np.diff(knots) > 5e-4).all()
    assert (np.diff(knots.astype(np.float32)) > 0).all()
    if values:
        assert knots[0] >= min(values) - 1e-9


@given(st.sets(st.integers(-50, 50), min_size=1, max_size=8), st.integers(0, 100))
def test_few_distinct_values_are_knots(values: set[int], seed: int) -> None:
    drawn = np.random.default_rng(seed).choice(sorted(values), size=40)
    repeated = np.concatenate([sorted(values), drawn]).astype(float)
    knots = column_knots(repeated, 8)
    nearest = np.abs(knots[:, None] - sorted(values)).min(axis=0)
    assert (nearest < 1e-9).all()


def test_knots_of_many_values_hold_equal_shares() -> None:
    values = np.random.default_rng(0).normal(size=9000)
    shares = np.histogram(values, column_knots(values, 6))[0] / len(values)
    assert np.allclose(shares, 1 / 6, atol=0.01)


def test_a_frequent_value_has_one_knot_and_leaves_the_others_to_the_rest() -> None:
    rest = 1 + (np.arange(1000) + 0.5) / 1000
    knots = column_knots(np.concatenate([np.zeros(9000), rest]), 6)
    assert knots[0] == 0.0
    np.testing.assert_allclose(knots[1:], 1 + (np.arange(5) + 0.5) / 5, atol=0.02)
    # Two frequent values, one on each side.
    knots = column_knots(np.concatenate([np.zeros(500), np.full(500, 3.0), rest]), 6)
    assert knots[0] == 0.0
    assert knots[-1] == 3.0
    np.testing.assert_allclose(knots[1:-1], 1 + (np.arange(4) + 0.5) / 4, atol=0.02)


def test_one_seed_gives_the_same_bits(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    again = HalfseenClassifier(**PREDICTIVE).fit(table, classes)
    assert_same_model(again, predicts_classes)
    said = more_answers(predicts_classes, table, classes)
    assert_same_bits(more_answers(again, table, classes), said)
    other = HalfseenClassifier(**PREDICTIVE | {"random_state": 1}).fit(table, classes)
    assert not np.array_equal(other.predict_proba(table), predicts_classes.predict_proba(table))
    assert not np.array_equal(
        other.prediction_.ensemble.weights, predicts_classes.prediction_.ensemble.weights
    )


def test_the_ensemble_does_not_know_of_its_companion(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    alone = HalfseenClassifier(**ALONE).fit(table, classes)
    assert alone.machine_ is None
    assert_same_bits(answers(alone, table, classes), answers(predicts_classes, table, classes))
    for ask in (alone.score_samples, alone.impute):
        with pytest.raises(ValueError, match=r"companion=False.*fit with companion=True"):
            ask(table)
    with pytest.raises(ValueError, match="companion=True"):
        alone.sample(3)
    assert alone.predict_interval(table).shape == (40, 4, 2)


BEHIND: list[dict[str, Any]] = [
    {"size": 0.0, "weight": 0.0, "sold": 0.0, "colour": "blue", "class": "low"},
    {"size": 1e30, "weight": np.nan, "sold": 1.0, "colour": "pink", "class": "other"},
    {"size": np.inf, "weight": -5.0, "sold": 7.0, "colour": 3.5, "class": -7},
]


@pytest.mark.parametrize("behind", BEHIND)
def test_hidden_values_have_no_influence(
    behind: dict[str, Any],
    predicts_classes: HalfseenClassifier,
    table: pd.DataFrame,
    classes: NDArray[Any],
) -> None:
    hidden = table.isna().to_numpy()
    values = table.to_numpy(dtype=object)
    for j, name in enumerate(table):
        values[hidden[:, j], j] = behind[name]
    X = np.ma.array(values, mask=hidden)
    codes = classes.copy()
    codes[pd.isna(classes)] = behind["class"]
    y = np.ma.array(codes, mask=pd.isna(classes))
    model = HalfseenClassifier(**PREDICTIVE).fit(X, y)
    for part in ("ensemble", "blend", "conformal"):
        one, other = getattr(model.prediction_, part), getattr(predicts_classes.prediction_, part)
        for name, array in vars(other).items():
            if isinstance(array, np.ndarray):
                assert_same_bits(getattr(one, name), array)
    assert_same_bits(model.predict_proba(X), predicts_classes.predict_proba(table))
    assert_same_bits(model.predict_set(X), predicts_classes.predict_set(table))
    bounds = predicts_classes.predict_interval(table)
    assert_same_bits(model.predict_interval(X), bounds)
    filled = predicts_classes.transform(table).to_numpy(dtype=object)
    assert np.asarray(model.transform(X)).tolist() == filled.tolist()
    drawn = [part.to_numpy(dtype=object).tolist() for part in predicts_classes.impute(table, 2)]
    assert [np.asarray(part).tolist() for part in model.impute(X, 2)] == drawn
    assert_same_bits(
        model.complete(X, y).proba.copy(), predicts_classes.complete(table, classes).proba
    )


def test_choices_reach_the_members(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def watch(shape: Any, standard: Any, members: Any, state: Any, *rest: Any) -> Any:
        seen.append((shape, members, rest))
        return Round(state, rest[2].stop, is_whole=True)

    monkeypatch.setattr(predictive_fit, "train_predictively", watch)
    given = ALONE | {"n_machines": 3, "learning_rate": 0.125, "weight_decay": 0.25}
    model = HalfseenClassifier(**given, label_weight=7.0, effort="best").fit(table, classes)
    ((shape, members, (_, n_rows, steps, *_)),) = seen
    n_kinds = model.prediction_.ensemble.n_kinds
    assert model.prediction_.ensemble.n_folds == 3
    assert (shape.n_hidden, shape.batch_size, n_rows, steps) == (4, 16, 40, range(50))
    assert members.fold.tolist() == np.repeat([0, 1, 2], n_kinds).tolist()
    assert set(members.learning_rate.tolist()) == {0.125}
    assert set(members.weight_decay.tolist()) == {0.25}
    assert set(members.label_weight.tolist()) == {7.0}
    assert model.settings_.effort == "best"
    assert np.isfinite(model.predict_proba(table)).all()


def test_a_long_table_is_not_copied_and_learned_alike(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    padded = HalfseenClassifier(**ALONE).fit(table, classes)
    lent: list[Any] = []
    monkeypatch.setattr(predictive_fit, "LONG", 1)
    lend = predictive_fit.lent_to_device
    monkeypatch.setattr(
        predictive_fit, "lent_to_device", lambda array: lent.append(array.shape) or lend(array)
    )
    as_it_is = HalfseenClassifier(**ALONE).fit(table, classes)
    assert lent[0][0] == len(table)
    np.testing.assert_array_equal(as_it_is.predict_proba(table), padded.predict_proba(table))


def test_nothing_put_aside(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    model = HalfseenClassifier(**ALONE, held_out_share=0.0).fit(table, classes)
    blend = model.prediction_.blend
    assert (blend.number == blend.number[0, 0]).all()
    n_readers = model.prediction_.ensemble.n_kinds + 1  # and the prior
    for powers in (blend.label_power, blend.class_power):
        assert np.allclose(powers[0], 1 / (n_readers + 1))
        assert np.allclose(powers[1], powers[0])  # of a row whose class is known nothing is asked
    # What cannot be promised is not: bounds are the column's, and every class is possible.
    bounds = model.predict_interval(table, 0.5)
    holes = table["weight"].isna().to_numpy()
    unit = model.schema_.feature_units(list(table).index("weight")).start
    weight = model.schema_.features[list(table).index("weight")]
    ends = weight.mean + weight.scale * np.array([blend.lowest[unit], blend.highest[unit]])
    assert np.allclose(bounds[holes, 1], ends, rtol=1e-5, atol=1e-3)
    assert ends[0] <= table["weight"].min() < table["weight"].max() <= ends[1]
    assert model.predict_set(table, 0.5).all()


def test_it_ends_after_some_seconds(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    # Tens of thousands of steps would take longer than anybody waits.
    longer = ALONE | {"n_epochs": 10**4}
    model = HalfseenClassifier(**longer, max_seconds=0.0).fit(table, classes)
    assert np.isfinite(model.predict_proba(table)).all()
    assert model.prediction_.blind.forest is None


def interrupting(monkeypatch: pytest.MonkeyPatch, at_step: int) -> None:
    class Line(predictive_fit.ProgressLine):
        def show(self, step: int, note: str = "") -> None:
            if step == at_step:
                # Not by a signal: processes in the background are often started deaf to it.
                raise KeyboardInterrupt

    monkeypatch.setattr(predictive_fit, "ProgressLine", Line)


def test_control_c_ends_predictive_training_where_it_stands(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    longer = ALONE | {"n_epochs": 10**4}
    expected = HalfseenClassifier(**longer, max_seconds=0.0).fit(table, classes)
    interrupting(monkeypatch, at_step=50)
    model = HalfseenClassifier(**longer)
    with pytest.warns(TrainingInterrupted, match="predictive training interrupted"):
        model.fit(table, classes)
    assert_same_parts(model.prediction_, expected.prediction_)
    assert_same_bits(model.predict_proba(table), expected.predict_proba(table))


def test_control_c_in_the_companion_ends_the_fit(
    table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    def interrupt(record: EpochRecord) -> None:
        raise KeyboardInterrupt

    model = HalfseenClassifier(**PREDICTIVE, callbacks=(interrupt,))
    with pytest.warns(TrainingInterrupted, match="interrupted in epoch"):
        model.fit(table, classes)
    assert model.prediction_ is None
    assert np.isfinite(model.predict_proba(table)).all()
    with pytest.raises(ValueError, match="holds no predictive ensemble"):
        model.predict_set(table)


def test_control_c_before_the_ensemble_can_answer(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rbm_base, "fit_prediction", interrupt)
    model = HalfseenClassifier(**PREDICTIVE)
    with pytest.warns(TrainingInterrupted, match="the likelihood-trained machine does"):
        model.fit(table, classes)
    assert np.isfinite(model.predict_proba(table)).all()
    with pytest.raises(KeyboardInterrupt):
        HalfseenClassifier(**ALONE).fit(table, classes)


def test_parts_are_learned_by_likelihood(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    model = HalfseenClassifier(**PREDICTIVE).fit(table, classes)
    before = model.machine_.weights.copy()
    model.partial_fit(table, classes)
    assert model.prediction_ is None
    assert not np.array_equal(model.machine_.weights, before)
    with pytest.raises(ValueError, match="not in parts"):
        model.predict_interval(table)
    first = HalfseenClassifier(**ALONE).partial_fit(table, classes)
    assert first.prediction_ is None
    same = {**LIGHT, "learning_rate": first.settings_.learning_rate}
    likely = HalfseenClassifier(**same).partial_fit(table, classes)
    assert_same_bits(first.predict_proba(table), likely.predict_proba(table))


def test_thresholds_are_those_of_the_ensemble(
    predicts_labels: HalfseenClassifier, table: pd.DataFrame, labels: NDArray[np.float64]
) -> None:
    assert predicts_labels.thresholds_.tolist() == [0.5, 0.5]
    fixed = HalfseenClassifier(**ALONE, threshold=0.25).fit(table, labels)
    assert fixed.thresholds_.tolist() == [0.25, 0.25]
    for threshold in ("shared", "per_label"):
        learned = HalfseenClassifier(**ALONE, threshold=threshold).fit(table, labels)
        assert ((learned.thresholds_ > 0) & (learned.thresholds_ < 1)).all()
        assert learned.score(table, labels) >= 0.5
