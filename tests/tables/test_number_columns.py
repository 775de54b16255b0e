"""Columns that are read when they are asked for are the columns of the array."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from halfseen.tables.number_columns import NumberColumns

WIDE = 75  # more than two parts that are read together


def wide_table() -> Any:
    generator = np.random.default_rng(0)
    array = generator.normal(size=(5, WIDE))
    array[generator.random(array.shape) < 0.3] = np.nan
    return array


@given(
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements=st.floats(-5, 5, width=32) | st.just(np.nan),
    )
)
def test_values_and_what_is_observed(array: Any) -> None:
    columns = NumberColumns(array, np.float32)
    assert len(columns) == array.shape[1]
    for j, column in enumerate(columns):
        assert column.values.dtype == np.float32
        assert (column.observed == ~np.isnan(array[:, j])).all()
        assert (column.values == np.nan_to_num(array[:, j])).all()


def test_in_any_order() -> None:
    array = wide_table()
    columns = NumberColumns(array, np.float64)
    order = np.random.default_rng(1).permutation(WIDE).tolist()
    for j in order:
        assert (columns[j].values == np.nan_to_num(array[:, j])).all()
    assert (columns[-1].values == columns[WIDE - 1].values).all()
    part = columns[60:70:3]
    assert [c.n_observed for c in part] == [columns[j].n_observed for j in (60, 63, 66, 69)]


def test_outside_there_is_none() -> None:
    with pytest.raises(IndexError):
        NumberColumns(wide_table(), np.float64)[WIDE]


def test_what_was_read_cannot_be_written_to() -> None:
    array = wide_table()
    column = NumberColumns(array, np.float64)[0]
    with pytest.raises(ValueError, match="read-only"):
        column.values[0] = 1.0
    kept = column.values.copy()
    array[:, 0] = 9.0
    assert (column.values == kept).all()


def test_booleans_and_whole_numbers_are_all_observed() -> None:
    column = NumberColumns(np.array([[True], [False]]), np.float32)[0]
    assert column.is_bool
    assert column.observed.all()
    assert column.values.tolist() == [1.0, 0.0]
    assert not NumberColumns(np.array([[3], [4]]), np.float64)[0].is_bool


def test_threads_may_share_them() -> None:
    array = np.tile(np.arange(64.0), (50, 1))
    columns = NumberColumns(array, np.float64)

    def reads_right(seed: int) -> bool:
        order = np.random.default_rng(seed).integers(0, 64, 3000).tolist()
        return all(columns[j].values[0] == j for j in order)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(reads_right, range(4)))


def test_what_is_kept_is_small_beside_the_table() -> None:
    for n_columns in (1, 7, 16, 100, 1000):
        columns = NumberColumns(np.zeros((3, n_columns)), np.float64)
        assert columns[n_columns - 1].values.base is not None
        n_kept = len(columns._kept[1])
        assert 1 <= n_kept <= max(1, n_columns / 8)
        assert n_kept <= 32
