"""HalfseenClassifier: kinds of targets, answers, thresholds, parts, the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from estimators.bits import assert_same_bits, assert_same_model
from estimators.tables import LIGHT, labels_of_rows, whole_table
from halfseen import HalfseenClassifier
from halfseen.estimators import Completed, Sampled
from halfseen.estimators.target_answers import classes_of

NAMES = ["high", "low", "mid"]


def test_classes(of_classes: HalfseenClassifier, table: pd.DataFrame) -> None:
    assert isinstance(of_classes.classes_, np.ndarray)
    assert of_classes.classes_.tolist() == NAMES
    assert of_classes.thresholds_.shape == (0,)
    proba = of_classes.predict_proba(table)
    assert proba.shape == (40, 3)
    assert np.allclose(proba.sum(axis=1), 1.0)
    assert ((proba > 0) & (proba < 1)).all()
    chosen = of_classes.classes_[proba.argmax(axis=1)]
    assert_same_bits(of_classes.predict(table), chosen)


def test_labels(of_labels: HalfseenClassifier, table: pd.DataFrame) -> None:
    assert [one.tolist() for one in of_labels.classes_] == [[0, 1], [0, 1]]
    proba = of_labels.predict_proba(table)
    assert isinstance(proba, np.ndarray)
    assert proba.shape == (40, 2)
    assert ((proba > 0) & (proba < 1)).all()
    predicted = of_labels.predict(table)
    assert predicted.dtype == np.int64
    assert np.array_equal(predicted, proba > of_labels.thresholds_)
    assert np.unique(of_labels.thresholds_).size == 1


def test_outputs(of_outputs: HalfseenClassifier, narrow: pd.DataFrame) -> None:
    assert [one.tolist() for one in of_outputs.classes_] == [["maybe", "no", "yes"], [1, 2, 3]]
    proba = of_outputs.predict_proba(narrow)
    assert isinstance(proba, list)
    assert [one.shape for one in proba] == [(40, 3), (40, 3)]
    predicted = of_outputs.predict(narrow)
    assert predicted.shape == (40, 2)
    for j, (one, classes) in enumerate(zip(proba, of_outputs.classes_, strict=True)):
        assert np.allclose(one.sum(axis=1), 1.0)
        assert predicted[:, j].tolist() == classes[one.argmax(axis=1)].tolist()


def test_something_was_learned(of_classes: HalfseenClassifier, table: pd.DataFrame) -> None:
    longer = HalfseenClassifier(**LIGHT | {"n_epochs": 150, "stopping": "none"})
    y = np.where(whole_table()["weight"] > 100, "much", "little").astype(object)
    names = np.array(["little", "much", "neither"], dtype=object)
    y[:3], y[10:20] = names, None  # three classes, for the shape of the others
    longer.fit(table, y)
    assert longer.score(table[:10], y[:10]) >= 0.6
    assert of_classes.schema_.n_visible == longer.schema_.n_visible


@pytest.mark.parametrize("name", ["of_classes", "of_labels", "of_outputs"])
def test_known_labels_are_pinned(
    name: str, tables: dict[str, pd.DataFrame], request: pytest.FixtureRequest
) -> None:
    table = tables[name.removeprefix("of_")]
    model = request.getfixturevalue(name)
    y = request.getfixturevalue(name.removeprefix("of_"))
    completed = model.complete(table, y)
    assert isinstance(completed, Completed)
    X, filled, proba = completed
    known = ~pd.isna(y)
    assert filled.shape == y.shape
    assert (filled[known] == y[known]).all()
    assert not pd.isna(filled).any()
    observed = table.notna().to_numpy()
    assert (X.to_numpy()[observed] == table.to_numpy()[observed]).all()
    columns = {"of_labels": lambda: proba.T, "of_classes": lambda: [proba]}.get(
        name, lambda: proba
    )()
    known = known.reshape(len(y), -1)
    for j, column in enumerate(columns):
        certain = np.isin(column, (0.0, 1.0)).reshape(len(y), -1).all(axis=1)
        assert certain[known[:, j]].all()
        assert not certain[~known[:, j]].any()


def test_known_labels_move_the_features(
    of_classes: HalfseenClassifier, table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    without = of_classes.transform(table)
    completed = of_classes.complete(table, classes).X
    rows = table["weight"].isna() & pd.notna(classes)
    assert (without.loc[rows, "weight"] != completed.loc[rows, "weight"]).all()
    assert_same_bits(of_classes.complete(table).X, without)
    assert_same_bits(of_classes.complete(table).y, of_classes.predict(table))


def test_y_comes_back_in_its_container(of_classes: HalfseenClassifier, table: pd.DataFrame) -> None:
    y = pd.Series(["low", None] * 20, index=table.index, name="grade", dtype="category")
    filled = of_classes.complete(table, y).y
    assert isinstance(filled, pd.Series)
    assert filled.dtype == "category"
    assert filled.name == "grade"
    assert filled[::2].tolist() == ["low"] * 20
    of_polars = of_classes.complete(table, pl.Series("grade", ["low", None] * 20)).y
    assert of_polars.to_list() == filled.tolist()
    nothing_known = of_classes.complete(table, np.full(40, np.nan)).y
    assert nothing_known.tolist() == of_classes.predict(table).tolist()


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda y: y, object),
        (lambda y: y.tolist(), object),
        (lambda y: pd.Series(y, dtype="string"), object),
        (lambda y: pd.Series(y, dtype="category"), object),
        (lambda y: pd.Series(y, dtype="str"), object),
        (lambda y: pl.Series(y.tolist(), dtype=pl.String), object),
        (lambda y: pl.Series(y.tolist(), dtype=pl.Enum(NAMES)), object),
        (lambda y: np.where(pd.isna(y), "low", y).astype(str), np.dtype("<U4")),
    ],
    ids=["object", "list", "string", "category", "str", "polars", "enum", "unicode"],
)
def test_names_of_classes_survive(
    make: Any,
    dtype: Any,
    table: pd.DataFrame,
    classes: NDArray[Any],
    of_classes: HalfseenClassifier,
) -> None:
    y = make(classes)
    model = HalfseenClassifier(**LIGHT).fit(table, y)
    assert model.classes_.tolist() == NAMES
    assert model.classes_.dtype == dtype
    predicted = model.predict(table)
    assert predicted.dtype == dtype
    assert 0.0 <= model.score(table, y) <= 1.0
    if dtype is object:  # the same labels, so the same model
        assert_same_bits(model.machine_.weights, of_classes.machine_.weights)
        assert_same_bits(predicted, of_classes.predict(table))


@pytest.mark.parametrize(
    ("make", "dtype", "expected"),
    [
        (lambda y: y, np.float64, [0.0, 1.0, 2.0]),
        (lambda y: np.nan_to_num(y).astype(np.int16), np.int16, [0, 1, 2]),
        (lambda y: pd.Series(y).astype("Int64"), np.int64, [0, 1, 2]),
        (lambda y: pl.Series(y).fill_nan(None).cast(pl.Int32), np.int32, [0, 1, 2]),
        (lambda y: [None if v != v else int(v) for v in y], np.int64, [0, 1, 2]),
    ],
    ids=["float", "int16", "Int64", "polars", "list"],
)
def test_classes_as_numbers(make: Any, dtype: Any, expected: list[int], table: Any) -> None:
    y = np.arange(40.0) % 3
    y[4::5] = np.nan
    model = HalfseenClassifier(**LIGHT).fit(table, make(y))
    assert model.classes_.dtype == dtype
    assert model.classes_.tolist() == expected
    assert model.predict(table).dtype == dtype


def test_score_is_of_known_labels(
    of_classes: HalfseenClassifier, of_labels: HalfseenClassifier, table: pd.DataFrame
) -> None:
    y = np.full(40, None, dtype=object)
    y[:4] = of_classes.predict(table)[:4]
    assert of_classes.score(table, y) == 1.0
    y[3] = next(name for name in NAMES if name != y[3])
    assert of_classes.score(table, y) == 0.75
    labels = of_labels.predict(table).astype(float)
    labels[:, 1] = np.nan
    labels[0, 0] = 1 - labels[0, 0]
    assert of_labels.score(table, labels) == 39 / 40
    with pytest.raises(ValueError, match="No entry to score is known"):
        of_classes.score(table, np.full(40, None))


@pytest.mark.parametrize("threshold", ["shared", "per_label", 0.25])
def test_thresholds(
    threshold: Any, table: pd.DataFrame, labels: NDArray[Any], of_labels: HalfseenClassifier
) -> None:
    model = HalfseenClassifier(**LIGHT, threshold=threshold).fit(table, labels)
    assert model.thresholds_.shape == (2,)
    proba = of_labels.predict_proba(table)
    assert np.array_equal(model.predict(table), proba > model.thresholds_)
    if threshold == 0.25:
        assert model.thresholds_.tolist() == [0.25, 0.25]
    else:
        assert ((model.thresholds_ > 0) & (model.thresholds_ < 1)).all()


def test_a_label_of_which_nothing_is_known(table: pd.DataFrame, labels: NDArray[Any]) -> None:
    y = labels.copy()
    y[:, 1] = np.nan
    with pytest.warns(UserWarning, match="'y1'"):
        model = HalfseenClassifier(**LIGHT).fit(table, y)
    assert np.isfinite(model.predict_proba(table)).all()


def test_parts(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    model = HalfseenClassifier(**LIGHT).partial_fit(table[:20], classes[:20])
    schema = model.schema_
    first = model.machine_.weights.copy()
    model.partial_fit(table[20:], classes[20:])
    assert model.schema_ is schema
    assert model.n_iter_ == 2
    assert not np.array_equal(model.machine_.weights, first)
    model.partial_fit(table[20:])
    assert model.n_iter_ == 3
    again = HalfseenClassifier(**LIGHT).partial_fit(table[:20], classes[:20])
    again.partial_fit(table[20:], classes[20:]).partial_fit(table[20:])
    assert_same_model(model, again)
    with pytest.warns(UserWarning, match="'huge'"):
        model.partial_fit(table[:5], np.array(["huge"] * 5, dtype=object))
    assert model.classes_.tolist() == NAMES
    with pytest.raises(ValueError, match="colour"):
        model.partial_fit(table.drop(columns="colour"))


def test_parts_with_all_classes_told_beforehand(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    model = HalfseenClassifier(**LIGHT)
    model.partial_fit(table[:20], ["low"] + [None] * 19, classes=NAMES)
    assert model.classes_.tolist() == NAMES
    model = HalfseenClassifier(**LIGHT)
    model.partial_fit(table[:20], [None] * 20, classes=NAMES)
    assert model.classes_.tolist() == NAMES
    assert np.allclose(model.schema_.marginals[-3:], 1 / 3)
    model.partial_fit(table, classes)
    assert set(model.predict(table)) <= set(NAMES)


def test_parts_after_a_fit_go_on_from_it(
    table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier
) -> None:
    model = HalfseenClassifier(**LIGHT).fit(table, classes)
    model.partial_fit(table, classes)
    assert model.n_iter_ == of_classes.n_iter_ + 1
    moved = np.abs(model.machine_.weights - of_classes.machine_.weights).max()
    assert 0 < moved < 0.5


def test_thresholds_outlive_a_part_without_labels(
    table: pd.DataFrame, labels: NDArray[Any]
) -> None:
    model = HalfseenClassifier(**LIGHT, threshold="per_label").partial_fit(table, labels)
    model.thresholds_ = np.array([0.125, 0.25])
    model.partial_fit(table)
    assert model.thresholds_.tolist() == [0.125, 0.25]
    only_first = labels.copy()
    only_first[:, 1] = np.nan
    model.partial_fit(table, only_first)
    assert model.thresholds_[0] != 0.125
    assert model.thresholds_[1] == 0.25


def test_fully_persistent_chains_cannot_learn_in_parts(table: pd.DataFrame) -> None:
    model = HalfseenClassifier(**LIGHT | {"objective": "fully_persistent_cd"})
    with pytest.raises(ValueError, match='objective="persistent_cd"'):
        model.partial_fit(table, ["a"] * 40)
    with pytest.raises(NotFittedError):
        model.predict(table)


def test_oracle_stops_on_hidden_labels(table: pd.DataFrame, labels: NDArray[Any]) -> None:
    truth = np.where(np.isnan(labels), labels_of_rows(whole_table()), labels)
    truth = np.where(np.isnan(truth), np.arange(80).reshape(40, 2) % 2, truth)
    model = HalfseenClassifier(**LIGHT, stopping="oracle", oracle_y=truth).fit(table, labels)
    assert np.isnan(model.history_["feature_loss"]).all()
    judged = model.history_["loss"][1::2]
    assert ((judged >= 0) & (judged <= 1)).all()
    assert model.settings_.stopping == "oracle"
    with pytest.raises(ValueError, match="needs the true labels in oracle_y"):
        HalfseenClassifier(**LIGHT, stopping="oracle").fit(table, labels)
    with pytest.raises(ValueError, match="oracle_y has 3 rows, but X has 40"):
        HalfseenClassifier(**LIGHT, stopping="oracle", oracle_y=truth[:3]).fit(table, labels)
    with pytest.raises(ValueError, match="knows no hidden label of both values"):
        HalfseenClassifier(**LIGHT, stopping="oracle", oracle_y=labels).fit(table, labels)


def test_sample(of_classes: HalfseenClassifier) -> None:
    sampled = of_classes.sample(5)
    assert isinstance(sampled, Sampled)
    assert sampled.X.shape == (5, 4)
    assert np.isfinite(sampled.X[:, :3].astype(float)).all()
    assert set(sampled.X[:, 2]) <= {0.0, 1.0}
    assert set(sampled.X[:, 3]) <= {"blue", "green", "red"}
    assert set(sampled.y) <= set(NAMES)
    assert_same_bits(of_classes.sample(5).X.tolist(), sampled.X.tolist())
    assert of_classes.sample(5, random_state=1).X.tolist() != sampled.X.tolist()


def test_y_is_asked_for(table: pd.DataFrame) -> None:
    for call in (
        lambda: HalfseenClassifier().fit(table, None),
        lambda: HalfseenClassifier().partial_fit(table),
    ):
        with pytest.raises(ValueError, match=r"requires y to be passed.*HalfseenImputer"):
            call()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(40, np.nan), "no observed label.*HalfseenImputer"),
        (np.full((40, 2), np.nan), "no observed label.*HalfseenImputer"),
        ([None] * 40, "no observed label.*HalfseenImputer"),
        (pl.Series([None] * 40, dtype=pl.Int64), "no observed label.*HalfseenImputer"),
        (np.linspace(0, 1, 40), "Unknown label type: continuous"),
        (np.arange(39), "inconsistent numbers of samples"),
        (np.full(40, np.inf), "infinity"),
        (np.zeros((40, 2, 2)), "1d array of classes"),
    ],
)
def test_wrong_targets(y: Any, message: str, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=message):
        HalfseenClassifier(**LIGHT).fit(table, y)


@pytest.mark.parametrize("kind", ["classes", "labels", "outputs"])
def test_nothing_known_is_an_error_for_any_kind(kind: str, table: pd.DataFrame) -> None:
    y = np.full(40, np.nan) if kind == "classes" else np.full((40, 2), np.nan)
    with pytest.raises(ValueError, match="no observed label"):
        HalfseenClassifier(**LIGHT, target_kind=kind).fit(table, y)


@pytest.mark.parametrize("kind", ["class", None, 3])
def test_wrong_kind_of_target(kind: Any, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"^target_kind must be"):
        HalfseenClassifier(target_kind=kind).fit(table, ["a"] * 40)


def test_complete_takes_the_kind_of_y_that_was_learned(
    of_classes: HalfseenClassifier, of_labels: HalfseenClassifier, table: pd.DataFrame
) -> None:
    with pytest.raises(ValueError, match="2 columns"):
        of_classes.complete(table, np.zeros((40, 2)))
    with pytest.raises(ValueError, match=r"3 columns, but 2 were learned"):
        of_labels.complete(table, np.zeros((40, 3)))
    with pytest.raises(ValueError, match="Labels are 0 or 1"):
        of_labels.complete(table, np.full((40, 2), 2.0))
    with pytest.raises(ValueError, match="inconsistent numbers"):
        of_classes.complete(table, ["low"] * 3)


def test_classes_of(of_labels: HalfseenClassifier, of_outputs: HalfseenClassifier) -> None:
    assert len(classes_of(of_labels.schema_)) == 2
    assert_same_bits(classes_of(of_outputs.schema_), of_outputs.classes_)
