from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfseen.tables import read_table
from halfseen.tables.fill_array import fill_array, kept_within


@settings(deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.float16, np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.one_of(st.just(np.nan), st.just(-0.0), st.floats(-8, 8, width=16)),
    )
)
def test_observed_cells_keep_every_bit(X: Any) -> None:
    before = X.tobytes()
    fills = [np.full(len(X), 7.25)] * X.shape[1]
    filled = fill_array(X, read_table(X), fills)
    holes = np.isnan(X)
    assert X.tobytes() == before
    assert filled.dtype == X.dtype
    assert filled[~holes].tobytes() == X[~holes].tobytes()
    assert (filled[holes] == 7.25).all()


@pytest.mark.parametrize(
    ("dtype", "out"),
    [("uint8", "float64"), ("int64", "float64"), ("bool", "bool"), ("<U2", "<U2"), (">f4", ">f4")],
)
def test_types_without_holes(dtype: str, out: str) -> None:
    X = np.array([[0, 1], [1, 1]]).astype(dtype)
    filled = fill_array(X, read_table(X), [np.ones(2), None])
    assert filled.dtype == np.dtype(out)
    assert filled is not X
    np.testing.assert_array_equal(filled, X)


def test_objects_stay_objects_in_python_types() -> None:
    X = np.array([[1, True, "u"], [None, None, None], [2.5, False, 3]], dtype=object)
    hue = np.array(["u", "w", "u"], dtype=object)
    fills = [np.full(3, 9.5), np.full(3, 0.5), hue]
    filled = fill_array(X, read_table(X), fills)
    assert filled.dtype == object
    assert filled[1].tolist() == [9.5, True, "w"]
    assert [type(cell) for cell in filled[1]] == [float, bool, str]
    assert all(filled[i, j] is X[i, j] for i in (0, 2) for j in range(3))


def test_categories_that_are_numbers_fit_a_float_array() -> None:
    X = np.array([[2.0], [np.nan]])
    filled = fill_array(X, read_table(X), [np.array([5, 2], dtype=object)])
    assert filled.tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_masked_arrays_lose_the_mask_where_filled(dtype: type) -> None:
    X = np.ma.MaskedArray(np.ones((2, 2), dtype), mask=[[0, 1], [1, 0]], hard_mask=True)
    filled = fill_array(X, read_table(X), [np.zeros(2), None])
    assert isinstance(filled, np.ma.MaskedArray)
    assert filled.mask.tolist() == [[False, True], [False, False]]
    assert filled[1, 0] == 0
    assert X.mask.tolist() == [[False, True], [True, False]]


def test_predictions_never_overflow() -> None:
    limit = np.finfo(np.float32).max
    assert kept_within(np.array([1e300, -1e300]), np.dtype("float32")).tolist() == [limit, -limit]
    assert kept_within(np.array([1e300]), np.dtype("float64")).tolist() == [1e300]
