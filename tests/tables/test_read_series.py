import datetime
import warnings
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.tables import RawColumn
from halfseen.tables.read_series import read_series


def read(native: Any) -> RawColumn:
    return read_series(nw.from_native(native, series_only=True), "c", "X")


NUMBERS = [
    pd.Series([1, None, 3], dtype="Int64"),
    pd.Series([1, None, 3], dtype="UInt8"),
    pd.Series([1.0, None, 3.0]),
    pd.Series([1.0, None, 3.0], dtype="float32"),
    pd.Series([1.0, None, 3.0], dtype="Float32"),
    pd.Series([1, None, 3], dtype=object),
    pd.Series([1, pd.NA, 3.0], dtype=object),
    pd.Series([1, None, 3], dtype="int64[pyarrow]"),
    pd.Series(pd.arrays.SparseArray([1.0, np.nan, 3.0])),
    pl.Series([1, None, 3]),
    pl.Series([1.0, float("nan"), 3.0]),
    pl.Series([Decimal(1), None, Decimal(3)]),
    pa.chunked_array([[1], [None, 3]]),
    pa.chunked_array([pa.array([1.0, None, 3.0], pa.float16())]),
]


@pytest.mark.parametrize("native", NUMBERS)
def test_numbers(native: Any) -> None:
    column = read(native)
    assert column.values.tolist() == [1.0, 0.0, 3.0]
    assert column.observed.tolist() == [True, False, True]
    assert not column.is_text
    assert not column.is_bool


BOOLEANS = [
    pd.Series([True, None, False], dtype="boolean"),
    pd.Series([True, None, False], dtype=object),
    pd.Series([True, None, False], dtype="bool[pyarrow]"),
    pl.Series([True, None, False]),
    pa.chunked_array([[True, None, False]]),
]


@pytest.mark.parametrize("native", BOOLEANS)
def test_booleans(native: Any) -> None:
    column = read(native)
    assert column.is_bool
    assert column.values.tolist() == [1.0, 0.0, 0.0]
    assert column.observed.tolist() == [True, False, True]


TEXTS = [
    pd.Series(["u", None, "v"]),
    pd.Series(["u", None, "v"], dtype=object),
    pd.Series(["u", None, "v"], dtype="string"),
    pd.Series(["u", None, "v"], dtype="category"),
    pl.Series(["u", None, "v"]),
    pl.Series(["u", None, "v"], dtype=pl.Categorical),
    pl.Series(["u", None, "v"], dtype=pl.Enum(["v", "u"])),
    pa.chunked_array([["u", None, "v"]]),
    pa.chunked_array([pa.array(["u", None, "v"]).dictionary_encode()]),
    pa.chunked_array([pa.array(["u", None, "v"], pa.large_string())]),
]


@pytest.mark.parametrize("native", TEXTS)
def test_text(native: Any) -> None:
    column = read(native)
    assert column.is_text
    assert column.values.tolist() == ["u", None, "v"]


def test_categories_that_are_numbers_are_text_columns() -> None:
    column = read(pd.Series([3, None, 5], dtype="category"))
    assert column.is_text
    assert column.values.tolist() == [3, None, 5]


@pytest.mark.parametrize("native", [pl.Series([None, None]), pa.chunked_array([pa.nulls(2)])])
def test_null_columns(native: Any) -> None:
    assert read(native).n_observed == 0


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(pd.to_datetime(["2020-01-01", None])),
        pd.Series([pd.Timedelta(1, "D"), None]),
        pl.Series([datetime.date(2020, 1, 1), None]),
        pa.chunked_array([[datetime.datetime(2020, 1, 1), None]]),
    ],
)
def test_dates_name_the_column_and_the_remedy(native: Any) -> None:
    with pytest.raises(TypeError, match=r"'c' of X holds dates or times .* days since"):
        read(native)


@pytest.mark.parametrize(
    "native", [pd.Series([{"a": 1}]), pl.Series([[1]]), pa.chunked_array([[b"x"]])]
)
def test_cells_without_a_unit(native: Any) -> None:
    with pytest.raises(TypeError, match=r"'c', row 0 .*argument must be a string or a number"):
        read(native)


def test_infinity_and_complex() -> None:
    with pytest.raises(ValueError, match="infinity: column 'c', row 1"):
        read(pl.Series([1.0, float("inf")]))
    with pytest.raises(ValueError, match="Complex data not supported"):
        read(pd.Series([1j]))


masks = st.lists(st.booleans(), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None)
@given(masks, st.integers(0, 2**32 - 1))
def test_what_pandas_keeps_behind_its_mask_is_never_read(hidden: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.array(hidden)
    n = len(mask)

    def same(build: Any, data: Any, garbage: Any) -> None:
        clean = read(pd.Series(build(data.copy(), mask.copy())))
        dirty = read(pd.Series(build(np.where(mask, garbage, data), mask.copy())))
        np.testing.assert_array_equal(clean.observed, ~mask)
        np.testing.assert_array_equal(clean.observed, dirty.observed)
        np.testing.assert_array_equal(clean.values, dirty.values)
        assert not dirty.values[mask].any()

    integers = rng.integers(-99, 99, n)
    same(pd.arrays.IntegerArray, integers, rng.integers(-(2**62), 2**62, n))
    same(pd.arrays.BooleanArray, integers > 0, rng.integers(0, 2, n) > 0)
    same(pd.arrays.FloatingArray, integers * 0.5, rng.choice([np.inf, np.nan, 1e308], n))


@settings(max_examples=30, deadline=None)
@given(masks, st.integers(0, 2**32 - 1))
def test_what_arrow_keeps_behind_its_nulls_is_never_read(hidden: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.array(hidden)
    n = len(mask)
    validity = pa.py_buffer(np.packbits(~mask, bitorder="little").tobytes())
    for kind, garbage in ((pa.int64(), 2**62), (pa.float64(), np.inf), (pa.float32(), np.nan)):
        data = rng.integers(-99, 99, n).astype(kind.to_pandas_dtype())
        dirty = np.where(mask, np.array(garbage).astype(data.dtype), data)
        array = pa.Array.from_buffers(kind, n, [validity, pa.py_buffer(dirty.tobytes())])
        for native in (pa.chunked_array([array]), pl.Series(array), pd.Series(pd.array(array))):
            column = read(native)
            np.testing.assert_array_equal(column.observed, ~mask)
            np.testing.assert_array_equal(column.values, np.where(mask, 0, data))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_are_read_without_touching_the_filters_of_warnings(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters belong to all threads: two readers could leave each other's behind.

    Of nullable types pandas itself changes them.
    """
    series = nw.from_native(pd.Series([1, None, 3], dtype=dtype), series_only=True)
    changed: list[bool] = []
    enter = warnings.catch_warnings.__enter__
    monkeypatch.setattr(
        warnings.catch_warnings, "__enter__", lambda own: changed.append(True) or enter(own)
    )
    column = read_series(series, "x", "X")
    assert not changed
    assert column.values.tolist() == [1.0, 0.0, 3.0]
    assert column.observed.tolist() == [True, False, True]
