"""Predictive training on tables that are tiny, wide, constant, or of one kind only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from halfseen import HalfseenClassifier, HalfseenImputer, load

TINY: dict[str, Any] = {
    "n_hidden": 2,
    "n_epochs": 1,
    "n_machines": 1,
    "companion": False,
    "random_state": 0,
}


def numbers(n_rows: int) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """An ordinary column, a constant and an empty one; two labels, of which one is never known."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"plain": random.normal(size=n_rows), "constant": 7.25, "empty": np.nan})
    X.loc[1::3, "plain"] = np.nan
    X.loc[2::4, "constant"] = np.nan
    y = np.column_stack([np.arange(n_rows) % 2, np.full(n_rows, np.nan)])
    y[3::4, 0] = np.nan
    return X, y


@pytest.mark.parametrize("n_rows", [1, 2, 3, 30])
@pytest.mark.filterwarnings("ignore:Nothing is observed:UserWarning")
@pytest.mark.filterwarnings("ignore:No entry of label:UserWarning")
def test_few_rows_a_constant_an_empty_column_and_a_label_never_seen(n_rows: int) -> None:
    X, y = numbers(n_rows)
    model = HalfseenClassifier(**TINY).fit(X, y)
    filled = model.transform(X)
    assert np.isfinite(filled[["plain", "constant"]]).all().all()
    assert (filled["constant"] == 7.25).all()
    assert filled["empty"].isna().all()
    completed = model.complete(X, y)
    for proba in (model.predict_proba(X), completed.proba):
        assert proba.shape == (n_rows, 2)
        assert np.isfinite(proba).all()
    bounds = model.predict_interval(X)
    assert np.isnan(bounds[:, 2]).all()
    assert np.isfinite(bounds[:, :2]).all()
    assert np.allclose(bounds[:, 1], 7.25, atol=1e-4)
    assert model.predict_set(X).any(axis=2).all()
    nothing = pd.DataFrame({name: [np.nan] for name in X})
    assert np.isfinite(model.predict_proba(nothing)).all()


def test_categories_alone_and_a_single_class() -> None:
    X = np.array([["a", "x"], ["b", None], [None, "y"], ["a", "x"], ["b", "z"]], object)
    model = HalfseenClassifier(**TINY).fit(X, ["only", None, "only", None, "only"])
    assert model.predict(X).tolist() == ["only"] * 5
    assert model.predict_proba(X).tolist() == [[1.0]] * 5
    assert model.predict_set(X, 0.2).tolist() == [[True]] * 5
    filled = model.transform(X)
    assert set(filled[:, 0]) == {"a", "b"}
    assert set(filled[:, 1]) <= {"x", "y", "z"}
    assert np.isnan(model.predict_interval(X)).all()


def test_a_single_binary_column() -> None:
    X = np.array([[1.0], [0.0], [np.nan], [1.0], [1.0]])
    model = HalfseenImputer(**TINY).fit(X)
    filled = model.transform(X)
    assert 0 < filled[2, 0] < 1
    assert np.isnan(model.predict_interval(X)).all()


def wide_table(n_columns: int) -> NDArray[np.float64]:
    random = np.random.default_rng(1)
    X = random.normal(size=(12, 1)) + random.normal(size=(12, n_columns))
    X[random.random(X.shape) < 0.2] = np.nan
    return X


@pytest.mark.parametrize(
    ("n_columns", "rank"), [(430, 160), (1510, 12)], ids=["low rank", "components"]
)
def test_wide_tables(n_columns: int, rank: int, tmp_path: Path) -> None:
    X = wide_table(n_columns)
    model = HalfseenImputer(**TINY).fit(X)
    ensemble = model.prediction_.ensemble
    assert ensemble.prior_covariance.shape[2] == 0
    assert ensemble.prior_loading.shape == (1, n_columns, rank)
    filled = model.transform(X)
    assert np.isfinite(filled).all()
    bounds = model.predict_interval(X)
    assert ((bounds[:, :, 0] <= filled) & (filled <= bounds[:, :, 1])).all()
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").transform(X).tobytes() == filled.tobytes()
