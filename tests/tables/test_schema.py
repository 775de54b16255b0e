import json
import pickle
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halfseen.tables import (
    Schema,
    fill_table,
    learn_columns,
    learn_target_columns,
    read_table,
    read_target,
)

ROWS: list[list[Any]] = [
    ["u", 0, 1.0, None, 10.0, True],
    ["v", 1, 3.0, None, None, False],
    [None, None, 2.0, None, 30.0, None],
]


def schema_of(X: Any, y: Any = None, units: Any = "softmax", kind: Any = "auto") -> Schema:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        features = learn_columns(read_table(X))
        if y is None:
            return Schema(features, (), None)
        target = read_target(y, kind)
        return Schema(features, learn_target_columns(target, units), target.kind)


def test_three_blocks_features_before_targets() -> None:
    schema = schema_of(ROWS, [0, 2, 5])
    assert (schema.n_gaussian, schema.n_bernoulli, schema.group_sizes) == (2, 2, (2, 3))
    assert schema.n_visible == 9
    slices = [schema.feature_units(j) for j in range(6)]
    assert slices[:3] == [slice(4, 6), slice(2, 3), slice(0, 1)]
    assert slices[3].stop == slices[3].start
    assert slices[4:] == [slice(1, 2), slice(3, 4)]
    assert schema.target_units(0) == slice(6, 9)
    assert schema.column_of_unit.tolist() == [2, 4, 1, 5, 0, 0, 6, 6, 6]
    assert schema.is_target_unit.tolist() == [False] * 6 + [True] * 3
    third = 1 / 3
    assert schema.marginals.tolist() == [0.0, 0.0, 0.5, 0.5, 0.5, 0.5, third, third, third]


def test_independent_classes_follow_the_binary_features() -> None:
    schema = schema_of(ROWS, [0, 2, 5], "independent")
    assert (schema.n_gaussian, schema.n_bernoulli, schema.group_sizes) == (2, 5, (2,))
    assert schema.target_units(0) == slice(4, 7)
    assert schema.feature_units(0) == slice(7, 9)
    encoded = schema.encode(None, read_target([5, None, 0]))
    assert encoded.visible[:, 4:7].tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_labels_are_bernoulli_units() -> None:
    schema = schema_of(ROWS, [[0, 1], [1, None], [None, 0]])
    assert (schema.n_bernoulli, schema.group_sizes) == (4, (2,))
    encoded = schema.encode(None, read_target([[0, 1], [1, None], [None, 0]]))
    assert encoded.visible[:, 4:6].tolist() == [[0, 1], [1, 0], [0, 0]]
    assert encoded.observed[:, 4:6].tolist() == [[True, True], [True, False], [False, True]]
    assert schema.target_units(1) == slice(5, 6)


def test_columns_out_of_range() -> None:
    schema = schema_of(ROWS, [0, 2, 5])
    with pytest.raises(IndexError):
        schema.feature_units(6)
    with pytest.raises(IndexError):
        schema.target_units(1)


def test_encode_by_hand() -> None:
    schema = schema_of(ROWS, ["no", "yes", "no"])
    encoded = schema.encode(read_table(ROWS), read_target(["no", None, "yes"]))
    z = np.sqrt(1.5).astype(np.float32)
    expected = [
        [-z, -1, 0, 1, 1, 0, 1, 0],
        [z, 0, 1, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0, 0, 0, 1],
    ]
    seen = [
        [1, 1, 1, 1, 1, 1, 1, 1],
        [1, 0, 1, 1, 1, 1, 0, 0],
        [1, 1, 0, 0, 0, 0, 1, 1],
    ]
    np.testing.assert_allclose(encoded.visible, expected, rtol=1e-6)
    np.testing.assert_array_equal(encoded.observed, np.array(seen, bool))
    assert encoded.visible.dtype == np.float32
    assert encoded.visible.flags.c_contiguous


def test_a_part_left_out_is_unobserved() -> None:
    schema = schema_of(ROWS, ["no", "yes", "no"])
    only_x = schema.encode(read_table(ROWS), None)
    assert not only_x.observed[:, schema.is_target_unit].any()
    assert only_x.observed[:, ~schema.is_target_unit].any()
    only_y = schema.encode(None, read_target(["no", "yes", None]))
    assert not only_y.observed[:, ~schema.is_target_unit].any()
    assert only_y.observed[:, schema.is_target_unit].tolist() == [[True] * 2] * 2 + [[False] * 2]


