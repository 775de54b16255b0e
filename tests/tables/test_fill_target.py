"""Holes of a target, decided, in the container it came in."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.tables import fill_target, read_target

NUMBERS, TEXT = [1, 2, 2], ["a", "b", "b"]


def filled(y: Any, decided: Any, kind: Any = "auto") -> Any:
    return fill_target(y, read_target(y, kind), np.asarray(decided))


@given(st.lists(st.one_of(st.none(), st.integers(-(10**6), 10**6)), min_size=1, max_size=9))
def test_known_entries_stay_and_others_are_decided(cells: list[int | None]) -> None:
    answers = [7] * len(cells)
    expected = [7 if cell is None else cell for cell in cells]
    if any(cell is not None for cell in cells):
        assert filled(cells, answers).tolist() == expected
        assert filled(pl.Series(cells), answers).to_list() == expected
        assert filled(pd.Series(cells, dtype="Int64"), answers).tolist() == expected


@pytest.mark.parametrize(
    "dtype", ["Int64", "Float64", "float64", "UInt8", "int64[pyarrow]", "double[pyarrow]", "object"]
)
def test_pandas_numbers(dtype: Any) -> None:
    y = pd.Series([1, None, 3], dtype=dtype, index=["x", "y", "z"], name="grade")
    before = y.copy()
    result = filled(y, [9, 2, 9])
    assert result.dtype == y.dtype
    assert result.name == "grade"
    assert result.to_dict() == {"x": 1, "y": 2, "z": 3}
    pd.testing.assert_series_equal(y, before)


@pytest.mark.parametrize("dtype", ["string", "str", "object", "category", "string[pyarrow]"])
def test_pandas_text(dtype: Any) -> None:
    y = pd.Series(["a", None, "b"], dtype=dtype)
    result = filled(y, TEXT)
    assert result.tolist() == ["a", "b", "b"]
    assert result.dtype == y.dtype


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]", "object"])
def test_pandas_truth_values(dtype: Any) -> None:
    y = pd.Series([True, None, False], dtype=dtype)
    result = filled(y, [0, 1, 0])
    assert result.tolist() == [True, True, False]
    assert result.dtype == y.dtype


def test_categories_that_y_does_not_list() -> None:
    y = pd.Series(["a", None, "a"], dtype="category")
    assert filled(y, TEXT).tolist() == ["a", "b", "a"]
    enum = pl.Series("grade", ["a", None, "a"], dtype=pl.Enum(["a"]))
    result = filled(enum, TEXT)
    assert result.to_list() == ["a", "b", "a"]
    assert result.dtype == pl.Enum(["a", "b"])


@pytest.mark.parametrize(
    ("dtype", "cells", "decided"),
    [
        (pl.Int64, [1, None, 3], NUMBERS),
        (pl.UInt8, [1, None, 3], [1.0, 2.0, 2.0]),
        (pl.Float32, [1.0, None, 3.0], NUMBERS),
        (pl.Float64, [1.0, float("nan"), 3.0], NUMBERS),
        (pl.Boolean, [True, None, False], [0, 1, 0]),
        (pl.String, ["a", None, "c"], TEXT),
        (pl.Categorical, ["a", None, "c"], TEXT),
        (pl.Enum(["a", "b", "c"]), ["a", None, "c"], TEXT),
    ],
)
def test_polars(dtype: Any, cells: list[Any], decided: Any) -> None:
    y = pl.Series("grade", cells, dtype=dtype)
    result = filled(y, decided)
    assert isinstance(result, pl.Series)
    assert result.dtype == y.dtype
    assert result.name == "grade"
    assert result.to_list() == [cells[0], decided[1], cells[2]]


@pytest.mark.parametrize(
    "y",
    [
        pa.array(["a", None, "c"]),
        pa.chunked_array([["a", None], ["c"]]),
        pa.array(["a", None, "c"], type=pa.large_string()),
        pa.array(["a", None, "c"]).dictionary_encode(),
    ],
)
def test_pyarrow(y: Any) -> None:
    result = filled(y, TEXT)
    assert result.to_pylist() == ["a", "b", "c"]
    assert result.type == y.type


LABELS = [[1, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]}),
        pd.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]}, dtype="Int64"),
        pd.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]}, dtype="boolean"),
        pd.DataFrame({"p": [True, None, False], "q": [None, False, True]}, dtype=object),
        pl.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]}),
        pl.DataFrame({"p": [True, None, False], "q": [None, False, True]}),
        pa.table({"p": [1, None, 0], "q": [None, 0, 1]}),
        nw.from_native(pl.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]})),
        nw.from_native(pd.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]})),
    ],
)
def test_frames(y: Any) -> None:
    result = filled(y, LABELS)
    assert type(result) is type(y)
    columns = nw.from_native(result).to_dict(as_series=False)
    assert columns == {"p": [1, 1, 0], "q": [0, 0, 1]}
    assert nw.from_native(result).schema == nw.from_native(y).schema


def test_columns_of_different_types() -> None:
    decided = np.array([["a", 2], ["b", 3], ["a", 3]], dtype=object)
    for y in (
        pl.DataFrame({"p": ["a", None, "c"], "q": [None, 2, 3]}),
        pa.table({"p": ["a", None, "c"], "q": [None, 2, 3]}),
        pd.DataFrame({"p": ["a", None, "c"], "q": pd.array([None, 2, 3], dtype="Int64")}),
    ):
        columns = nw.from_native(filled(y, decided)).to_dict(as_series=False)
        assert columns == {"p": ["a", "b", "c"], "q": [2, 2, 3]}


def test_a_frame_keeps_its_index() -> None:
    y = pd.DataFrame({"p": [1, None, 0], "q": [None, 0, 1]}, index=[5, 5, 7])
    assert filled(y, LABELS).index.tolist() == [5, 5, 7]


@pytest.mark.parametrize(
    ("y", "decided", "expected"),
    [
        (np.array([1.0, np.nan, 3.0]), NUMBERS, np.array([1.0, 2.0, 3.0])),
        (np.array([1, np.nan, 3], np.float32), NUMBERS, np.array([1, 2, 3], np.float32)),
        (np.array([4, 5, 6]), NUMBERS, np.array([4, 5, 6])),
        (np.array(["x", "yy", "z"]), TEXT, np.array(["x", "yy", "z"])),
        (np.array(["x", None, "z"], object), TEXT, np.array(["x", "b", "z"], object)),
        (np.ma.array([1.0, 99.0, 3.0], mask=[0, 1, 0]), NUMBERS, np.array([1.0, 2.0, 3.0])),
        (np.ma.array(["x", "hid", "z"], mask=[0, 1, 0]), TEXT, np.array(["x", "b", "z"], object)),
        ([1, None, 3], NUMBERS, np.array([1, 2, 3], object)),
        (("x", None, "z"), TEXT, np.array(["x", "b", "z"], object)),
        ([True, None, False], [0, 1, 0], np.array([True, True, False], object)),
        (pd.array([1, None, 3], dtype="Int64"), NUMBERS, np.array([1, 2, 3], object)),
        (pd.Index(["x", None, "z"]), TEXT, np.array(["x", "b", "z"], object)),
        (pd.Categorical(["x", None, "z"]), TEXT, np.array(["x", "b", "z"], object)),
    ],
)
def test_arrays_and_their_kin(y: Any, decided: Any, expected: Any) -> None:
    result = filled(y, decided)
    assert type(result) is np.ndarray
    assert result.dtype == expected.dtype
    assert result.tolist() == expected.tolist()
    assert [type(cell) for cell in result.tolist()] == [type(cell) for cell in expected.tolist()]


def test_matrices() -> None:
    y = np.array([[1, np.nan], [np.nan, 0], [0, 1]])
    before = y.copy()
    assert filled(y, LABELS).tolist() == [[1, 0], [1, 0], [0, 1]]
    assert np.array_equal(y, before, equal_nan=True)
    column = filled(np.array([[1.0], [np.nan]]), [1, 2], "outputs")
    assert column.tolist() == [[1.0], [2.0]]
    truth = np.array([[True, None], [None, False], [False, True]], dtype=object)
    assert filled(truth, LABELS).tolist() == [[True, False], [True, False], [False, True]]


@pytest.mark.parametrize(
    "y",
    [
        np.full(3, np.nan),
        [None] * 3,
        pd.Series([np.nan] * 3),
        pd.Series([None] * 3, dtype="Int64"),
        pl.Series("y", [None] * 3),
        pl.Series("y", [None] * 3, dtype=pl.Float64),
    ],
)
def test_a_target_of_holes_takes_the_type_of_the_decisions(y: Any) -> None:
    assert filled(y, TEXT, "classes").tolist() if isinstance(y, list) else True
    result = filled(y, TEXT, "classes")
    assert list(result) == TEXT


def test_numbers_and_text_together() -> None:
    assert filled(pd.Series([1, None, 3]), TEXT, "classes").tolist() == [1, "b", 3]
    assert filled(np.array([1, np.nan, 3]), TEXT, "classes").tolist() == [1, "b", 3]
    assert filled(pd.Series(["x", None, "z"]), NUMBERS, "classes").tolist() == ["x", 2, "z"]
    with pytest.raises(ValueError, match=r"Column 'q' of y has the type Int64.*'b'"):
        filled(pl.Series("q", [1, None, 3]), TEXT, "classes")
    with pytest.raises(ValueError, match="cannot hold the class 300"):
        filled(pl.Series("q", [1, None, 3], dtype=pl.Int8), [300, 300, 300], "classes")
    assert filled(pd.Series([1, None], dtype="Int8"), [300, 300], "classes").tolist() == [1, 300]


def test_a_target_without_holes_is_given_back_as_it_is() -> None:
    y = pd.Series([3, 4], dtype="int8")
    pd.testing.assert_series_equal(filled(y, [9, 9]), y)
    array = np.array([3, 4], np.int8)
    result = filled(array, [9, 9])
    assert result.tolist() == [3, 4]
    assert result is not array
