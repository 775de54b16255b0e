"""Comparing answers bit by bit."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from halfseen import HalfseenClassifier


def assert_same_bits(left: Any, right: Any) -> None:
    """Two answers are of the same type and have the same bits, NaN included."""
    assert type(left) is type(right)
    if isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same_bits(one, other)
    elif isinstance(left, pd.DataFrame):
        assert list(left.columns) == list(right.columns)
        assert left.index.equals(right.index)
        assert_same_bits([left[name] for name in left], [right[name] for name in right])
    elif isinstance(left, pd.Series | pl.Series):
        assert left.dtype == right.dtype
        assert_same_bits(_cells(left), _cells(right))
    elif isinstance(left, pl.DataFrame):
        assert left.columns == right.columns
        assert_same_bits(left.get_columns(), right.get_columns())
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        if left.dtype == object:
            assert left.tolist() == right.tolist()
        else:
            assert left.tobytes() == right.tobytes()
    else:
        assert left == right


def _cells(series: pd.Series | pl.Series) -> list[Any]:
    """Holes, and the values between them."""
    if isinstance(series, pl.Series):
        return [series.is_null().to_numpy(), series.drop_nulls().to_numpy()]
    return [series.isna().to_numpy(), series.dropna().to_numpy()]


def assert_same_model(left: Any, right: Any) -> None:
    """Two fitted estimators have the same bits in everything that was learned."""
    assert_same_parts(left.machine_, right.machine_)
    assert_same_parts(left.prediction_, right.prediction_)
    assert left.schema_ == right.schema_
    assert left.settings_ == right.settings_
    assert left.n_iter_ == right.n_iter_
    if isinstance(left, HalfseenClassifier):
        assert_same_bits(left.thresholds_, right.thresholds_)
        assert_same_bits(left.classes_, right.classes_)


def assert_same_parts(left: Any, right: Any) -> None:
    """Two data classes, or what stands in their place, have the same bits in all their arrays."""
    assert type(left) is type(right)
    if isinstance(left, np.ndarray):
        assert_same_bits(left, right)
    elif is_dataclass(left):
        for field in fields(left):
            assert_same_parts(getattr(left, field.name), getattr(right, field.name))
    else:
        assert left == right


def more_answers(model: Any, X: Any, y: Any = None) -> list[Any]:
    """What a predictive model with its companion says beside, of classes or of features alone."""
    sets = [model.predict_set(X)] if isinstance(model, HalfseenClassifier) else []
    bounds = model.predict_interval(X, level=0.8)
    return [*answers(model, X, y), *sets, bounds, *model.impute(X, n_draws=2)]


def answers(model: Any, X: Any, y: Any = None) -> list[Any]:
    """Everything that a model says of some rows, except their log-probability."""
    if not isinstance(model, HalfseenClassifier):
        return [model.transform(X)]
    completed = model.complete(X, y)
    return [
        model.transform(X),
        model.predict(X),
        model.predict_proba(X),
        completed.X,
        completed.y,
        completed.proba,
    ]
