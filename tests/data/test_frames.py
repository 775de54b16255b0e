"""Containers: the same out as in, and observed cells exactly as they were."""

import datetime
from decimal import Decimal
from types import SimpleNamespace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute
import pytest
import scipy.sparse

from halfseen.data.frames import align, fill_table, make_table, read_table, read_target
from halfseen.data.schema import learn_schema

BIG = 2**53 + 1
DAYS = [datetime.date(2024, 1, day) for day in (1, 2, 3, 4)]
TEXT = ["red", None, "blue", "red"]
CELLS = {
    "whole": [BIG, None, BIG + 4, BIG + 8], "number": [1.5, None, 2.5, 3.25],
    "flag": [True, None, False, True], "text": TEXT, "day": [DAYS[0], None, *DAYS[2:]],
    "money": [Decimal("2.01"), None, Decimal("3.10"), Decimal("4.00")],
}  # fmt: skip
ARROW = pa.table(
    CELLS | {
        "word": pa.array(TEXT).dictionary_encode(), "large": pa.array(TEXT, pa.large_string()),
        "small": pa.array([1, None, 3, 9], pa.uint8()), "empty": pa.nulls(4),
        "time": pa.array(CELLS["day"]).cast(pa.timestamp("us")),
    }
)  # fmt: skip

RARE = pa.table(
    {
        "whole": CELLS["whole"], "precise": pa.array(CELLS["money"], pa.decimal256(50, 3)),
        "code": pa.array([7, None, 9, 7]).dictionary_encode(),
    }
)  # fmt: skip


def _in_pandas(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


CONTAINERS = {
    "pandas": pd.DataFrame(CELLS, dtype=object),
    "pandas-nullable": pd.DataFrame(CELLS, [3, 1, 4, 15], dtype=object).convert_dtypes().assign(
        word=pd.Categorical(TEXT), code=pd.Categorical([1, None, 2, 1]),
        order=pd.Categorical(TEXT, categories=["red", "mid", "blue"], ordered=True),
        time=pd.to_datetime(CELLS["day"]), sparse=pd.arrays.SparseArray([0, np.nan, 0, 2.0]),
        float=[1.5, np.nan, 2.5, 3.0],
    ),
    "pandas-arrow": _in_pandas(ARROW),
    "polars": pl.DataFrame(CELLS).with_columns(
        word=pl.Series(TEXT, dtype=pl.Categorical), empty=pl.Series([None] * 4),
        enum=pl.Series(TEXT, dtype=pl.Enum(["red", "mid", "blue"])),
        small=pl.Series([1, None, 3, 9], dtype=pl.UInt8),
        wide=pl.Series([2**100, None, 3, 9], dtype=pl.Int128),
    ),
    "pyarrow": ARROW, "pyarrow-rare": RARE, "pandas-rare": _in_pandas(RARE),
    "pyarrow-runs": RARE.append_column("run", pa.compute.run_end_encode(pa.array(TEXT))),
    "pyarrow-views": RARE.append_column("view", pa.array(TEXT, pa.string_view())),
    "narwhals": nw.from_native(pl.DataFrame(CELLS)),
    "chunked": pa.concat_tables([ARROW.slice(0, 2), ARROW.slice(2)]),
}  # fmt: skip


def _to_lists(table):
    if isinstance(table, pd.DataFrame):
        return {name: table[name].astype(object).tolist() for name in table}
    return nw.from_native(table).to_dict(as_series=False)


def _types(table):
    table = table.to_native() if isinstance(table, nw.DataFrame) else table
    return list(table.schema.types if isinstance(table, pa.Table) else table.dtypes)


@pytest.mark.filterwarnings("ignore:Columns pass through")
@pytest.mark.parametrize("given", CONTAINERS.values(), ids=CONTAINERS)
def test_fills_and_samples_come_in_the_container_and_types_of_the_table(given):
    table = read_table(given)
    schema = learn_schema(table)
    is_modelled = [column.type != "ignored" for column in schema.features]
    filled = fill_table(given, schema.decode(schema.encode(table).values), table.observed)
    assert type(filled) is type(given)
    assert _types(filled) == _types(given)
    before, after = _to_lists(given), _to_lists(filled)
    for j, (name, cells) in enumerate(before.items()):
        for row in np.flatnonzero(table.observed[:, j]):
            assert after[name][row] == cells[row]
            assert type(after[name][row]) is type(cells[row])
    assert read_table(filled).observed.all(axis=0).tolist() == is_modelled
    if isinstance(given, pd.DataFrame):
        assert filled.index.equals(given.index)
    assert not read_table(given).observed[1, 0]

    decoded = schema.decode(np.repeat(schema.marginals[np.newaxis], 3, axis=0), round_whole=True)
    made = make_table(decoded, schema.container, table.names, 3)
    native = given.to_native() if isinstance(given, nw.DataFrame) else given
    assert type(made) is type(native)
    assert read_table(made).names == table.names
    assert read_table(made).observed.all(axis=0).tolist() == is_modelled
    assert all(cell == int(cell) for cell in _to_lists(made)["whole"])


def test_arrays_and_lists():
    rows = [[1.5, "red"], [None, "blue"], [2.5, None]]
    table = read_table(rows)
    assert (table.names, table.label(1)) == (None, 1)
    schema = learn_schema(table)
    filled = fill_table(rows, schema.decode(schema.encode(table).values), table.observed)
    assert filled.tolist() == [[1.5, "red"], [2.0, "blue"], [2.5, "blue"]]
    assert rows[1][0] is None
    numbers = np.array([[1.5, np.nan], [2.5, 3.0]], np.float32)
    filled = fill_table(numbers, [None, np.array([7.0, 8.0])], ~np.isnan(numbers))
    assert (filled.dtype, filled.tolist()) == (np.float32, [[1.5, 7.0], [2.5, 3.0]])
    made = make_table([np.array([1.0]), None], table.container, None, 1)
    np.testing.assert_array_equal(made, [[1.0, np.nan]])


def test_samples_of_numpy_types_in_pandas():
    container = read_table(pd.DataFrame({0: [1, 2, 5], 1: [True, False, True]})).container
    made = make_table([np.array([1.6]), np.array([True], object)], container, None, 1)
    assert made.to_dict("list") == {0: [2], 1: [True]}


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        ({"day": DAYS}, "To model dates, convert them to numbers."),
        ({"none": [None] * 4}, r"'none' \(empty\)\.$"),
        ({"day": DAYS, "same": ["x"] * 4}, "set its type: feature_types={'same': 'categorical'}"),
    ],
)
def test_ignored_columns_are_named_with_what_helps(columns, remedy):
    with pytest.warns(UserWarning, match=remedy):
        learn_schema(read_table(pd.DataFrame({"size": [1.5, 2.5, 3.0, 4.5]} | columns)))


