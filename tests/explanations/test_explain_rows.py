from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from estimators.tables import classes_of_rows, holed_table
from explanations.tiny import brute_force, people, table_for
from halfseen import HalfseenClassifier
from halfseen.explanations import Answer, explain_rows
from halfseen.explanations import unpinned_rows as unpinned_rows_module
from halfseen.explanations.example_model import example_model
from halfseen.explanations.explain_rows import column_named
from halfseen.explanations.rows_read import read_rows

KINDS = ["labels", "features", "classes", "outputs"]


def _without(X: pd.DataFrame, y: Any, row: int, column: str) -> tuple[pd.DataFrame, Any]:
    """The table and its labels with one entry deleted."""
    X = X.copy()
    if column in X:
        X[column] = X[column].astype(object)
        X.loc[row, column] = None
        return X, y
    y = y.copy()
    if y.ndim == 1:
        y[row] = None
    else:
        y[column] = y[column].astype(object)
        y.loc[row, column] = None
    return X, y


def _log_odds(probabilities: NDArray[np.float64], code: int) -> float:
    """By another way than the package goes."""
    inner = np.clip(probabilities, 1e-7, 1 - 1e-7)
    return float(np.log(inner[code] / (1.0 - inner[code])))


def _exact_level(model: Any, X: pd.DataFrame, y: Any, row: int, answer: Answer) -> float:
    """The number or the log-odds of the answer's event, by enumeration of everything."""
    schema = model.schema_
    index = column_named(schema, answer.column)
    expected = brute_force(model.machine_, read_rows(model, X, y, [row]).encoded)[0]
    units = expected[schema.column_of_unit == index]
    column = schema.columns[index]
    if column.kind == "numeric":
        return float(column.destandardised(units)[0])
    code = column.categories.index(answer.event) if column.categories else 0
    return _log_odds(units, code)


def _check_enumerated(model: Any, X: pd.DataFrame, y: Any, rows: range, smallest: float) -> int:
    n_effects = 0
    for explanation in explain_rows(model, X, rows, y, method="exact", patterns=()):
        row = explanation.row
        for answer in explanation.answers:
            whole = _exact_level(model, X, y, row, answer)
            for influence in answer.influences:
                without = _exact_level(model, *_without(X, y, row, influence.column), row, answer)
                assert influence.effect == pytest.approx(whole - without, abs=1e-9, rel=1e-6)
                n_effects += abs(influence.effect) > smallest
    return n_effects


@pytest.mark.parametrize("kind", KINDS)
def test_exact_effects_are_those_of_enumeration(kind: str, models: dict[str, Any]) -> None:
    model = models[kind]
    X, y = table_for(model, 4)
    assert _check_enumerated(model, X, y, range(4), smallest=1e-2) > 10


def test_exact_effects_of_a_trained_machine_are_those_of_enumeration(
    ensemble: HalfseenClassifier,
) -> None:
    whole = holed_table()
    X, y = whole[:9], pd.Series(classes_of_rows(whole)[:9])
    assert _check_enumerated(ensemble, X, y, range(5, 9), smallest=1e-7) > 10


def _public_level(model: Any, X: pd.DataFrame, y: Any, row: int, answer: Answer) -> float | None:
    """The same by the methods that users call; None for categories, which they only decide."""
    if not answer.is_target:
        filled = model.complete(X, y).X if y is not None else model.transform(X)
        column = model.schema_.features[list(X.columns).index(answer.column)]
        if column.kind == "categorical":
            return None
        value = float(filled[answer.column].iloc[row])
        return value if column.kind == "numeric" else _log_odds(np.array([value]), 0)
    proba = model.complete(X, y).proba if y is not None else model.predict_proba(X)
    targets = [column.name for column in model.schema_.targets]
    place = targets.index(answer.column)
    if model.schema_.target_kind == "labels":
        return _log_odds(proba[row], place)
    own = proba if model.schema_.target_kind == "classes" else proba[place]
    categories = model.schema_.targets[place].categories
    return _log_odds(own[row], categories.index(answer.event))


