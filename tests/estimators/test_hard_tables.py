"""Tables that are tiny, huge, constant, empty in part, or wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from numpy.typing import NDArray

from estimators.bits import assert_same_bits
from estimators.tables import LIGHT
from halfseen import HalfseenClassifier, HalfseenImputer

# The other preset at work: the paper's units, objective and restarts.
PAPER = {"preset": "paper", "n_hidden": 4, "n_epochs": 2, "random_state": 0}


def assert_finite(filled: pd.DataFrame) -> None:
    for name in ("size", "weight", "sold"):
        assert np.isfinite(filled[name].to_numpy(dtype=float)).all()


COLUMNS: dict[str, Any] = {
    "huge": lambda column: column * 1e300,
    "largest": lambda column: column / column.abs().max() * np.finfo(float).max,
    "tiny": lambda column: column * 1e-300,
    "smallest": lambda column: (column * 3).round() * 5e-324,
    "far away": lambda column: 1e12 + column,
    "constant": lambda column: column.where(column.isna(), 7.25),
    "huge constant": lambda column: column.where(column.isna(), 1e308),
    "whole": lambda column: (column * 100).round().astype("Int64"),
    "one value": lambda column: column.where(column.index == 7),
    "zero": lambda column: column.where(column.isna(), 0.0),
    "float32": lambda column: column.astype(np.float32),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_any_scale(kind: str, table: pd.DataFrame, classes: NDArray[Any]) -> None:
    X = table.copy()
    X["size"] = COLUMNS[kind](X["size"])
    model = HalfseenClassifier(**LIGHT).fit(X, classes)
    filled = model.transform(X)
    assert_finite(filled)
    low, high = X["size"].min(), X["size"].max()
    reach = np.longdouble(high) - np.longdouble(low) + 1
    values = filled["size"].to_numpy(dtype=np.longdouble)
    assert (values >= low - 3 * reach).all()
    assert (values <= high + 3 * reach).all()
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isfinite(model.score_samples(X[:5])).all()
    assert np.isfinite(model.sample(5).X[:, :3].astype(float)).all()


@pytest.mark.parametrize("value", [1e9, -1e20, 1e38, -1e39, 1e300])
def test_new_rows_far_from_all_that_was_learned(
    value: float, table: pd.DataFrame, of_classes: HalfseenClassifier
) -> None:
    X = table[:5].copy()
    X["size"], X.loc[1:, "weight"] = value, np.nan
    completed = of_classes.complete(X)
    assert_finite(completed.X)
    assert completed.X["size"].tolist() == [value] * 5
    assert np.isfinite(completed.proba).all()
    assert np.ptp(of_classes.predict_proba(X)) > 0
    scores = of_classes.score_samples(X)
    assert np.isfinite(scores).all()
    assert (scores < of_classes.score_samples(table[:5])).all()


def test_a_column_of_which_nothing_is_seen(wide: pd.DataFrame, imputer: HalfseenImputer) -> None:
    X = wide.assign(nothing=np.nan)
    with pytest.warns(UserWarning, match="Nothing is observed in column.*'nothing'"):
        model = HalfseenImputer(**LIGHT).fit(X)
    filled = model.transform(X)
    assert filled["nothing"].isna().all()
    assert_same_bits(filled.drop(columns="nothing"), imputer.transform(wide))
    later = model.transform(X.assign(nothing=3.5))
    assert later["nothing"].tolist() == [3.5] * 40
    assert model.sample(5).shape == (5, 7)


def test_nothing_seen_at_all() -> None:
    with (
        pytest.warns(UserWarning, match="Nothing is observed"),
        pytest.raises(ValueError, match="X has no observed entry"),
    ):
        HalfseenImputer(**LIGHT).fit(np.full((5, 2), np.nan))


def test_rows_of_which_nothing_is_seen(
    table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier
) -> None:
    empty = table[:3].copy()
    empty.loc[:, ["size", "weight", "sold"]] = np.nan
    empty["colour"] = None
    proba = of_classes.predict_proba(empty)
    assert_same_bits(proba[0].copy(), proba[2].copy())
    assert_finite(of_classes.transform(empty))
    assert np.allclose(of_classes.score_samples(empty), 0.0, atol=0.2)
    X = pd.concat([empty, table], ignore_index=True)
    model = HalfseenClassifier(**LIGHT).fit(X, np.concatenate([[None] * 3, classes]))
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_category_never_seen_counts_as_missing(
    table: pd.DataFrame, of_classes: HalfseenClassifier
) -> None:
    strange, missing = table[:5].copy(), table[:5].copy()
    strange["colour"], missing["colour"] = "pink", None
    with pytest.warns(UserWarning, match="never seen in training.*'colour'.*'pink'"):
        proba = of_classes.predict_proba(strange)
    assert_same_bits(proba, of_classes.predict_proba(missing))
    with pytest.warns(UserWarning, match="'pink'"):
        assert of_classes.transform(strange)["colour"].tolist() == ["pink"] * 5


@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("y", [["a", "a", "a"], ["a", None, None]])
def test_tiny_tables_and_a_single_class(n_rows: int, y: list[Any]) -> None:
    X = np.array([[1.5], [np.nan], [-2.5]])[:n_rows]
    model = HalfseenClassifier(**PAPER).fit(X, y[:n_rows])
    assert model.classes_.tolist() == ["a"]
    assert model.predict(X).tolist() == ["a"] * n_rows
    assert model.predict_proba(X).tolist() == [[1.0]] * n_rows
    assert np.isfinite(model.transform(X)).all()
    assert model.predict([[np.nan]]).tolist() == ["a"]
    assert model.settings_.objective == "lossy_cd"
    assert model.schema_.targets[0].unit == model.settings_.class_units == "independent"
    assert model.machine_.log_variance.tolist() == [[0.0]]
    assert model.machine_.restarts.shape == (10, 2)


def test_a_single_row_of_many_columns(table: pd.DataFrame, of_classes: HalfseenClassifier) -> None:
    row = table[7:8]
    assert of_classes.predict(row).shape == (1,)
    assert of_classes.transform(row).index.tolist() == [7]


@pytest.mark.parametrize("call", ["fit", "predict_proba", "transform", "score_samples"])
def test_infinity_is_refused_by_column_and_row(
    call: str, table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier
) -> None:
    X = table.copy()
    X.loc[4, "weight"] = -np.inf
    model = HalfseenClassifier(**LIGHT) if call == "fit" else of_classes
    also = (classes,) if call == "fit" else ()
    with pytest.raises(ValueError, match="infinity: column 'weight', row 4"):
        getattr(model, call)(X, *also)


def test_wrong_columns_are_refused_by_name(
    table: pd.DataFrame,
    wide: pd.DataFrame,
    of_classes: HalfseenClassifier,
    imputer: HalfseenImputer,
) -> None:
    for model, X in ((of_classes, table), (imputer, wide)):
        with pytest.raises(ValueError, match=r"unseen at fit time:\n- shade\n.*\n- colour"):
            model.transform(X.rename(columns={"colour": "shade"}))
        with pytest.raises(ValueError, match="must be in the same order"):
            model.transform(X[["weight", "size", *X.columns[2:]]])
        with pytest.raises(ValueError, match="- colour"):
            model.transform(X.drop(columns="colour"))
        with pytest.raises(ValueError, match="'weight'"):
            model.transform(X.assign(weight="heavy"))
        repeated = X.set_axis(["size", "size", *X.columns[2:]], axis=1)
        with pytest.raises(ValueError, match="Column names of X repeat: 'size'"):
            model.transform(repeated)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(
            ValueError, match="X has 3 features, but HalfseenClassifier is expecting 4"
        ):
            of_classes.predict(np.zeros((2, 3)))


def test_a_number_beyond_a_binary_column_counts_as_missing(
    table: pd.DataFrame, of_classes: HalfseenClassifier
) -> None:
    with pytest.warns(UserWarning, match=r"count as missing; column 'sold': 2\.0"):
        beyond = of_classes.predict_proba(table[:2].assign(sold=2.0))
    assert np.array_equal(beyond, of_classes.predict_proba(table[:2].assign(sold=np.nan)))


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse_is_refused(make: Any) -> None:
    with pytest.raises(TypeError, match=r"Sparse data was passed for X.*toarray"):
        HalfseenImputer().fit(make(np.eye(3)))
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        HalfseenClassifier().fit(np.eye(3), make(np.eye(3)))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros(3), ValueError, "Expected 2D array"),
        (np.zeros((0, 3)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        (pd.Series([1.0, 2.0]), ValueError, "Expected a 2D table"),
        (pl.DataFrame({"a": [1.0]}).lazy(), TypeError, "collect"),
        (np.array([["2020-01-01"]], "datetime64[D]"), TypeError, "dates"),
        ([[1.0, 2.0], [3.0]], ValueError, "differ in length"),
        ([[1.0 + 2.0j]], ValueError, "Complex"),
    ],
)
def test_no_table_at_all(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        HalfseenImputer().fit(X)


@pytest.mark.parametrize("n_rows", [255, 256, 257, 300, 513])
def test_any_number_of_rows(
    n_rows: int, table: pd.DataFrame, of_classes: HalfseenClassifier
) -> None:
    X = pd.concat([table] * 13, ignore_index=True)[:n_rows]
    completed = of_classes.complete(X)
    once = of_classes.complete(table)
    assert len(completed.X) == len(completed.y) == len(completed.proba) == n_rows
    assert_same_bits(completed.proba, np.concatenate([once.proba] * 13)[:n_rows])
