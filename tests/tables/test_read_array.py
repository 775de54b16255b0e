from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfseen.tables.read_array import float_type, read_array


@settings(deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.one_of(st.just(np.nan), st.floats(-8, 8, width=16)),
    )
)
def test_floats_are_kept_and_holes_are_zero(array: Any) -> None:
    columns = read_array(array, [f"x{j}" for j in range(array.shape[1])], "X")
    for j, column in enumerate(columns):
        np.testing.assert_array_equal(column.observed, ~np.isnan(array[:, j]))
        np.testing.assert_array_equal(column.values, np.nan_to_num(array[:, j]))
        assert column.values.dtype == array.dtype


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("bool", np.float32),
        ("uint8", np.float32),
        ("int16", np.float32),
        ("float16", np.float32),
        ("float32", np.float32),
        ("int32", np.float64),
        ("int64", np.float64),
        ("float64", np.float64),
        ("longdouble", np.float64),
    ],
)
def test_float_type(dtype: str, expected: type) -> None:
    assert float_type(np.dtype(dtype)) is expected


def test_reading_leaves_the_array_alone_and_is_safe_from_it() -> None:
    array = np.array([[1.0], [np.nan]])
    column = read_array(array, ["a"], "X")[0]
    array[0, 0] = 99.0
    assert column.values.tolist() == [1.0, 0.0]
    assert np.isnan(array[1, 0])


def test_bool_and_text() -> None:
    assert read_array(np.array([[True]]), ["a"], "X")[0].is_bool
    assert read_array(np.array([["u"]]), ["a"], "X")[0].is_text


def test_infinity_names_column_and_row() -> None:
    array = np.zeros((3, 2))
    array[0, 0] = np.nan
    array[2, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity: column 'b', row 2"):
        read_array(array, ["a", "b"], "X")


def test_long_double_beyond_float64_is_infinity() -> None:
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long double is float64 here")
    with pytest.raises(ValueError, match="infinity"):
        read_array(np.array([[np.longdouble("1e400")]]), ["a"], "X")


@pytest.mark.parametrize(
    ("array", "error", "match"),
    [
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError, "'a' of X holds dates"),
        (np.array([[b"x"]]), TypeError, "argument must be a string or a number"),
    ],
)
def test_types_without_a_unit(array: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        read_array(array, ["a"], "X")
