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


TYPES = {
    "numeric": [
        (NORMAL, "x"), ([5, 5, None], "x"), ([1, 2, 3], "grade"), (["1.5", "2", None], "x"),
        (RNG.exponential(size=500), "x"), (RNG.poisson(4, 500), "n"), (SKEWED - 1, "x"),
        (np.append(RNG.uniform(1, 2, 100), 1e30), "x"), (RNG.beta(0.1, 3, 500), "share"),
        ([0, 255], "x"), ([0] * 99 + [7], "x"), ([1, 2, 6] * 5, "encoded"),
        (np.arange(25).repeat(2), "code"), (np.arange(1, 15) / 2, "code"),
        (SHUFFLED, "height"), (SHUFFLED, "width"), (SHUFFLED, 3), (NORMAL, "id"),
        (NORMAL * 1e-300, "x"), (NORMAL * 1e300, "x"),
    ],
    "log-numeric": [
        (SKEWED, "x"), (np.where(np.arange(500) < 30, 0, SKEWED), "x"),
        (np.floor(RNG.lognormal(2, 1.5, 500)), "visits"), (SKEWED * 1e300, "x"),
    ],
    "binary": [
        ([True, None, True], "x"), ([0, 1, None], "x"), ([1.0, 2.0], "x"), ([-1, 1], "x"),
        ([0, 255] * 5, "x"), ([0.25, 0.75] * 5, "x"), (["yes", "no"], "x"),
    ],
    "categorical": [
        ([1, 2, 6] * 5, "jobCode"), ([1, 2, 6] * 5, "zip_code"), (["a", "b", "c"], "x"),
        (["007", "12", "007", "9"], "x"), ([1, "b", 2.5], "x"),
    ],
}  # fmt: skip
IGNORED = {
    "empty": [([None, np.nan], "x")],
    "date": [
        ([DAY, None], "x"), (np.array(["2024-01-01", "NaT"], "datetime64[D]"), "x"),
        (["2024-05-31", "2024-06-01T10:00:00Z"], "x"),
    ],
    "identifier": [
        (SHUFFLED, "id"), (SHUFFLED, "customerId"), ([f"user {i}" for i in range(20)], "x"),
        ([f"user {i}" for i in range(10)] * 2, "hostname"),
    ],
    "constant text": [(["a", "a"], "x")],
    "too many categories": [([f"w{i}" for i in range(1500)] * 2, "x")],
}  # fmt: skip


def _flat(cases):
    return [(outcome, case) for outcome, of_outcome in cases.items() for case in of_outcome]


@pytest.mark.parametrize(("type", "case"), _flat(TYPES))
def test_type_of_a_column(type, case):
    assert tuple(infer_type(*case)) == (type, None)


@pytest.mark.parametrize(("reason", "case"), _flat(IGNORED))
def test_columns_that_are_ignored(reason, case):
    assert tuple(infer_type(*case)) == ("ignored", reason)


def test_categorical_types_of_data_frames():
    words = ["low", "high", None, "low"]
    ordered = pd.Categorical(words, categories=["low", "mid", "high"], ordered=True)
    codes = pd.Categorical([1, 2, 1, 2])
    frame = pd.DataFrame({"a": ordered, "b": pd.Categorical(words), "c": codes})
    types = [infer_type(column).type for column in read_table(frame).columns]
    assert types == ["ordinal", "categorical", "categorical"]


def test_the_container_does_not_change_the_type():
    cells = {"n": [1.5, 2.5, None], "b": [1, 0, None], "s": ["x", "y", None]}
    rows = np.array(list(cells.values()), object).T
    for table in (pd.DataFrame(cells), pd.DataFrame(cells).convert_dtypes(), rows,
                  pd.DataFrame(cells, dtype=object)):  # fmt: skip
        types = [infer_type(column).type for column in read_table(table).columns]
        assert types == ["numeric", "binary", "binary"]


@pytest.mark.parametrize(
    ("feature_types", "types"),
    [("numeric", ["numeric"] * 2), (["auto", "binary"], ["auto", "binary"]),
     ({"b": "ignored"}, ["auto", "ignored"]), ({1: "ignored"}, ["auto", "ignored"])],
)  # fmt: skip
def test_one_type_a_list_or_a_mapping(feature_types, types):
    assert [r.type for r in requested_types(feature_types, ["a", "b"], 2)] == types
    asked = requested_types({0: ("ordinal", ["s", "m"]), 1: ("numeric", [0, None])}, None, 2)
    assert [r.type for r in asked] == ["ordinal", "numeric"]
    assert (asked[0].categories, asked[1].bounds) == (("s", "m"), (0, None))


@pytest.mark.parametrize(
    ("feature_types", "message"),
    [
        ("number", "Unknown feature type 'number' for column 'a'; use one of 'auto', 'numeric'"),
        ({"a": "text"}, "Unknown feature type 'text' for column 'a'"), (7, "is 7 for 2 columns"),
        ({"c": "numeric"}, "unknown column 'c'; columns are 'a', 'b'"),
        ({2: "numeric"}, "unknown column 2"), (["numeric"], "for 2 columns"),
        ({"a": ("numeric", [2, 1])}, "Unknown feature type"),
    ],
)  # fmt: skip
def test_wrong_requests_are_refused(feature_types, message):
    with pytest.raises(ValueError, match=message):
        requested_types(feature_types, ["a", "b"], 2)