def _check_asked_again(model: Any, X: pd.DataFrame, y: Any, rows: range) -> int:
    n_effects = 0
    for explanation in explain_rows(model, X, rows, y, patterns=()):
        row = explanation.row
        for answer in explanation.answers:
            whole = _public_level(model, X, y, row, answer)
            if whole is None:
                continue
            for influence in answer.influences:
                without = _public_level(model, *_without(X, y, row, influence.column), row, answer)
                assert without is not None
                if influence.unit == "own units":
                    assert influence.effect == whole - without
                assert influence.effect == pytest.approx(whole - without, abs=1e-9, rel=1e-9)
                n_effects += influence.effect != 0
    return n_effects


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_labels", [False, True])
def test_effects_are_those_of_asking_again(
    kind: str, with_labels: bool, models: dict[str, Any]
) -> None:
    model = models[kind]
    X, y = table_for(model, 4)
    assert _check_asked_again(model, X, y if with_labels else None, range(4)) > 5


def test_effects_of_an_ensemble_are_those_of_asking_again(ensemble: HalfseenClassifier) -> None:
    whole = holed_table()
    X, y = whole[:9], pd.Series(classes_of_rows(whole)[:9])
    assert _check_asked_again(ensemble, X, None, range(5, 8)) > 10
    assert _check_asked_again(ensemble, X, y, range(3, 9)) > 5


@pytest.mark.long
def test_effects_of_digits_are_those_of_asking_again() -> None:
    from sklearn.datasets import load_digits

    digits, y = load_digits(return_X_y=True)
    holes = np.random.default_rng(0).random(digits.shape) < 0.5
    X = pd.DataFrame(np.where(holes, np.nan, digits)).rename(columns="p{}".format)
    model = HalfseenClassifier(effort="fast", companion=False, verbose=False, random_state=0)
    model.fit(X[:600], y[:600])
    (explained,) = explain_rows(model, X, [700], target="y")
    answer = explained.answers[0]
    whole = _public_level(model, X[700:701], None, 0, answer)
    assert whole is not None
    for influence in answer.influences:
        one = X[700:701].reset_index(drop=True)
        without = _public_level(model, *_without(one, None, 0, influence.column), 0, answer)
        assert without is not None
        assert influence.effect == pytest.approx(whole - without, abs=1e-9, rel=1e-9)


def test_what_is_answered_are_holes_and_unknown_labels(models: dict[str, Any]) -> None:
    model = models["labels"]
    X, y = table_for(model)
    for explanation in explain_rows(model, X, range(8), y, patterns=()):
        labels, features = y.loc[explanation.row], X.loc[explanation.row].drop("gone")
        holes = [*labels.index[labels.isna()], *features.index[features.isna()]]
        assert [answer.column for answer in explanation.answers] == holes
        seen = {*labels.index[labels.notna()], *features.index[features.notna()]}
        for answer in explanation.answers:
            assert {influence.column for influence in answer.influences} == seen
            sizes = [abs(influence.effect) for influence in answer.influences]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("method", ["model", "exact"])
def test_answers_are_what_the_model_predicts(method: str) -> None:
    model, X = example_model(), people()
    for explanation in explain_rows(model, X, range(5), method=method, patterns=()):
        for label, answer in enumerate(explanation.answers[:2]):
            assert (answer.event, answer.interval, answer.is_target) == (1, None, True)
            assert answer.value == int((answer.probability or 0.0) > 0.5)
            if method == "model":
                said = model.predict_proba(X)[explanation.row, label]
                assert answer.probability == said
        for answer in explanation.answers[2:]:
            assert (answer.probability is None) == (answer.column == "age")


def test_intervals_are_those_of_the_model(ensemble: HalfseenClassifier) -> None:
    X = holed_table()
    bounds = ensemble.predict_interval(X, level=0.8)
    found = 0
    for explanation in explain_rows(ensemble, X, range(20), level=0.8, patterns=()):
        for answer in explanation.answers:
            if answer.column in ("size", "weight"):
                place = list(X.columns).index(answer.column)
                assert answer.interval == tuple(bounds[explanation.row, place])
                found += 1
    assert found


