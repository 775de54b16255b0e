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

from halfseen.tables import read_table
from halfseen.tables.fill_frame import fill_frame

NUMBER = np.array([7.5, 7.5, 7.5])
TEXT = np.array(["w", "w", "w"], dtype=object)


def fill_one(frame: Any, fill: Any) -> Any:
    return fill_frame(frame, read_table(frame), [fill])


@pytest.mark.parametrize(
    ("column", "dtype", "fill", "cell"),
    [
        (pd.Series([1, None, 3], dtype="Int64"), "Float64", NUMBER, 7.5),
        (pd.Series([1, None, 3], dtype="Int8"), "Float64", NUMBER, 7.5),
        (pd.Series([1, None, 3], dtype="Float32"), "Float32", NUMBER, 7.5),
        (pd.Series([1, None, 3], dtype="float64"), "float64", NUMBER, 7.5),
        (pd.Series([1, None, 3], dtype="float32"), "float32", NUMBER + 0.1, np.float32(7.6)),
        (pd.Series([1, None, 3], dtype="int64[pyarrow]"), "double[pyarrow]", NUMBER, 7.5),
        (pd.Series([True, None, False], dtype="boolean"), "boolean", NUMBER / 15, True),
        (
            pd.Series([True, None, False], dtype="bool[pyarrow]"),
            "bool[pyarrow]",
            NUMBER / 16,
            False,
        ),
        (pd.Series([True, None, False], dtype=object), "object", NUMBER / 15, True),
        (pd.Series([1, None, 3], dtype=object), "object", NUMBER, 7.5),
        (pd.Series(["v", None, "w"]), "str", TEXT, "w"),
        (pd.Series(["v", None, "w"], dtype=object), "object", TEXT, "w"),
        (pd.Series(["v", None, 3], dtype=object), "object", TEXT, "w"),
        (pd.Series(["v", None, "w"], dtype="string"), "string", TEXT, "w"),
        (pd.Series(["v", None, "w"], dtype="category"), None, TEXT, "w"),
        (pd.Series([3, None, 4], dtype="category"), None, np.array([3, 4, 4], object), 4),
        (pd.Series(pd.arrays.SparseArray([1.0, np.nan, 3.0])), "float64", NUMBER, 7.5),
    ],
)
def test_pandas(column: Any, dtype: str | None, fill: Any, cell: Any) -> None:
    frame = pd.DataFrame({"c": column}).set_axis(["i", "j", "i"])
    before = frame.copy(deep=True)
    filled = fill_one(frame, fill)
    pd.testing.assert_frame_equal(frame, before)
    assert list(filled.index) == ["i", "j", "i"]
    assert filled["c"].dtype == (column.dtype if dtype is None else dtype)
    assert filled["c"].iloc[1] == cell
    assert filled["c"].iloc[[0, 2]].tolist() == column.iloc[[0, 2]].tolist()


def test_a_category_unknown_to_pandas_is_added() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["u", None, "v"], categories=["v", "u"])})
    filled = fill_one(frame, TEXT)
    assert filled["c"].cat.categories.tolist() == ["v", "u", "w"]
    assert filled["c"].tolist() == ["u", "w", "v"]


@pytest.mark.parametrize(
    ("column", "dtype", "fill", "cell"),
    [
        (pl.Series([1, None, 3]), pl.Float64, NUMBER, 7.5),
        (pl.Series([1, None, 3], dtype=pl.UInt8), pl.Float64, NUMBER, 7.5),
        (pl.Series([1.0, float("nan"), 3.0]), pl.Float64, NUMBER, 7.5),
        (pl.Series([1.0, None, 3.0], dtype=pl.Float32), pl.Float32, NUMBER, 7.5),
        (pl.Series([Decimal(1), None, Decimal(3)]), pl.Float64, NUMBER, 7.5),
        (pl.Series([True, None, False]), pl.Boolean, NUMBER / 15, True),
        (pl.Series(["v", None, "w"]), pl.String, TEXT, "w"),
        (pl.Series(["v", None, "w"], dtype=pl.Categorical), pl.Categorical, TEXT, "w"),
        (pl.Series(["v", None, "w"], dtype=pl.Enum(["w", "v"])), pl.Enum(["w", "v"]), TEXT, "w"),
        (pl.Series(["v", None, "v"], dtype=pl.Enum(["v"])), pl.Enum(["v", "w"]), TEXT, "w"),
    ],
)
def test_polars(column: pl.Series, dtype: Any, fill: Any, cell: Any) -> None:
    frame = pl.DataFrame({"c": column})
    filled = fill_one(frame, fill)
    assert filled["c"].dtype == dtype
    assert filled["c"].to_list() == [column[0], cell, column[2]]
    assert frame["c"].dtype == column.dtype