def test_strangers_warn_once_for_features_and_target() -> None:
    schema = schema_of([["u"], ["v"]], ["no", "yes"])
    with pytest.warns(UserWarning, match="'x0': 'new'; column 'y': 'maybe'") as caught:
        encoded = schema.encode(read_table([["new"], ["u"]]), read_target(["yes", "maybe"]))
    assert len(caught) == 1
    assert encoded.observed.tolist() == [[False, False, True, True], [True, True, False, False]]


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        (None, None, "Nothing to encode"),
        ([[1.0]] * 2, [0], r"inconsistent numbers of samples: \[2, 1\]"),
        ([[1.0, 2.0]], None, r"X has 2 features, but \w+ is expecting 1 features as input"),
        (None, [[0, 1]], "y holds labels, but classes were learned"),
        ([["big"]], None, "'x0' holds numbers, but row 0 is the text 'big'"),
    ],
)
def test_what_does_not_match(X: Any, y: Any, match: str) -> None:
    schema = schema_of([[1.0], [2.0]], [0, 1])
    table = None if X is None else read_table(X)
    target = None if y is None else read_target(y)
    with pytest.raises(ValueError, match=match):
        schema.encode(table, target)


def test_number_of_target_columns() -> None:
    schema = schema_of([[1.0], [2.0]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="y has 3 columns, but 2 were learned"):
        schema.encode(None, read_target([[0, 1, 1]]))


cells = {
    "numeric": st.one_of(st.none(), st.floats(-1e6, 1e6)),
    "binary": st.one_of(st.none(), st.booleans()),
    "categorical": st.one_of(st.none(), st.sampled_from(["u", "v", "w"]), st.integers(0, 2)),
}


@st.composite
def tables(draw: st.DrawFn) -> Any:
    n = draw(st.integers(1, 7))
    kinds = draw(st.lists(st.sampled_from(list(cells)), min_size=1, max_size=4))
    columns = [draw(st.lists(cells[kind], min_size=n, max_size=n)) for kind in kinds]
    X = np.empty((n, len(kinds)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = column
    return X


@st.composite
def targets(draw: st.DrawFn, n: int) -> Any:
    known = draw(st.sampled_from([["a", "b", "c"], [3, 1], [True, False], [1.0, 2.0]]))
    y = draw(st.lists(st.one_of(st.none(), st.sampled_from(known)), min_size=n, max_size=n))
    if all(label is None for label in y):
        y[0] = known[0]
    return np.array(y, dtype=object)


few = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@few
@given(st.data())
def test_decoding_gives_back_what_was_observed(data: st.DataObject) -> None:
    X = data.draw(tables())
    y = data.draw(targets(len(X)))
    units = data.draw(st.sampled_from(["softmax", "independent"]))
    schema = schema_of(X, y, units)
    table, target = read_table(X), read_target(y)
    encoded = schema.encode(table, target)
    assert not encoded.visible[~encoded.observed].any()
    for j, values in enumerate(schema.feature_values(encoded.visible)):
        raw, column = table.columns[j], schema.features[j]
        if values is None:
            assert raw.n_observed == 0
        elif column.kind == "numeric":
            seen = raw.values[raw.observed]
            scale = np.abs(seen - column.mean).max() + column.scale
            np.testing.assert_allclose(values[raw.observed], seen, rtol=1e-12, atol=1e-6 * scale)
        else:
            assert values[raw.observed].tolist() == raw.values[raw.observed].tolist()
    (probabilities,) = schema.target_probabilities(encoded.visible)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    observed = target.columns[0].observed
    best = schema.targets[0].classes[probabilities.argmax(axis=1)]
    assert best[observed].tolist() == y[observed].tolist()
    np.testing.assert_allclose(probabilities[~observed], 1 / schema.targets[0].n_units)


@few
@given(st.data())
def test_permuting_rows_permutes_everything(data: st.DataObject) -> None:
    X = data.draw(tables())
    y = data.draw(targets(len(X)))
    order = data.draw(st.permutations(range(len(X))))
    schema = schema_of(X, y)
    plain = schema.encode(read_table(X), read_target(y))
    permuted = schema.encode(read_table(X[order]), read_target(y[order]))
    np.testing.assert_array_equal(permuted.visible, plain.visible[order])
    np.testing.assert_array_equal(permuted.observed, plain.observed[order])


@few
@given(st.data())
def test_filling_changes_holes_alone(data: st.DataObject) -> None:
    X = data.draw(tables())
    schema = schema_of(X)
    mean = np.full((len(X), schema.n_visible), 0.5, dtype=np.float32)
    filled = fill_table(X, schema.feature_values(mean))
    for row, j in np.ndindex(X.shape):
        if X[row, j] is not None:
            assert filled[row, j] is X[row, j]
        else:
            assert (filled[row, j] is None) == (schema.features[j].kind == "empty")


@few
@given(st.data())
def test_document_round_trip(data: st.DataObject) -> None:
    X = data.draw(tables())
    y = data.draw(st.one_of(st.none(), targets(len(X))))
    schema = schema_of(X, y, data.draw(st.sampled_from(["softmax", "independent"])))
    back = Schema.from_document(json.loads(json.dumps(schema.to_document(), allow_nan=False)))
    assert back == schema
    assert repr(back) == repr(schema)


@few
@given(st.lists(st.booleans(), min_size=2, max_size=8), st.integers(0, 2**32 - 1))
def test_what_is_behind_a_mask_changes_nothing(hidden: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.array(hidden)
    n = len(mask)
    numbers, flags = rng.integers(-9, 9, n), rng.integers(0, 2, n) > 0

    def frame(garbage: Any, flag_garbage: Any) -> pd.DataFrame:
        a = pd.arrays.IntegerArray(np.where(mask, garbage, numbers), mask.copy())
        b = pd.arrays.BooleanArray(np.where(mask, flag_garbage, flags), mask.copy())
        return pd.DataFrame({"a": a, "b": b})

    one = frame(rng.integers(-(2**62), 2**62, n), rng.integers(0, 2, n) > 0)
    two = frame(rng.integers(-(2**62), 2**62, n), rng.integers(0, 2, n) > 0)
    schema = schema_of(one)
    assert schema == schema_of(two)
    first, second = (schema.encode(read_table(f), None) for f in (one, two))
    np.testing.assert_array_equal(first.visible, second.visible)
    np.testing.assert_array_equal(first.observed, second.observed)
    fills = schema.feature_values(first.visible)
    pd.testing.assert_frame_equal(fill_table(one, fills), fill_table(two, fills))


def test_target_probabilities() -> None:
    X = [[1.0], [2.0]]
    labels = schema_of(X, [[0, 1], [1, 0]])
    mean = np.array([[0.0, 0.25, 1.5]], dtype=np.float32)
    assert [p.tolist() for p in labels.target_probabilities(mean)] == [[0.25], [1.0]]
    classes = schema_of(X, ["a", "b"], "independent")
    mean = np.array([[0.0, 0.1, 0.3], [0.0, 0.0, 0.0], [0.0, -1.0, 0.5]])
    (probabilities,) = classes.target_probabilities(mean)
    np.testing.assert_allclose(probabilities, [[0.25, 0.75], [0.5, 0.5], [0.0, 1.0]])


def test_sampled_features_are_numbers_without_text() -> None:
    schema = schema_of([[10.0, 0, None], [30.0, 1, None]])
    sampled = schema.sampled_features(np.array([[1.0, 1.0], [-1.0, 0.0]]))
    assert sampled.dtype == np.float64
    assert sampled[:, :2].tolist() == [[30.0, 1.0], [10.0, 0.0]]
    assert np.isnan(sampled[:, 2]).all()


def test_sampled_features_with_text_are_objects() -> None:
    schema = schema_of([["u", None, 2.0], ["v", None, 4.0]])
    sampled = schema.sampled_features(np.array([[1.0, 0.0, 1.0]]))
    assert sampled.tolist() == [["v", None, 4.0]]


def test_sampled_categories_that_are_numbers_are_numbers() -> None:
    columns = learn_columns(read_table([[7], [9]]), "categorical")
    sampled = Schema(columns, (), None).sampled_features(np.array([[0.0, 1.0]]))
    assert sampled.dtype == np.float64
    assert sampled.tolist() == [[9.0]]


def test_log_scale_counts_observed_gaussian_units() -> None:
    schema = schema_of([[10.0, 1.0, "u"], [30.0, 2.0, "v"]])
    observed = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 1, 1]], dtype=bool)
    expected = [np.log(10.0) + np.log(0.5), np.log(10.0), 0.0]
    visible = np.full(observed.shape, 7.0, dtype=np.float32)
    np.testing.assert_allclose(schema.log_scale(visible, observed), expected)
    words = schema_of([["u"], ["v"]])
    assert words.log_scale(visible[:, 2:], observed[:, 2:]).tolist() == [0.0, 0.0, 0.0]


COUNTED = [["u", 0, 1.5], ["v", 12, None], ["u", 150, 4.0], [None, 3, -2.0], ["v", None, None]]


def counted_schema() -> Schema:
    return Schema(learn_columns(read_table(COUNTED), {"x1": "log"}), (), None)


def test_log_scale_adds_one_plus_the_value_on_a_log_scale() -> None:
    schema = counted_schema()
    expected = [
        np.log([schema.features[1].scale, 1.0 + 0.0, schema.features[2].scale]).sum(),
        np.log([schema.features[1].scale, 1.0 + 12.0]).sum(),
        np.log([schema.features[1].scale, 1.0 + 150.0, schema.features[2].scale]).sum(),
        np.log([schema.features[1].scale, 1.0 + 3.0, schema.features[2].scale]).sum(),
        0.0,
    ]
    encoded = schema.encode(read_table(COUNTED), None)
    np.testing.assert_allclose(schema.log_scale(*encoded), expected, rtol=1e-6)


@few
@given(st.floats(0.05, 4.0), st.floats(-4.0, 4.0))
def test_log_scale_is_the_numerical_jacobian(log_unit: float, linear_unit: float) -> None:
    schema, step = counted_schema(), 1e-5
    assert schema.n_gaussian == 2
    at = np.array([[log_unit, linear_unit, 1.0, 0.0]])
    log_volume = 0.0
    for unit, feature in ((0, 1), (1, 2)):
        moved = np.repeat(at, 2, axis=0)
        moved[:, unit] += [-step, step]
        values = schema.feature_values(moved)[feature]
        assert values is not None
        log_volume += np.log((values[1] - values[0]) / (2.0 * step))
    np.testing.assert_allclose(schema.log_scale(at, np.ones((1, 4), bool)), log_volume, atol=1e-6)


def test_a_density_in_raw_units_has_mass_one() -> None:
    column = replace(counted_schema().features[1], mean=8.0, scale=0.5)
    schema = Schema((column,), (), None)
    edges = np.expm1(np.linspace(4.0, 12.0, 2001))
    middles = (edges[1:] + edges[:-1]) / 2.0
    visible, observed = schema.encode(read_table(middles[:, None]), None)
    log_normal = -0.5 * np.square(visible[:, 0]) - 0.5 * np.log(2.0 * np.pi)
    density = np.exp(log_normal - schema.log_scale(visible, observed))
    assert density @ np.diff(edges) == pytest.approx(1.0, abs=1e-4)


def test_a_log_column_through_a_schema() -> None:
    schema = counted_schema()
    visible, observed = schema.encode(read_table(COUNTED), None)
    assert observed[:, 0].tolist() == [True, True, True, True, False]
    values = schema.feature_values(visible)[1]
    assert values is not None
    np.testing.assert_allclose(values[:4], [0.0, 12.0, 150.0, 3.0], rtol=1e-5, atol=1e-6)
    back = Schema.from_document(json.loads(json.dumps(schema.to_document(), allow_nan=False)))
    assert back == schema
    assert [column.transform for column in back.features] == ["linear", "log", "linear"]


def test_numbers_below_zero_warn_and_count_as_missing_on_a_log_scale() -> None:
    with pytest.warns(UserWarning, match=r"below 0 in a column on a log scale.*'x1': -4\.0\."):
        encoded = counted_schema().encode(read_table([["u", -4, -4.0]]), None)
    assert encoded.observed.tolist() == [[False, True, True, True]]
    assert encoded.visible[0, 0] == 0.0


def test_printing_a_schema_shows_features_and_targets() -> None:
    columns = learn_columns(read_table(COUNTED), {"x1": "log"})
    target = learn_target_columns(read_target(["a", "b", None, "c", "a"]))
    schema = Schema(columns, target, "classes")
    assert [line.split() for line in str(schema).splitlines()] == [
        ["name", "kind", "units", "transform", "n_observed"],
        ["x0", "categorical", "2", "softmax", "-", "4"],
        ["x1", "numeric", "1", "gaussian", "log", "4"],
        ["x2", "numeric", "1", "gaussian", "linear", "3"],
        [target[0].name, "categorical", "3", "softmax", "-", "4"],
    ]
    assert repr(schema).startswith("Schema(features=(Column(")


def test_a_schema_pickles() -> None:
    schema = schema_of(ROWS, [0, 2, 5])
    assert schema.marginals.size
    assert pickle.loads(pickle.dumps(schema)) == schema


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"target_kind": "odd"}, "Unknown kind of target 'odd'"),
        ({"target_kind": None}, "exactly when it has target columns"),
        ({"targets": []}, "exactly when it has target columns"),
        ({"target_kind": "labels"}, "have units bernoulli"),
        ({"features": None}, "must be lists"),
        ({"target_kind": 3}, "must be text or null"),
        ({"extra": 3}, "exactly the fields"),
        ({"features": [3]}, "A column document"),
    ],
)
def test_nonsense_documents(change: dict[str, Any], match: str) -> None:
    document = {**schema_of(ROWS, [0, 2, 5]).to_document(), **change}
    with pytest.raises(ValueError, match=match):
        Schema.from_document(document)


def test_nonsense_schemas() -> None:
    schema = schema_of(ROWS, [0, 2, 5])
    with pytest.raises(ValueError, match="a single target column"):
        replace(schema, targets=schema.targets * 2)
    independent = replace(schema.targets[0], unit="independent")
    with pytest.raises(ValueError, match="belong to a target"):
        replace(schema, features=(independent,))
