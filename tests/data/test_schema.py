"""Schema: visible units of a table and its target."""

import json

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from halfseen.data.frames import read_table, read_target
from halfseen.data.schema import Schema, learn_schema
from halfseen.rbm.units import VisibleLayer, layer_of

RNG = np.random.default_rng(0)
NUMBERS = read_table(RNG.normal(size=(4, 2)))
X = pd.DataFrame(
    {
        "colour": ["red", "blue", None, "green"], "size": [1.5, None, 2.5, 4.0],
        "old": [True, False, True, None], "weight": [70, 80, None, 95],
        "name": ["a", "a", None, "a"],
    }
)  # fmt: skip
Y = ["yes", None, "no", "maybe"]


@pytest.fixture
def schema():
    with pytest.warns(UserWarning, match=r"'name' \(constant text\)"):
        return learn_schema(read_table(X), read_target(Y))


def test_units_are_ordered_by_kind_and_then_by_column(schema):
    assert layer_of(schema) == VisibleLayer(2, 1, (3, 3))
    assert schema.n_units == 9
    positions = [list(range(9))[schema.units_of(j)] for j in range(len(schema.columns))]
    assert positions == [[3, 4, 5], [0], [2], [1], [], [6, 7, 8]]
    assert schema.unit_column.tolist() == [1, 3, 2, 0, 0, 0, 5, 5, 5]
    assert schema.target_units.tolist() == [6, 7, 8]


def test_encoded_arrays(schema):
    values, observed = schema.encode(read_table(X), read_target(Y))
    assert (values.dtype, observed.dtype) == (np.float32, bool)
    assert all(array.flags.c_contiguous for array in (values, observed))
    assert not values[~observed].any()
    assert observed[:, 6:].any(axis=1).tolist() == [True, False, True, True]
    features_only = schema.encode(read_table(X))
    assert not features_only.observed[:, 6:].any()
    np.testing.assert_array_equal(features_only.values[:, :6], values[:, :6])
    assert schema.marginals.dtype == np.float32
    means = values.sum(axis=0) / observed.sum(axis=0)
    np.testing.assert_allclose(schema.marginals, means, atol=1e-6)


def test_decoding_reverses_encoding(schema):
    values = schema.encode(read_table(X), read_target(Y)).values
    decoded = schema.decode(values)
    assert decoded[4] is None
    assert decoded[0][[0, 1, 3]].tolist() == ["red", "blue", "green"]
    assert decoded[1][[0, 2, 3]].tolist() == pytest.approx([1.5, 2.5, 4.0])
    assert schema.decode(values, "targets")[0][[0, 2, 3]].tolist() == ["yes", "no", "maybe"]
    assert schema.targets[0].categories == ("maybe", "no", "yes")
    np.testing.assert_array_equal(schema.probabilities(values, 0)[0], [0, 0, 1])
    assert schema.decode(np.full((1, 9), 0.1), round_whole=True)[3] % 1 == 0


def test_json_round_trip(schema):
    assert Schema.model_validate_json(schema.model_dump_json()) == schema
    table = read_table([[2**60 + 1, 1.0, 0, True], [2, 2.5, 1, False]])
    types = ["categorical"] * 3 + ["binary"]
    learned = learn_schema(table, feature_types=types)
    again = Schema.model_validate_json(learned.model_dump_json())
    kinds = [[type(category) for category in column.categories] for column in again.features]
    assert kinds == [[int, int], [float, float], [int, int], [bool, bool]]
    assert again == learned


@pytest.mark.parametrize(
    "change",
    [{"features": []}, {"targets": []}, {"target_type": None},
     {"container": {"kind": "numpy", "dtypes": []}}, {"extra": 1}, {"target_type": "continuous"}],
)  # fmt: skip
def test_a_forged_document_is_refused(schema, change):
    with pytest.raises(ValidationError):
        Schema.model_validate_json(json.dumps(schema.model_dump(mode="json") | change))


@pytest.mark.parametrize(
    ("table", "y", "message"),
    [(NUMBERS, None, "X has 2 columns instead of 5"), (read_table(X), [[0, 1]] * 4, "y has 2 col")],
)  # fmt: skip
def test_another_number_of_columns_is_refused(schema, table, y, message):
    with pytest.raises(ValueError, match=message):
        schema.encode(table, y and read_target(y))