@pytest.mark.parametrize("convert", [lambda X: X, _in_pandas])
def test_ordered_dictionaries_of_arrow_keep_their_order(convert):
    codes, words = pa.array([1, None, 0, 1], pa.int8()), pa.array(["low", "high"])
    X = convert(pa.table({"x": pa.DictionaryArray.from_arrays(codes, words, ordered=True)}))
    assert read_table(X).columns[0].levels == ("low", "high")
    filled = fill_table(X, [np.array(["new"] * 4, object)], read_table(X).observed)
    assert _to_lists(filled)["x"] == ["high", "new", "low", "high"]
    assert read_table(filled).columns[0].levels == ("low", "high", "new")


def test_integers_stay_exact_beside_fractions_and_hidden_behind_a_mask():
    table = read_table([[BIG, 0.5], [BIG + 1, 1.5]])
    assert table.columns[0].values.tolist() == [BIG, BIG + 1]
    table = read_table(np.ma.masked_array([[1], [10**9], [3]], [[0], [1], [0]]))
    assert table.columns[0].seen.tolist() == [1, 3]


@pytest.mark.parametrize("garbage", [1e30, np.inf, -7.0])
def test_hidden_values_are_never_read(garbage):
    hidden = np.array([[False], [True], [False], [False]])
    floats = np.array([1.0, garbage, 2.0, 4.0])
    nullable = pd.DataFrame({"x": pd.arrays.FloatingArray(floats.copy(), hidden[:, 0])})
    buffers = [pa.array([True, False, True, True]).buffers()[1], pa.py_buffer(floats)]
    arrow = pa.table({"x": pa.Array.from_buffers(pa.float64(), 4, buffers)})
    expected = learn_schema(read_table([[1.0], [None], [2.0], [4.0]]))
    masked, nulls = np.ma.masked_array(floats[:, np.newaxis], hidden), pl.from_arrow(arrow)
    for X in (masked, nullable, arrow, nulls, _in_pandas(arrow)):
        table = read_table(X)
        schema = learn_schema(table)
        assert schema.features[0].model_copy(update={"name": 0}) == expected.features[0]
        values, observed = schema.encode(table)
        assert observed[:, 0].tolist() == [True, False, True, True]
        assert values[1, 0] == 0.0


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ({"a": [1]}, TypeError, "X is a dict, not a table"), (3, TypeError, "X is a int"),
        ((row for row in [[1]]), TypeError, "X is a generator"), ("a", TypeError, "X is a str"),
        ([{"a": 1}], TypeError, "X is a list of dict, not a table"),
        ([{1}], TypeError, "list of set"), (frozenset([1]), TypeError, "X is a frozenset"),
        ([(i for i in (1, 2))], TypeError, "list of gen"), ({}.keys(), TypeError, "dict_keys"),
        (None, TypeError, "X is a NoneType"), (np.zeros(1, [("a", int)]), TypeError, "structured"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"X is a lazy frame; call X.collect\(\)"),
        (scipy.sparse.csr_array(np.eye(2)), TypeError, r"X is sparse.*X.toarray\(\)"),
        ([1, 2], ValueError, "Expected 2D array, got 1D array"), ([], ValueError, "got 1D array"),
        (pd.Series([1, 2]), ValueError, r"X.to_frame\(\)"), ([[1], [1, 2]], ValueError, "differ"),
        (np.zeros((2, 2, 2)), ValueError, "got 3D array"), ([[]], ValueError, "0 feature"),
        (np.zeros((0, 2)), ValueError, "0 sample"), (pd.DataFrame(index=[1]), ValueError, "0 feat"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "repeat"),
        (pd.DataFrame({"size": [1.0, np.inf]}), ValueError, "'size', row 1"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        read_table(X)


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, lambda cells: _in_pandas(pa.table(cells)),
     lambda cells: nw.from_dict(cells, backend="polars")],
)  # fmt: skip
def test_align_reorders_drops_and_adds_missing_columns(make):
    cells = {"other": [1, 2], "b": ["x", "y"], "a": [2.0, 3.5]}
    X = make(cells)
    with pytest.warns(UserWarning, match="'c' are absent"):
        aligned = align(X, ["a", "b", "c"])
    assert type(aligned) is type(X)
    with pytest.warns(UserWarning, match="'c' are absent"):
        of_model = align(X, SimpleNamespace(feature_names_in_=np.array(["a", "b", "c"])))
    assert read_table(of_model).names == ("a", "b", "c")
    table = read_table(aligned)
    assert table.names == ("a", "b", "c")
    assert table.observed.tolist() == [[True, True, False]] * 2
    trained = read_table(pd.DataFrame({"a": [1.0, 2.5], "b": ["x", "y"], "c": ["u", "v"]}))
    schema = learn_schema(trained)
    filled = fill_table(aligned, schema.decode(schema.encode(table).values), table.observed)
    assert read_table(filled).observed.all()


