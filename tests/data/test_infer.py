"""The rule for the type of a column."""

import datetime

import numpy as np
import pandas as pd
import pytest

from halfseen.data.frames import read_table
from halfseen.data.infer import infer_type, requested_types

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=100)
SKEWED = RNG.lognormal(0, 2, 500)
SHUFFLED = RNG.permutation(1000)[:200]
DAY = datetime.date(2024, 5, 31)


@pytest.mark.parametrize(
    ("values", "name", "type"),
    [
        # Numbers.
        (NORMAL, "x", "numeric"),
        ([5, 5, None], "x", "numeric"),
        ([1, 2, 3], "grade", "numeric"),
        (["1.5", "2", None], "x", "numeric"),
        (RNG.exponential(size=500), "x", "numeric"),
        (RNG.poisson(4, 500), "n", "numeric"),
        (np.append(NORMAL, 1e6), "x", "numeric"),
        (np.append(RNG.uniform(1, 2, 100), 1e30), "x", "numeric"),
        (RNG.beta(0.1, 3, 500), "share", "numeric"),
        # Skewed positives and heavy-tailed counts.
        (SKEWED, "x", "log-numeric"),
        (np.where(np.arange(500) < 30, 0, SKEWED), "x", "log-numeric"),
        (SKEWED - 1, "x", "numeric"),
        (np.floor(RNG.lognormal(2, 1.5, 500)), "visits", "log-numeric"),
        # Two values.
        ([True, None, True], "x", "binary"),
        ([0, 1, None], "x", "binary"),
        ([0.0, 1.0], "x", "binary"),
        ([1, 2], "x", "binary"),
        ([-1, 1], "x", "binary"),
        ([0, 255] * 5, "x", "binary"),
        ([0.25, 0.75] * 5, "x", "binary"),
        ([0, 255], "x", "numeric"),
        ([0] * 99 + [7], "x", "numeric"),
        (["yes", "no"], "x", "binary"),
        # Codes.
        ([1, 2, 6] * 5, "jobCode", "categorical"),
        ([1, 2, 6] * 5, "zip_code", "categorical"),
        ([1, 2, 6] * 5, "encoded", "numeric"),
        (np.arange(25).repeat(2), "code", "numeric"),
        (np.arange(1, 15) / 2, "code", "numeric"),
        # Text.
        (["a", "b", "c"], "x", "categorical"),
        (["007", "12", "007", "9"], "x", "categorical"),
        ([1, "b", 2.5], "x", "categorical"),
    ],
)
def test_type_of_a_column(values, name, type):
    assert tuple(infer_type(values, name)) == (type, None)


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        ([None, np.nan], "x", "empty"),
        ([DAY, None], "x", "date"),
        (np.array(["2024-01-01", "NaT"], "datetime64[D]"), "x", "date"),
        (["2024-05-31", "2024-06-01T10:00:00Z"], "x", "date"),
        (SHUFFLED, "id", "identifier"),
        (SHUFFLED, "customerId", "identifier"),
        ([f"user {i}" for i in range(20)], "x", "identifier"),
        ([f"user {i}" for i in range(10)] * 2, "hostname", "identifier"),
        (["a", "a"], "x", "constant text"),
        ([f"w{i}" for i in range(1500)] * 2, "x", "too many categories"),
    ],
)
def test_columns_that_are_ignored(values, name, reason):
    assert tuple(infer_type(values, name)) == ("ignored", reason)


def test_a_number_is_an_identifier_only_by_its_name():
    assert infer_type(SHUFFLED, "height").type == "numeric"
    assert infer_type(SHUFFLED, "width").type == "numeric"
    assert infer_type(SHUFFLED, 3).type == "numeric"
    assert infer_type(RNG.normal(size=200), "id").type == "numeric"


def test_categorical_types_of_data_frames():
    words = ["low", "high", None, "low"]
    ordered = pd.Categorical(words, categories=["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame(
        {"a": ordered, "b": pd.Categorical(words), "c": pd.Categorical([1, 2] * 2)}
    )
    types = [
        infer_type(column, name).type
        for name, column in zip("abc", read_table(frame).columns, strict=True)
    ]
    assert types == ["ordinal", "categorical", "categorical"]


def test_the_container_does_not_change_the_type():
    cells = {"n": [1.5, 2.5, None], "b": [1, 0, None], "s": ["x", "y", None]}
    rows = np.array(list(cells.values()), object).T
    for table in (pd.DataFrame(cells), pd.DataFrame(cells).convert_dtypes(), rows,
                  pd.DataFrame(cells, dtype=object)):  # fmt: skip
        types = [infer_type(column).type for column in read_table(table).columns]
        assert types == ["numeric", "binary", "binary"]


def test_scale_does_not_change_the_type():
    assert infer_type(NORMAL * 1e-300).type == "numeric"
    assert infer_type(NORMAL * 1e300).type == "numeric"
    assert infer_type(SKEWED * 1e300).type == "log-numeric"


def test_one_word_a_list_or_a_mapping_of_types():
    names = ["a", "b"]
    assert [r.type for r in requested_types("numeric", names, 2)] == ["numeric"] * 2
    assert [r.type for r in requested_types(["auto", "binary"], None, 2)] == ["auto", "binary"]
    assert [r.type for r in requested_types({"b": "ignored"}, names, 2)] == ["auto", "ignored"]
    assert [r.type for r in requested_types({1: "ignored"}, None, 2)] == ["auto", "ignored"]
    asked = requested_types({"a": ("ordinal", ["s", "m"])}, names, 2)[0]
    assert tuple(asked) == ("ordinal", ("s", "m"))


@pytest.mark.parametrize(
    ("feature_types", "message"),
    [
        ("number", "Unknown feature type 'number' for all columns; use one of 'auto', 'numeric'"),
        ({"a": "text"}, "Unknown feature type 'text' for column 'a'"),
        ({"c": "numeric"}, "unknown column 'c'; columns are 'a', 'b'"),
        ({2: "numeric"}, "unknown column 2"),
        (["numeric"], "1 entries for 2 columns"),
        ({"a": ("numeric", [1, 2])}, "Unknown feature type"),
        (7, "not 7"),
    ],
)
def test_wrong_requests_are_refused(feature_types, message):
    with pytest.raises(ValueError, match=message):
        requested_types(feature_types, ["a", "b"], 2)