@pytest.mark.parametrize(
    ("y", "categories"),
    [([1.0, 2.0, np.nan, 3.0], (1.0, 2.0, 3.0)), ([1, 2, None, 1], (1, 2)),
     ([True, None, False, True], (False, True)), (["b", None, "a", "b"], ("a", "b")),
     (np.array([5, 3, 4, 5], np.uint8), (3, 4, 5)),
     (pd.Series([2, None, 1, 2], dtype="Int64"), (1, 2))],
)  # fmt: skip
def test_classes_keep_the_type_of_the_target(y, categories):
    schema = learn_schema(NUMBERS, read_target(y))
    assert repr(schema.targets[0].categories) == repr(categories)
    assert schema.targets[0].type == ("binary" if len(categories) == 2 else "categorical")


@pytest.mark.parametrize("kind", [float, int, bool])
def test_labels_are_0_and_1_even_if_one_was_never_seen(kind):
    y = np.array([[1, 0, None], [0, 0, None], [1, 0, None], [1, 0, None]])
    y[:, :2] = y[:, :2].astype(kind)
    with pytest.warns(UserWarning, match="of y has") as caught:
        schema = learn_schema(NUMBERS, read_target(y))
    shown = " ".join(str(warning.message) for warning in caught)
    assert "Column 1 of y has one class" in shown
    assert "Column 2 of y has no known entry" in shown
    assert [repr(column.categories) for column in schema.targets] == [repr((kind(0), kind(1)))] * 3
    assert schema.marginals[-2] == 0.0


def test_target_types_by_request():
    group = learn_schema(NUMBERS, read_target([0, 1, 1, 0]), target_type="multiclass")
    assert layer_of(group).group_sizes == (2,)
    target = read_target(["a", "b", "c", "a"])
    assert layer_of(learn_schema(NUMBERS, target)).group_sizes == (3,)
    units = learn_schema(NUMBERS, target, one_unit_per_class=True)
    assert layer_of(units) == VisibleLayer(2, 3, ())
    outputs = learn_schema(NUMBERS, read_target([[1, "a"], [2, "b"], [3, "a"], [1, None]]))
    assert outputs.target_type == "multiclass-multioutput"
    assert [column.type for column in outputs.targets] == ["categorical", "binary"]


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [([1, 1, None, 1], {}, "one class"), (["a"] * 4, {}, "one class"),
     ([True] * 4, {}, "one class"), ([None] * 4, {}, "y has no known entry"),
     ([[1, None], [2, None], [3, None], [1, None]], {}, "Column 1 of y has no known entry"),
     ([0, 1, 2, 0], {"target_type": "binary"}, "3 classes, but target_type is 'binary'"),
     (["a", "b", "c", None], {"classes": ["a", "b"]}, "holds 'c', which is not among its categor"),
     ([1] * 4, {"classes": [1]}, "one class"), ([None] * 4, {"classes": []}, "no known entry"),
     ([0, 1, 0, 1], {"classes": 3}, "y has 1 columns; give classes"),
     ([[1, 2]] * 4, {"classes": [1, 2]}, "y has 2 columns; give classes")],
)  # fmt: skip
def test_targets_and_classes_that_do_not_fit_are_refused(y, options, message):
    with pytest.raises(ValueError, match=message):
        learn_schema(NUMBERS, read_target(y), **options)


@pytest.mark.parametrize(
    ("y", "classes", "categories"),
    [(["b"] * 4, np.array(["c", "a", "b"]), ("a", "b", "c")), ([None] * 4, [3, 1], (1, 3)),
     ([0, 1, 0, 1], [0, 1, 2], (0, 1, 2)), ([1.0, np.nan, 2.0, 1.0], [2.0, 1.0], (1.0, 2.0)),
     ([True] * 4, [False, True], (False, True)), ([2, 1, 2, 1], pd.Series([1, 2, 3]), (1, 2, 3))],
)  # fmt: skip
def test_given_classes_are_those_of_the_target(y, classes, categories):
    schema = learn_schema(NUMBERS, read_target(y), classes=classes)
    assert schema.targets[0].categories == categories
    assert schema.target_type == ("binary" if len(categories) == 2 else "multiclass")
    assert schema.encode(NUMBERS, read_target(y)).observed[:, 2:].any() == (y[0] is not None)


