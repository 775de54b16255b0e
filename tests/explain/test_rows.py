"""Effects of observed entries are those of making them missing and predicting again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from explain.models import ALL_KINDS, NEW, gaussian, y_of
from halfseen.explain import ExplainedPrediction, Explanations, deletion, explain_rows
from rbm.tables import KINDS

ROWS = [0, 1, 3, 8]


def without(X: pd.DataFrame, y: Any, row: int, column: Any, is_target: bool) -> tuple[Any, Any]:
    """The table and its targets with one entry made missing by hand."""
    if not is_target:
        X = X.astype({column: object}).copy()
        X.loc[row, column] = None
        return X, y
    y = y.copy()
    y[(row, column) if y.ndim == 2 else row] = None if y.dtype == object else np.nan
    return X, y


def level(model: Any, X: pd.DataFrame, y: Any, of: ExplainedPrediction) -> float:
    """The probability or the number that is explained, by methods that users call."""
    if not of.is_target:
        filled = model.transform(X) if y is None else model.complete(X, y).X
        return float(filled[of.column].iloc[of.row])
    proba = model.predict_proba(X) if y is None else model.complete(X, y).proba
    if model.schema_.target_type == "multilabel-indicator":
        return float(proba[of.row, of.column])
    own = proba[of.column] if isinstance(proba, list) else proba
    classes = model.schema_.targets[of.column].categories
    return float(own[of.row, classes.index(of.event)])


@pytest.mark.parametrize(
    ("kind", "with_y"), [(kind, False) for kind in ALL_KINDS] + [(kind, True) for kind in KINDS]
)
def test_effects_are_those_of_predicting_again(
    kind: str, with_y: bool, models: dict[str, Any]
) -> None:
    model, y = models[kind], y_of(kind, NEW) if with_y else None
    n_checked = n_moved = 0
    for of in explain_rows(model, NEW, y, rows=ROWS).predictions:
        if not of.is_target and of.column in ("colour", "sold", "count"):
            continue  # decided or rounded by the public methods
        whole = level(model, NEW, y, of)
        for effect in of.effects:
            again = level(model, *without(NEW, y, of.row, effect.column, effect.is_target), of)
            if of.probability is None:
                assert effect.change == whole - again
            else:
                assert of.probability == whole
                assert effect.probability_change == whole - again
                log_odds = [np.log(p) - np.log1p(-p) for p in (whole, again)]
                assert effect.change == pytest.approx(log_odds[0] - log_odds[1], abs=1e-6)
            n_checked += 1
            n_moved += effect.change != 0
    assert n_checked > 5
    assert n_moved > n_checked / 2


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_what_is_explained(kind: str, models: dict[str, Any]) -> None:
    model, y = models[kind], y_of(kind, NEW)
    found = explain_rows(model, NEW, y).predictions
    known = [] if y is None else np.atleast_2d(pd.notna(y).T).T
    for row in range(len(NEW)):
        features = {(name, False): NEW.loc[row, name] for name in NEW}
        labels = {(j, True): seen for j, seen in enumerate(known[row] if len(known) else ())}
        missing = {
            *(k for k, v in features.items() if pd.isna(v)),
            *(k for k in labels if not labels[k]),
        }
        seen = ({*features} | {*labels}) - missing
        own = [of for of in found if of.row == row]
        assert {(of.column, of.is_target) for of in own} == missing
        assert [of.is_target for of in own] == sorted((of.is_target for of in own), reverse=True)
        for of in own:
            assert {(effect.column, effect.is_target) for effect in of.effects} == seen
            sizes = [abs(effect.change) for effect in of.effects]
            assert sizes == sorted(sizes, reverse=True)
            for effect in of.effects:
                if not effect.is_target:
                    assert effect.value == NEW.loc[row, effect.column]


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_values_are_the_predictions(kind: str, models: dict[str, Any]) -> None:
    model = models[kind]
    predicted = model.predict(NEW)
    filled = model.transform(NEW)
    for of in explain_rows(model, NEW).predictions:
        if of.is_target:
            assert of.value == np.atleast_2d(predicted.T).T[of.row, of.column]
        elif of.column != "count":
            assert of.value == filled.loc[of.row, of.column]


def test_neither_order_nor_parts_matter(
    models: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, y = models["multiclass"], y_of("multiclass", NEW)
    whole = explain_rows(model, NEW, y)
    monkeypatch.setattr(deletion, "_UNITS_AT_ONCE", 60)
    assert explain_rows(model, NEW, y) == whole
    backwards = explain_rows(model, NEW, y, rows=range(len(NEW))[::-1]).predictions
    assert sorted(backwards, key=lambda of: of.row) == list(whole.predictions)
    for row in ROWS:
        alone = explain_rows(model, NEW[row : row + 1], y[row : row + 1]).predictions
        own = tuple(of for of in whole.predictions if of.row == row)
        assert tuple(of._replace(row=row) for of in alone) == own


@pytest.mark.parametrize("container", ["numpy", "polars", "pyarrow"])
def test_other_containers_are_explained_alike(container: str, models: dict[str, Any]) -> None:
    import polars as pl

    frame = pl.from_pandas(NEW)
    others = {"numpy": NEW.to_numpy(object), "polars": frame, "pyarrow": frame.to_arrow()}
    with pytest.MonkeyPatch.context() as patch:
        if container == "numpy":
            patch.delattr(models["binary"], "feature_names_in_")
        found = explain_rows(models["binary"], others[container], rows=ROWS)
    assert found == explain_rows(models["binary"], NEW, rows=ROWS)


def test_an_observed_column_is_hidden_first(models: dict[str, Any]) -> None:
    model, y = models["multilabel"], y_of("multilabel", NEW)
    row = int(np.flatnonzero(~np.isnan(y[:, 1]))[0])
    [explained] = explain_rows(model, NEW, y, rows=[row], columns=-2).predictions
    assert (explained.column, explained.is_target, explained.event) == (1, True, 1.0)
    hidden = without(NEW, y, row, 1, True)
    [again] = explain_rows(model, *hidden, rows=[row], columns=[6]).predictions
    assert again == explained
    assert (1, True) not in {(effect.column, effect.is_target) for effect in explained.effects}
    several = explain_rows(model, NEW, y, rows=[row], columns=[-2, "size", 5]).predictions
    assert [of.column for of in several] == [1, "size", 0]
    assert several[0] == explained


def test_effects_of_a_gaussian_are_those_of_regression() -> None:
    model, X = gaussian([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    X[0] = [1.0, -0.5, np.nan]
    [of] = explain_rows(model, X, rows=[0]).predictions
    both = np.linalg.solve([[1.0, 0.6], [0.6, 1.0]], [0.3, 0.5]) @ X[0, :2]
    assert of.value == pytest.approx(both, abs=1e-6)
    changes = {effect.column: effect.change for effect in of.effects}
    assert changes == pytest.approx({0: both - 0.5 * -0.5, 1: both - 0.3 * 1.0}, abs=1e-6)


def test_a_category_unknown_to_the_model_is_neither_entry_nor_explained(
    models: dict[str, Any],
) -> None:
    X = NEW.fillna({"colour": "red"}).assign(size=0.5)
    X.loc[0, "colour"] = "pink"
    with pytest.warns(UserWarning, match="pink"):
        found = explain_rows(models["imputer"], X, rows=[0]).predictions
    names = {of.column for of in found} | {effect.column for of in found for effect in of.effects}
    assert "colour" not in names
    assert "size" in names


def test_an_empty_row_has_predictions_without_effects(models: dict[str, Any]) -> None:
    found = explain_rows(models["binary"], NEW[:1].mask(NEW[:1].notna())).predictions
    assert len(found) == 6
    assert {of.effects for of in found} == {()}


def test_ordinal_columns_move_in_ranks() -> None:
    from halfseen import RBMImputer

    sizes = np.array(["S", "M", "L"], object)
    rng = np.random.default_rng(0)
    z = rng.integers(0, 3, 200)
    dtype = pd.CategoricalDtype(sizes, ordered=True)
    X = pd.DataFrame(
        {"size": pd.Categorical(sizes[z], dtype=dtype), "price": z + rng.normal(size=200)}
    )
    model = RBMImputer(8, n_iter=60, learning_rate=0.05, random_state=0).fit(X)
    asked = pd.DataFrame({"size": pd.Categorical([None], dtype=dtype), "price": [5.0]})
    [of] = explain_rows(model, asked).predictions
    assert (of.value, of.event, of.probability) == ("L", None, None)
    assert 0.3 < of.effects[0].change < 2


def test_the_table_is_tidy(models: dict[str, Any]) -> None:
    found = explain_rows(models["binary"], NEW, rows=ROWS)
    table = pd.DataFrame(found.table())
    assert len(table) == sum(len(of.effects) for of in found.predictions)
    assert [*table][:3] == ["row", "column", "is_target"]
    assert "effects" not in table
    assert table["entry_change"].iloc[0] == found.predictions[0].effects[0].change
    assert explain_rows(models["binary"], NEW, rows=[]) == Explanations(())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": [14]}, "X has no row 14; its rows count from 0 to 13"),
        ({"columns": "weight"}, "no column 'weight'; it has 'size', 'income'"),
        ({"columns": 9}, "no column 9"),
    ],
)
def test_mistakes_are_named(
    arguments: dict[str, Any], message: str, models: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=message):
        explain_rows(models["binary"], NEW, **arguments)


def test_what_cannot_be_explained_is_refused(models: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="RBMImputer has no targets; leave y out"):
        explain_rows(models["imputer"], NEW, np.zeros(len(NEW)))
    model, X = gaussian(np.eye(2), 20)
    with pytest.warns(UserWarning, match="not modelled"):
        model.fit(np.column_stack([X, np.full(20, np.nan)]))
    with pytest.raises(ValueError, match="Column 2 is ignored by the model"):
        explain_rows(model, np.full((1, 3), np.nan), columns=2)
