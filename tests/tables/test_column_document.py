import json
from dataclasses import replace
from typing import Any

import pytest

from halfseen.tables import Column
from halfseen.tables.column_document import column_from_document, column_to_document

MIXED = Column(
    "mixed",
    "categorical",
    "softmax",
    0.0,
    1.0,
    (0.1, 2, 2**70, "2", "\ud800"),
    "object",
    (0.1, 0.2, 0.3, 0.2, 0.2),
    7,
)
SIZE = Column("size", "numeric", "gaussian", 0.1, 5e-324, (), "float64", (0.0,), 9)
SOLD = Column("sold", "numeric", "gaussian", 2.0, 0.1, (), "float64", (0.0,), 9, "log")


@pytest.mark.parametrize("column", [MIXED, SIZE, SOLD])
def test_round_trip_through_json(column: Column) -> None:
    text = json.dumps(column_to_document(column), allow_nan=False)
    back = column_from_document(json.loads(text))
    assert back == column
    assert [type(c) for c in back.categories] == [type(c) for c in column.categories]


def test_types_of_equal_categories_survive() -> None:
    for categories, dtype in (((False, True), "bool"), ((0, 1), "int64"), ((0.0, 1.0), "float64")):
        column = replace(MIXED, categories=categories, category_dtype=dtype, marginal=(0.5, 0.5))
        back = column_from_document(json.loads(json.dumps(column_to_document(column))))
        assert [type(c) for c in back.categories] == [type(c) for c in categories]


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [
        ("name", 3, "'name' must be text"),
        ("mean", "0", "'mean' must hold numbers"),
        ("mean", True, "'mean' must hold numbers"),
        ("mean", 10**400, "too large"),
        ("scale", None, "'scale' must hold numbers"),
        ("marginal", {"a": 1}, "'marginal' must be a list"),
        ("marginal", [None], "'marginal' must hold numbers"),
        ("n_observed", 1.5, "whole number"),
        ("n_observed", True, "whole number"),
        ("categories", ["u"], "pair of type and value"),
        ("categories", [["int", "u"]], "A category must be"),
        ("categories", [["list", []]], "A category must be"),
        ("categories", [[["str"], "u"]], "A category must be"),
        ("categories", [["float", float("nan")]], "A category must be"),
        ("kind", "odd", "unknown kind"),
        ("transform", None, "'transform' must be text"),
        ("transform", "sqrt", "unknown transform"),
        ("transform", "log", "cannot be on a log scale"),
    ],
)
def test_nonsense_is_refused(field: str, value: Any, match: str) -> None:
    document = {**column_to_document(MIXED), field: value}
    with pytest.raises(ValueError, match=match):
        column_from_document(document)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"name": "a"},
        {**column_to_document(SIZE), "z": 1},
        {k: v for k, v in column_to_document(SIZE).items() if k != "transform"},
    ],
)
def test_other_fields_are_refused(document: Any) -> None:
    with pytest.raises(ValueError, match="exactly the fields name, kind"):
        column_from_document(document)


def test_the_transform_is_always_written() -> None:
    written = [column_to_document(column)["transform"] for column in (MIXED, SIZE, SOLD)]
    assert written == ["linear", "linear", "log"]