@pytest.mark.parametrize(
    ("column", "dtype", "fill", "cell"),
    [
        (pa.array([1, None, 3]), pa.float64(), NUMBER, 7.5),
        (pa.array([1.0, None, 3.0], pa.float32()), pa.float32(), NUMBER, 7.5),
        (pa.array([1.0, None, 3.0], pa.float16()), pa.float16(), NUMBER, 7.5),
        (pa.array([1.0, float("nan"), 3.0]), pa.float64(), NUMBER, 7.5),
        (pa.array([True, None, False]), pa.bool_(), NUMBER / 16, False),
        (pa.array(["v", None, "w"]), pa.string(), TEXT, "w"),
        (pa.array(["v", None, "w"], pa.large_string()), pa.large_string(), TEXT, "w"),
        (
            pa.array(["v", None, "w"]).dictionary_encode(),
            pa.dictionary(pa.int32(), pa.string()),
            TEXT,
            "w",
        ),
    ],
)
def test_arrow(column: Any, dtype: Any, fill: Any, cell: Any) -> None:
    table = pa.table({"c": column}).replace_schema_metadata({"note": "kept"})
    filled = fill_one(table, fill)
    assert filled.column("c").type == dtype
    assert filled.column("c").to_pylist() == [column[0].as_py(), cell, column[2].as_py()]
    assert filled.schema.metadata == {b"note": b"kept"}
    assert table.column("c").type == column.type


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_left_alone_keep_type_and_holes(library: Any) -> None:
    frame = library({"a": [1, 2, 3], "b": [1.0, None, 3.0], "c": ["u", None, "v"]})
    filled = fill_frame(frame, read_table(frame), [NUMBER, None, TEXT])
    assert type(filled) is type(frame)
    native = nw.from_native(filled, eager_only=True)
    assert native.columns == ["a", "b", "c"]
    assert native["a"].dtype == nw.Int64
    assert native["b"].is_null().to_list() == [False, True, False]
    assert native["c"].to_list() == ["u", "w", "v"]


def test_a_narwhals_frame_stays_one() -> None:
    frame = nw.from_native(pl.DataFrame({"a": [1.0, None, 3.0]}))
    assert isinstance(fill_one(frame, NUMBER), nw.DataFrame)


def test_column_names_need_not_be_text() -> None:
    frame = pd.DataFrame({0: [1.0, None, 3.0], ("b", 1): [1.0, 2.0, 3.0]})
    filled = fill_frame(frame, read_table(frame), [NUMBER, None])
    assert filled.columns.tolist() == frame.columns.tolist()
    assert filled[0].tolist() == [1.0, 7.5, 3.0]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(-1e300, 1e300)), min_size=1, max_size=8))
def test_observed_cells_keep_every_bit(cells: list[float | None]) -> None:
    holes = [cell is None for cell in cells]
    seen = np.array([cell for cell in cells if cell is not None], dtype=np.float64)
    fill = np.full(len(cells), 0.125)
    for frame in (
        pd.DataFrame({"c": pd.array(cells, dtype="Float64")}),
        pd.DataFrame({"c": np.array(cells, dtype=np.float64)}),
        pl.DataFrame({"c": pl.Series(cells, dtype=pl.Float64)}),
        pa.table({"c": pa.array(cells, pa.float64())}),
    ):
        filled = nw.from_native(fill_one(frame, fill), eager_only=True)["c"].to_numpy()
        assert filled[~np.array(holes)].tobytes() == seen.tobytes()
        assert (filled[np.array(holes)] == 0.125).all()