def test_neither_order_nor_parts_matter(
    models: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = models["classes"]
    X, y = table_for(model)
    rows = [6, 0, 3, 3]
    together = explain_rows(model, X, rows, y, patterns=())
    monkeypatch.setattr(unpinned_rows_module, "_MOST_AT_ONCE", 3)
    assert explain_rows(model, X, rows, y, patterns=()) == together
    for row, explanation in zip(rows, together, strict=True):
        alone = X[row : row + 1].reset_index(drop=True), y[row : row + 1].reset_index(drop=True)
        (again,) = explain_rows(model, alone[0], [0], alone[1], patterns=())
        assert replace(again, row=row) == explanation


def test_a_target_that_is_observed_is_taken_away_first(models: dict[str, Any]) -> None:
    model = models["labels"]
    X, y = table_for(model)
    row = int(np.flatnonzero(y["hot"].notna())[0])
    (explained,) = explain_rows(model, X, [row], y, target="hot", patterns=())
    deleted = _without(X, y, row, "hot")[1]
    (again,) = explain_rows(model, X, [row], deleted, target="hot", patterns=())
    assert explained == again
    assert [answer.column for answer in explained.answers] == ["hot"]
    assert "hot" not in {influence.column for influence in explained.answers[0].influences}


def test_a_category_never_seen_is_neither_hole_nor_entry() -> None:
    X = people()
    X.loc[0, "town"] = "Rome"
    with pytest.warns(UserWarning, match="Rome"):
        (explained,) = explain_rows(example_model(), X, [0], patterns=())
    assert [answer.column for answer in explained.answers] == ["ill", "tired"]
    assert {each.column for each in explained.answers[0].influences} == {"age", "smokes"}


def test_a_row_of_which_nothing_was_observed_has_answers_without_influences() -> None:
    empty = people()[:1].assign(age=np.nan, smokes=np.nan, town=None)
    (explained,) = explain_rows(example_model(), empty, [0], patterns=())
    assert [answer.column for answer in explained.answers] == [
        "ill",
        "tired",
        "age",
        "smokes",
        "town",
    ]
    assert {answer.influences for answer in explained.answers} == {()}


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_other_frames_are_explained_alike(container: str) -> None:
    pytest.importorskip(container)
    import polars as pl

    frame = pl.from_pandas(people(), nan_to_null=True)
    given = frame if container == "polars" else frame.to_arrow()
    model = example_model()
    assert explain_rows(model, given, [0, 1], patterns=()) == explain_rows(
        model, people(), [0, 1], patterns=()
    )


def test_values_are_plain() -> None:
    (explained,) = explain_rows(example_model(), people(), [0], patterns=())
    values = {each.column: each.observed_value for each in explained.answers[0].influences}
    assert values == {"age": 75.0, "smokes": 1.0, "town": "Lund"}
    assert {type(value) for value in values.values()} == {float, str}


def test_without_a_machine_the_ensemble_explains(ensemble: HalfseenClassifier) -> None:
    from copy import copy

    alone = copy(ensemble)
    alone.machine_ = None
    X = holed_table()
    (explained,) = explain_rows(alone, X, [4])
    (beside,) = explain_rows(ensemble, X, [4], patterns=())
    assert explained.answers == beside.answers
    assert explained.nearest_patterns == ()
    assert max(part.machine for part in explained.hidden_units) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": [5]}, "X has no row 5: its 5 rows are counted from 0 to 4"),
        ({"rows": []}, "no row was asked for"),
        ({"target": "weight"}, "no column 'weight'; it has age, smokes, town, ill, tired"),
        ({"method": "guess"}, "method must be of"),
        ({"level": 1.5}, "level must be a number between 0 and 1"),
    ],
)
def test_mistakes_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explain_rows(example_model(), people(), **{"rows": [0], **arguments})


def test_a_column_without_a_value_in_training_is_refused(models: dict[str, Any]) -> None:
    X, _ = table_for(models["labels"])
    with pytest.raises(ValueError, match="training saw no value of column 'gone'"):
        explain_rows(models["labels"], X, [0], target="gone")
