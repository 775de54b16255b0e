"""Schema: visible units of a table and its target."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from halfseen.data.frames import read_table, read_target
from halfseen.data.schema import Schema, learn_schema

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "colour": ["red", "blue", None, "green"],
        "size": [1.5, None, 2.5, 4.0],
        "old": [True, False, True, None],
        "weight": [70, 80, None, 95],
        "name": ["a", "a", None, "a"],
    }
)
Y = ["yes", None, "no", "maybe"]


@pytest.fixture
def schema():
    with pytest.warns(UserWarning, match=r"'name' \(constant text\)"):
        return learn_schema(read_table(X), read_target(Y))


def test_units_are_ordered_by_kind_and_then_by_column(schema):
    assert (schema.n_gaussian, schema.n_bernoulli, schema.group_sizes) == (2, 1, (3, 3))
    assert schema.n_units == 9
    slices = [schema.units_of(j) for j in range(len(schema.columns))]
    positions = [list(range(9))[units] for units in slices]
    assert positions == [[3, 4, 5], [0], [2], [1], [], [6, 7, 8]]
    assert schema.unit_column.tolist() == [1, 3, 2, 0, 0, 0, 5, 5, 5]
    assert schema.feature_units.tolist() == [0, 1, 2, 3, 4, 5]
    assert schema.target_units.tolist() == [6, 7, 8]


def test_marginals_are_the_means_of_observed_units(schema):
    values, observed = schema.encode(read_table(X), read_target(Y))
    means = values.sum(axis=0) / observed.sum(axis=0)
    assert schema.marginals.dtype == np.float32
    np.testing.assert_allclose(schema.marginals, means, atol=1e-6)


def test_encoded_arrays(schema):
    values, observed = schema.encode(read_table(X), read_target(Y))
    assert (values.dtype, observed.dtype) == (np.float32, bool)
    assert values.flags.c_contiguous
    assert observed.flags.c_contiguous
    assert not values[~observed].any()
    assert observed[:, 6:].any(axis=1).tolist() == [True, False, True, True]
    features_only = schema.encode(read_table(X))
    assert not features_only.observed[:, 6:].any()
    np.testing.assert_array_equal(features_only.values[:, :6], values[:, :6])


def test_decoding_reverses_encoding(schema):
    values = schema.encode(read_table(X), read_target(Y)).values
    decoded = schema.decode(values)
    assert decoded[4] is None
    for j, name in enumerate(list(X)[:4]):
        known = read_table(X).columns[j].observed
        again = decoded[j][known].tolist()
        assert again == (X[name][known].tolist() if j in (0, 2) else pytest.approx(X[name][known]))
    known = np.array([True, False, True, True])
    targets = schema.decode(values, "targets")[0]
    assert targets[known].tolist() == ["yes", "no", "maybe"]
    assert schema.targets[0].categories == ("maybe", "no", "yes")
    np.testing.assert_array_equal(schema.probabilities(values, 0)[0], [0, 0, 1])
    whole = schema.decode(np.full((1, 9), 0.1), round_whole=True)[3]
    assert whole % 1 == 0


def test_json_round_trip(schema):
    document = schema.model_dump(mode="json")
    text = json.dumps(document)
    assert Schema.model_validate_json(text) == schema
    assert Schema.from_document(json.loads(text)) == schema
    table = read_table([[2**60 + 1, 1.0, 0, True], [2, 2.5, 1, False]])
    types = {0: "categorical", 1: "categorical", 2: "categorical", 3: "binary"}
    learned = learn_schema(table, feature_types=types)
    again = Schema.from_document(learned.model_dump(mode="json"))
    kinds = [[type(category) for category in column.categories] for column in again.features]
    assert kinds == [[int, int], [float, float], [int, int], [bool, bool]]
    assert again == learned


@pytest.mark.parametrize(
    "change",
    [{"features": []}, {"targets": []}, {"target_type": None}, {"has_feature_names": False},
     {"container": {"kind": "numpy", "dtypes": []}}, {"extra": 1}, {"target_type": "continuous"}],
)  # fmt: skip
def test_a_forged_document_is_refused(schema, change):
    with pytest.raises(ValidationError):
        Schema.from_document(schema.model_dump(mode="json") | change)


def test_another_number_of_columns_is_refused(schema):
    with pytest.raises(ValueError, match="X has 1 features, but Schema is expecting 5 features"):
        schema.encode(read_table(X[["size"]]))
    with pytest.raises(ValueError, match="y has 2 columns instead of 1"):
        schema.encode(read_table(X), read_target([[0, 1]] * 4))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        schema.encode(read_table(X), read_target(["yes", "no"]))


@pytest.mark.parametrize(
    ("y", "categories"),
    [
        ([1.0, 2.0, np.nan, 3.0], (1.0, 2.0, 3.0)),
        ([1, 2, None, 1], (1, 2)),
        ([True, None, False, True], (False, True)),
        (["b", None, "a", "b"], ("a", "b")),
        (np.array([5, 3, 4, 5], np.uint8), (3, 4, 5)),
        (pd.Series([2, None, 1, 2], dtype="Int64"), (1, 2)),
    ],
)
def test_classes_keep_the_type_of_the_target(y, categories):
    schema = learn_schema(read_table(np.eye(4)), read_target(y))
    found = schema.targets[0].categories
    assert found == categories
    assert list(map(type, found)) == list(map(type, categories))
    assert schema.targets[0].type == ("binary" if len(categories) == 2 else "categorical")


@pytest.mark.parametrize("kind", [float, int, bool])
def test_labels_are_0_and_1_even_if_one_was_never_seen(kind):
    y = np.array([[1, 0], [0, 0], [1, 0]]).astype(kind)
    with pytest.warns(UserWarning, match="Column 1 of y has one class"):
        schema = learn_schema(read_table(RNG.normal(size=(3, 2))), read_target(y))
    for column in schema.targets:
        assert column.categories == (0, 1)
        assert {type(category) for category in column.categories} == {kind}
    assert schema.marginals[-1] == 0.0


def test_a_label_without_known_entries_has_the_categories_of_the_others():
    y = [[1, None], [0, None], [None, None]]
    with pytest.warns(UserWarning, match="Column 1 of y has no known entry"):
        schema = learn_schema(read_table(RNG.normal(size=(3, 2))), read_target(y))
    assert [type(category) for category in schema.targets[1].categories] == [int, int]


def test_target_types_by_request():
    table = read_table(RNG.normal(size=(4, 2)))
    group = learn_schema(table, read_target([0, 1, 1, 0]), target_type="multiclass")
    assert group.group_sizes == (2,)
    target = read_target(["a", "b", "c", "a"])
    assert learn_schema(table, target).group_sizes == (3,)
    units = learn_schema(table, target, one_unit_per_class=True)
    assert (units.n_gaussian, units.n_bernoulli, units.group_sizes) == (2, 3, ())
    outputs = learn_schema(table, read_target([[1, "a"], [2, "b"], [3, "a"], [1, None]]))
    assert outputs.target_type == "multiclass-multioutput"
    assert [column.type for column in outputs.targets] == ["categorical", "binary"]
    with pytest.raises(ValueError, match="3 classes, but target_type is 'binary'"):
        learn_schema(table, read_target([0, 1, 2, 0]), target_type="binary")
    with pytest.raises(ValueError, match="y has no known entry"):
        learn_schema(table, read_target([None] * 4))
    with pytest.raises(ValueError, match="Column 1 of y has no known entry"):
        learn_schema(table, read_target([[1, None], [2, None], [3, None], [1, None]]))


@pytest.mark.parametrize("y", [[1, 1, None, 1], ["a"] * 4, [True, None, True, True]])
def test_a_target_of_one_class_is_refused(y):
    with pytest.raises(ValueError, match="one class"):
        learn_schema(read_table(np.eye(4)), read_target(y))


def test_a_target_of_many_classes_is_named():
    y = pd.Series(np.arange(30), name="age")
    with pytest.warns(UserWarning, match="'age' of y has 30 classes among 30 known entries"):
        learn_schema(read_table(RNG.normal(size=(30, 1))), read_target(y))


def test_ignored_columns_are_named_once():
    table = read_table(
        pd.DataFrame(
            {
                "id": [f"u{i}" for i in range(20)], "when": pd.to_datetime(["2024-01-01"] * 20),
                "empty": [None] * 20, "same": ["x"] * 20, "age": np.arange(20) / 3,
            }
        )
    )  # fmt: skip
    with pytest.warns(UserWarning, match="not modelled") as caught:
        schema = learn_schema(table)
    assert len(caught) == 1
    message = str(caught[0].message)
    for name, reason in (("id", "identifier"), ("when", "date"), ("same", "constant text")):
        assert f"{name!r} ({reason})" in message
    assert "feature_types={'id': 'categorical'}" in message
    assert "'empty' (empty)" in message
    assert [column.type for column in schema.features] == ["ignored"] * 4 + ["numeric"]
    types = {name: "ignored" for name in ("id", "when", "empty", "same")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learn_schema(table, feature_types=types)
    asked = learn_schema(table, feature_types=types | {"id": "categorical"})
    assert asked.group_sizes == (20,)


def test_a_table_without_a_column_to_model_is_refused():
    with pytest.raises(ValueError, match=r"No column of X can be modelled: 0 \(constant text\)"):
        learn_schema(read_table([["a"], ["a"]]))
    with pytest.raises(ValueError, match="No column of X"):
        learn_schema(read_table(np.eye(2)), feature_types="ignored")


def test_outliers_of_all_columns_are_named_in_one_warning():
    numbers = RNG.normal(size=(200, 2))
    numbers[3, 0], numbers[9, 1] = 1e6, -1e30
    with pytest.warns(UserWarning, match="outliers") as caught:
        schema = learn_schema(read_table(numbers))
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "column 0, row 3: 1000000.0; column 1, row 9: -1e+30" in message
    assert all(0.8 < column.scale < 1.2 for column in schema.features)


def test_binary_by_request():
    grey = np.array([[0.0, 0.0, 0.25], [1.0, 0.0, 1.0]])
    schema = learn_schema(read_table(grey), feature_types="binary")
    assert schema.n_bernoulli == 3
    encoded = schema.encode(read_table(np.array([[0.5, 0.5, 0.5]])))
    np.testing.assert_array_equal(encoded.values, [[0.5, 0.5, 0.5]])
    constant = learn_schema(read_table(np.array([[0, 1], [0, 0]])), feature_types="binary")
    assert constant.features[0].categories == (0, 1)
    assert constant.encode(read_table([[1, 1]])).values.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_the_type_of_an_array_does_not_change_its_units(dtype):
    whole = RNG.integers(0, 200, (30, 4))
    expected = learn_schema(read_table(whole)).encode(read_table(whole))
    table = read_table(whole.astype(dtype))
    np.testing.assert_allclose(learn_schema(table).encode(table).values, expected.values, rtol=1e-6)
