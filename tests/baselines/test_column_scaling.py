"""Scaling by observed entries alone, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from halfseen.baselines._column_scaling import ColumnScaling, standardising, to_unit_interval

TABLE = arrays(
    np.float64,
    (6, 3),
    elements=st.one_of(st.just(np.nan), st.integers(-1000, 1000).map(lambda number: number / 8)),
)


@given(TABLE)
def test_what_is_scaled_comes_back(X: np.ndarray) -> None:
    for scaling in (standardising(X), to_unit_interval(X)):
        back = scaling.unscaled(scaling.scaled(X))
        observed = ~np.isnan(X)
        assert back[observed] == pytest.approx(X[observed], abs=1e-3)
        assert np.isfinite(back).all()


@given(TABLE)
def test_missing_entries_become_zero(X: np.ndarray) -> None:
    assert not standardising(X).scaled(X)[np.isnan(X)].any()


def test_a_column_has_mean_zero_and_variance_one() -> None:
    X = np.random.default_rng(0).normal(5, 3, size=(200, 2))
    X[::3, 1] = np.nan
    scaled = standardising(X).scaled(X)
    observed = ~np.isnan(X[:, 1])
    assert scaled[observed, 1].mean() == pytest.approx(0, abs=1e-6)
    assert scaled[observed, 1].std() == pytest.approx(1, abs=1e-6)


def test_the_observed_range_becomes_the_unit_interval() -> None:
    X = np.array([[3.0], [np.nan], [7.0], [4.0]])
    assert to_unit_interval(X).scaled(X)[:, 0].tolist() == [0.0, 0.0, 1.0, 0.25]


def test_whatever_is_said_about_a_constant_or_empty_column_it_is_not_believed() -> None:
    X = np.array([[0.1, np.nan], [0.1, np.nan], [0.1, np.nan]])
    for scaling in (standardising(X), to_unit_interval(X)):
        assert isinstance(scaling, ColumnScaling)
        back = scaling.unscaled(np.full((3, 2), 7, np.float32))
        assert back == pytest.approx(np.array([[0.1, 0.0]] * 3))
