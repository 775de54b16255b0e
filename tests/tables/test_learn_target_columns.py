from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen.tables import learn_target_columns, read_target


@pytest.mark.parametrize(
    ("y", "categories"),
    [
        (np.array([2.0, np.nan, 0.0, 2.0]), (0.0, 2.0)),
        (np.array([2, 2, 0, 2], dtype=np.int8), (0, 2)),
        (np.array([True, False, True, True]), (False, True)),
        (np.array(["u", "t", "u", "u"]), ("t", "u")),
        (np.array(["u", None, 3, "u"], dtype=object), (3, "u")),
        (pd.Series([5, None, 4, 5], dtype="Int64"), (4, 5)),
    ],
)
def test_categories_are_sorted_and_typed(y: Any, categories: tuple[Any, ...]) -> None:
    target = read_target(y)
    (column,) = learn_target_columns(target)
    assert column.categories == categories
    assert [type(c) for c in column.categories] == [type(c) for c in categories]
    assert column.category_dtype == target.dtypes[0]
    assert column.unit == "softmax"
    n = target.n_observed
    assert column.marginal == (1 / n, (n - 1) / n)


def test_independent_units() -> None:
    (column,) = learn_target_columns(read_target([0, 1, 2]), class_units="independent")
    assert (column.unit, column.n_units) == ("independent", 3)


def test_one_class_is_enough() -> None:
    (column,) = learn_target_columns(read_target([1, None, 1]))
    assert (column.categories, column.marginal) == ((1,), (1.0,))


def test_labels() -> None:
    target = read_target(np.array([[0, 1], [1, np.nan], [1, 1], [1, 0]]))
    first, second = learn_target_columns(target)
    assert (first.kind, first.unit, first.marginal) == ("binary", "bernoulli", (0.75,))
    assert (second.name, second.marginal[0], second.n_observed) == ("y1", pytest.approx(2 / 3), 3)


def test_a_label_never_observed_starts_at_one_half() -> None:
    target = read_target(np.array([[0, np.nan], [1, np.nan]]))
    with pytest.warns(UserWarning, match=r"label\(s\) 'y1' is observed"):
        columns = learn_target_columns(target)
    assert columns[1].marginal == (0.5,)
    assert columns[1].unit == "bernoulli"


def test_outputs() -> None:
    target = read_target(pd.DataFrame({"a": [0, 2], "b": ["u", None]}))
    assert [c.categories for c in learn_target_columns(target)] == [(0, 2), ("u",)]


def test_given_classes_fix_the_categories() -> None:
    (column,) = learn_target_columns(read_target(np.array([1.0, np.nan])), classes=[2, 0, 1])
    assert column.categories == (0, 1, 2)
    assert column.category_dtype == "int64"
    assert column.marginal == (0.0, 1.0, 0.0)


def test_given_classes_without_a_label() -> None:
    target = read_target([None, None], kind="classes")
    (column,) = learn_target_columns(target, classes=["u", "v"])
    assert (column.marginal, column.n_observed) == ((0.5, 0.5), 0)


def test_given_classes_per_output() -> None:
    target = read_target([[0, "u"], [1, None]])
    columns = learn_target_columns(target, classes=[[0, 1, 2], np.array(["u", "v"])])
    assert [c.categories for c in columns] == [(0, 1, 2), ("u", "v")]


@pytest.mark.parametrize(
    ("y", "options", "match"),
    [
        (
            [0, 5],
            {"classes": [0, 1]},
            "'y' of y holds 5, which is not among the given",
        ),
        ([0, 1], {"classes": [0, None]}, "no missing value"),
        ([0, 1], {"classes": []}, "at least one class"),
        ([[0, 2], [1, 1]], {"classes": [[0, 1]]}, "classes has 1 entries, but y has 2 columns"),
        ([["u", None], ["v", None]], {}, "Column 'y1' of y has no observed class"),
        ([0, 1], {"class_units": "odd"}, "Unknown class_units 'odd'"),
    ],
)
def test_what_does_not_fit(y: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        learn_target_columns(read_target(y), **options)


@pytest.mark.parametrize("kind", ["classes", "labels"])
def test_nothing_observed(kind: Any) -> None:
    with pytest.raises(ValueError, match="y has no observed label"):
        learn_target_columns(read_target([None], kind=kind))


def test_large_whole_numbers_stay_apart() -> None:
    (column,) = learn_target_columns(read_target(np.array([2**60 + 1, 2**60])))
    assert column.classes.tolist() == [2**60, 2**60 + 1]