def test_align_needs_names_that_match():
    with pytest.raises(TypeError, match="column names"):
        align(np.eye(2), ["a"])
    with pytest.raises(ValueError, match="No column of X"):
        align(pd.DataFrame({"a": [1]}), ["b"])


@pytest.mark.parametrize(
    ("y", "type"),
    [(["cat", None, "dog"], "binary"), ([1, 2, 3], "multiclass"), (pl.Series([1.0, 0.0]), "binary"),
     (pd.Series([1, pd.NA, 2], dtype="Int64"), "binary"), ([None, None], "binary"),
     ([[1, 0], [None, 1]], "multilabel-indicator"),
     (np.array([[True, None], [False, True]]), "multilabel-indicator"),
     ([["1", "0"], ["0", "1"]], "multiclass-multioutput"),
     ([[1, 2], [0, 1]], "multiclass-multioutput")],
)  # fmt: skip
def test_type_of_a_target(y, type):
    assert read_target(y).type == type


@pytest.mark.parametrize(
    ("y", "target_type", "message"),
    [
        (None, "auto", "got None"), (["a", 1], "auto", "mixes text and numbers: row 1"),
        ([0.5, 1.5], "auto", "Unknown label type: continuous.*row 0"), (DAYS, "auto", "dates"),
        ([[0.5, 1], [1, 0]], "auto", "continuous-multioutput"), (pl.DataFrame(), "auto", "shape"),
        (np.zeros((2, 2, 2)), "auto", "1d array"), ([0, 1], "regression", "Unknown target_type"),
        ([[0, 1], [2, 0]], "multilabel-indicator", "column 0 of y holds 2"),
        ([[0, 1], [2, 0]], "binary", "has 2 columns"),
    ],
)  # fmt: skip
def test_what_is_no_target_is_refused(y, target_type, message):
    with pytest.raises(ValueError, match=message):
        read_target(y, target_type=target_type)


def test_a_target_has_as_many_rows_as_its_table():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        read_target([0, 1], n_rows=3)
    with pytest.warns(UserWarning, match="column-vector y"):
        assert read_target([[1], [0]], n_rows=2).type == "binary"


def test_filled_targets_keep_their_container():
    decoded, observed = [np.array(["a", "b"], object)], np.array([[True], [False]])
    pandas = fill_table(pd.Series(["a", None], index=[5, 6], name="kind"), decoded, observed)
    assert (pandas.to_dict(), pandas.name) == ({5: "a", 6: "b"}, "kind")
    for given in (pl.Series(["a", None]), pa.array(["a", None]), pa.chunked_array([["a", None]])):
        assert pl.Series(fill_table(given, decoded, observed)).to_list() == ["a", "b"]
    known = pl.Series(["a", "b"])
    assert fill_table(known, decoded, np.ones((2, 1), bool)).to_list() == ["a", "b"]
    frame = fill_table(pd.DataFrame({"k": ["a", None]}), decoded, observed)
    assert frame["k"].tolist() == ["a", "b"]
    assert fill_table([1, None], [np.array([0.0, 0.0])], observed).tolist() == [1, 0]
