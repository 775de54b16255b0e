from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

from halfseen.tables import read_target


@pytest.mark.parametrize(
    ("y", "dtype", "values"),
    [
        (np.array([0.0, np.nan, 2.0]), "float64", [0, None, 2]),
        (np.array([0.0, np.nan, 2.0], dtype=np.float32), "float32", [0, None, 2]),
        (np.array([3, 1, 2], dtype=np.int32), "int32", [3, 1, 2]),
        (np.array([3, 1, 2], dtype=">i8"), "int64", [3, 1, 2]),
        (np.array([True, False, True]), "bool", [1, 0, 1]),
        (np.array(["a", "bcd", "a"]), "<U3", ["a", "bcd", "a"]),
        (np.array(["a", None, "b"], dtype=object), "object", ["a", None, "b"]),
        (np.array([1, np.nan, 0], dtype=object), "int64", [1, None, 0]),
        (np.array([True, pd.NA, False], dtype=object), "bool", [1, None, 0]),
        ([1, None, 0], "int64", [1, None, 0]),
        ([1.0, None, 0], "float64", [1, None, 0]),
        (["a", None, "b"], "object", ["a", None, "b"]),
        (["a", float("nan"), "b"], "object", ["a", None, "b"]),
        (("a", "b", "b"), "<U1", ["a", "b", "b"]),
        (pd.Series([1, None, 0], dtype="Int64"), "int64", [1, None, 0]),
        (pd.Series([1, None, 0], dtype="UInt8"), "uint8", [1, None, 0]),
        (pd.Series([True, None, False], dtype="boolean"), "bool", [1, None, 0]),
        (pd.Series(["a", None, "b"], dtype="category"), "object", ["a", None, "b"]),
        (pd.Series([4, None, 5], dtype="category"), "int64", [4, None, 5]),
        (pd.Series(["a", None, "b"], dtype="string"), "object", ["a", None, "b"]),
        (pd.array([1, None, 0], dtype="Int64"), "int64", [1, None, 0]),
        (pd.Index(["a", None, "b"]), "object", ["a", None, "b"]),
        (pl.Series([1, None, 0]), "int64", [1, None, 0]),
        (pl.Series(["a", None, "b"]), "object", ["a", None, "b"]),
        (pl.Series([True, None, False]), "bool", [1, None, 0]),
        (pa.array([1, None, 0], pa.int8()), "int8", [1, None, 0]),
        (pa.chunked_array([["a", None, "b"]]), "object", ["a", None, "b"]),
        (np.ma.MaskedArray([1, 99, 0], mask=[0, 1, 0]), "float64", [1, None, 0]),
    ],
)
def test_classes_of_every_container(y: Any, dtype: str, values: list[Any]) -> None:
    target = read_target(y)
    assert target.kind == "classes"
    assert target.dtypes == (dtype,)
    assert target.names == ("y",)
    assert target.n_rows == 3
    (column,) = target.columns
    read = zip(column.values.tolist(), column.observed.tolist(), strict=True)
    assert [value if seen else None for value, seen in read] == values


@pytest.mark.parametrize(
    "y",
    [
        np.array([2**60, 2**60 + 1]),
        [2**60, 2**60 + 1, None],
        pd.Series([2**60, 2**60 + 1, None], dtype="Int64"),
        pl.Series([2**60, 2**60 + 1, None]),
    ],
)
def test_large_whole_numbers_are_not_merged(y: Any) -> None:
    target = read_target(y)
    assert target.columns[0].values.tolist()[:2] == [2**60, 2**60 + 1]
    assert target.dtypes == ("int64",)


def test_whole_numbers_beyond_int64_are_objects() -> None:
    target = read_target([2**70, 2**70 + 1])
    assert target.dtypes == ("object",)
    assert target.columns[0].values.tolist() == [2**70, 2**70 + 1]


def test_very_wide_text_is_held_as_objects() -> None:
    assert read_target(np.array(["a"], dtype="<U70000")).dtypes == ("object",)


@pytest.mark.parametrize(
    ("y", "kind", "names"),
    [
        (np.array([[0, 1], [1, np.nan]]), "labels", ("y0", "y1")),
        (np.array([[True, False]]), "labels", ("y0", "y1")),
        ([[0, None], [1, 1]], "labels", ("y0", "y1")),
        (pd.DataFrame({"a": [0, 1], "b": [None, True]}), "labels", ("a", "b")),
        (pl.DataFrame({"a": [0, 1], "b": [None, 1]}), "labels", ("a", "b")),
        (np.array([[0, 2], [1, 1]]), "outputs", ("y0", "y1")),
        (pd.DataFrame({"a": [0, 1], "b": [None, "u"]}), "outputs", ("a", "b")),
    ],
)
def test_matrices(y: Any, kind: str, names: tuple[str, ...]) -> None:
    target = read_target(y)
    assert target.kind == kind
    assert target.names == names


def test_a_series_gives_its_name() -> None:
    assert read_target(pd.Series([0, 1], name="sick")).names == ("sick",)


@pytest.mark.parametrize("y", [np.array([[0], [1]]), pd.DataFrame({"a": [0, 1]})])
def test_a_column_vector_warns(y: Any) -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        assert read_target(y).kind == "classes"


def test_kind_overrides() -> None:
    one = np.array([[0.0], [1.0]])
    assert read_target(one, kind="labels").kind == "labels"
    assert read_target(one[:, 0], kind="labels").kind == "labels"
    assert read_target(one, kind="outputs").kind == "outputs"
    assert read_target(np.array([[0, 1], [1, 0]]), kind="outputs").kind == "outputs"


@pytest.mark.parametrize(
    ("y", "kind", "match"),
    [
        (np.array([0.0, 0.5]), "auto", "Unknown label type: continuous. .*'y' .*0.5 in row 1"),
        (np.array([0, 0.5], dtype=object), "auto", "Unknown label type: continuous"),
        (np.array([[0.0, 0.5], [1, 2]]), "auto", "Unknown label type: continuous-multioutput"),
        (np.array([0.0, np.inf]), "auto", "Input y contains infinity: column 'y', row 1"),
        (np.array([[0.0, 2.0]]), "labels", "column 'y1' of y holds 2.0 in row 0"),
        ([["u", 1]], "labels", "column 'y0' of y holds 'u' in row 0"),
        (np.array([[0, 1]]), "classes", "y has 2 columns, but classes are a single one"),
        (np.array([0, 1]), "odd", "Unknown kind of target 'odd'; valid kinds are 'auto'"),
        (None, "auto", r"Expected array-like \(array or non-string sequence\), got None"),
        (np.zeros((1, 1, 1)), "auto", "y should be a 1d array"),
        (np.zeros((2, 0)), "auto", "y should be a 1d array"),
        (np.float64(1.0), "auto", "y should be a 1d array"),
        (pd.DataFrame(index=range(2)), "auto", "y should be a series"),
        (np.array([1j]), "auto", "Complex data not supported"),
    ],
)
def test_targets_that_do_not_fit(y: Any, kind: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        read_target(y, kind=kind)


@pytest.mark.parametrize("y", [[None, None], np.full((2, 2), np.nan), np.array([])])
def test_nothing_observed(y: Any) -> None:
    with pytest.raises(ValueError, match="y has no observed label; at least one is needed"):
        read_target(y)


def test_a_later_batch_may_show_nothing() -> None:
    assert read_target([None, None], kind="classes").n_observed == 0
    assert read_target(np.full((2, 3), np.nan), kind="labels").n_observed == 0


def test_sparse_labels_name_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"y\.toarray\(\)"):
        read_target(scipy.sparse.csr_matrix(np.eye(2)))