def test_given_classes_of_several_outputs():
    y = read_target([[1, 0], [0, 0], [None, 0], [1, 1]])
    schema = learn_schema(NUMBERS, y, classes=[None, [2, 0, 1]])
    assert schema.target_type == "multiclass-multioutput"
    assert [column.categories for column in schema.targets] == [(0, 1), (0, 1, 2)]
    labels = learn_schema(NUMBERS, y)
    assert labels == learn_schema(NUMBERS, y, classes=[0, 1])
    options = {"target_type": "multilabel-indicator", "classes": [[7], None]}
    assert labels == learn_schema(NUMBERS, y, **options)


def test_a_target_of_numbers_is_refused_and_one_of_many_classes_is_named():
    table, y = read_table(RNG.normal(size=(30, 1))), pd.Series(np.arange(30), name="age")
    problem = "'age' of y has 30 classes among 30 known entries"
    with pytest.raises(ValueError, match=f"{problem}. If it is a number, bin it"):
        learn_schema(table, read_target(y))
    with pytest.warns(UserWarning, match=problem):
        learn_schema(table, read_target(y), target_type="multiclass")
    with pytest.warns(UserWarning, match=problem):
        learn_schema(table, read_target("n" + y.astype(str)))


def test_ignored_columns_are_named_once():
    frame = pd.DataFrame(
        {
            "id": [f"u{i}" for i in range(20)], "when": pd.to_datetime(["2024-01-01"] * 20),
            "empty": [None] * 20, "same": ["x"] * 20, "age": np.arange(20) / 3,
        }
    )  # fmt: skip
    shown = r"'id' \(identifier\), 'when' \(date\), 'empty' \(empty\), 'same' \(constant text\)"
    with pytest.warns(UserWarning, match=f"{shown}.*feature_types={{'id': 'cat") as caught:
        schema = learn_schema(read_table(frame))
    assert len(caught) == 1
    assert [column.type for column in schema.features] == ["ignored"] * 4 + ["numeric"]
    types = {name: "ignored" for name in ("id", "when", "empty", "same")}
    learn_schema(read_table(frame), feature_types=types)  # warns of nothing
    asked = learn_schema(read_table(frame), feature_types=types | {"id": "categorical"})
    assert layer_of(asked).group_sizes == (20,)


@pytest.mark.parametrize(
    ("rows", "types", "message"),
    [([["a"], ["a"]], "auto", r": 0 \(constant text\)"), (np.eye(2), "ignored", "Choose a type")],
)
def test_a_table_without_a_column_to_model_is_refused(rows, types, message):
    with pytest.raises(ValueError, match=f"No column of X can be modelled.*{message}"):
        learn_schema(read_table(rows), feature_types=types)


def test_outliers_of_all_columns_are_named_in_one_warning():
    numbers = RNG.normal(size=(200, 2))
    numbers[3, 0], numbers[9, 1] = 1e6, -1e30
    shown = r"column 0, row 3: 1000000.0; column 1, row 9: -1e\+30"
    with pytest.warns(UserWarning, match=f"outliers.*{shown}") as caught:
        schema = learn_schema(read_table(numbers))
    assert len(caught) == 1
    assert all(0.8 < column.scale < 1.2 for column in schema.features)


def test_binary_by_request():
    grey = np.array([[0.0, 0.0, 0.25], [1.0, 0.0, 1.0]])
    schema = learn_schema(read_table(grey), feature_types="binary")
    assert schema.encode(read_table(np.full((1, 3), 0.5))).values.tolist() == [[0.5, 0.5, 0.5]]
    constant = learn_schema(read_table(np.array([[0, 1], [0, 0]])), feature_types="binary")
    assert constant.features[0].categories == (0, 1)
    assert constant.encode(read_table([[1, 1]])).values.tolist() == [[1.0, 1.0]]
