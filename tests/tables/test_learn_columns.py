import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.tables import Column, learn_columns, read_table
from halfseen.tables.learn_columns import learn_categories, mean_and_scale


def kinds_of(X: Any, kinds: Any = "auto") -> list[str]:
    return [column.kind for column in learn_columns(read_table(X), kinds)]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["u", None], "categorical"),
        ([True, None], "binary"),
        ([True, True], "binary"),
        ([0, 1, None], "binary"),
        ([1.0, 0.0], "binary"),
        ([0, 0, None], "numeric"),
        ([1, 1, None], "numeric"),
        ([0, 1, 2], "numeric"),
        ([0.0, 0.5, 1.0], "numeric"),
        (["3", 4], "categorical"),
    ],
)
def test_natural_kinds(cells: list[Any], kind: str) -> None:
    assert kinds_of([[cell] for cell in cells]) == [kind]


def test_frame_categories_are_categorical() -> None:
    frame = pd.DataFrame({"grade": pd.Categorical([3, None, 5])})
    (column,) = learn_columns(read_table(frame))
    assert column.categories == (3, 5)
    assert column.marginal == (0.5, 0.5)
    assert column.n_observed == 2


def test_numeric_column() -> None:
    (column,) = learn_columns(read_table([[1.0], [None], [5.0]]))
    assert (column.mean, column.scale, column.marginal, column.n_observed) == (3.0, 2.0, (0.0,), 2)
    assert (column.unit, column.categories) == ("gaussian", ())


def test_binary_column() -> None:
    (column,) = learn_columns(read_table([[1], [None], [0], [1], [1]]))
    assert (column.mean, column.scale, column.marginal, column.n_observed) == (0.0, 1.0, (0.75,), 4)


def test_empty_columns_warn_once_and_are_named() -> None:
    with pytest.warns(UserWarning, match="'x0', 'x2'; left unfilled") as caught:
        columns = learn_columns(read_table([[None, 1.0, np.nan]]), "binary")
    assert len(caught) == 1
    assert [column.kind for column in columns] == ["empty", "binary", "empty"]
    assert columns[0].n_units == 0


def test_forced_kinds() -> None:
    X = [[0, 0.25, 7], [1, 1.0, 8], [None, None, None]]
    assert kinds_of(X, {"x0": "numeric", 1: "binary", np.int64(2): "categorical"}) == [
        "numeric",
        "binary",
        "categorical",
    ]
    assert kinds_of(X, "categorical") == ["categorical"] * 3
    assert learn_columns(read_table(X), {1: "binary"})[1].marginal == (0.625,)
    assert learn_columns(read_table(X), {2: "categorical"})[2].categories == (7.0, 8.0)


def test_forced_numeric_on_categories_that_are_numbers() -> None:
    frame = pd.DataFrame({"grade": pd.Categorical([3, None, 5])})
    assert learn_columns(read_table(frame), "numeric")[0].mean == 4.0


@pytest.mark.parametrize(
    ("kinds", "match"),
    [
        ("odd", "Unknown kind 'odd' for all columns; valid kinds are 'auto', 'numeric'"),
        ({"x1": "empty"}, "Unknown kind 'empty' for column 'x1'"),
        ({"z": "numeric"}, "Unknown column 'z' in kinds; valid columns are 'x0', 'x1'"),
        ({2: "numeric"}, "Unknown column 2 .* positions 0 to 1"),
        ({-1: "numeric"}, "Unknown column -1"),
        ({True: "numeric"}, "Unknown column True"),
        ({"x1": "binary"}, r"'x1' is binary, but row 2 holds 1\.5"),
        ({"x0": "numeric"}, "'x0' holds numbers, but row 1 is the text 'u'"),
        ({"x0": "binary"}, "'x0' holds numbers, but row 1 is the text 'u'"),
        ({"x0": "log"}, "'x0' holds numbers, but row 1 is the text 'u'"),
        ({"x0": "linear"}, "'x0' holds numbers, but row 1 is the text 'u'"),
    ],
)
def test_kinds_that_do_not_fit(kinds: Any, match: str) -> None:
    table = read_table([[3, None], ["u", 1.0], [None, 1.5]])
    with pytest.raises(ValueError, match=match):
        learn_columns(table, kinds)


@settings(deadline=None)
@given(
    st.lists(st.floats(-100, 100), min_size=2, max_size=20),
    st.sampled_from([1e-320, 1e-300, 1e-150, 1.0, 1e150, 1e300]),
)
def test_mean_and_scale_at_any_scale(values: list[float], factor: float) -> None:
    raw = np.array(values) * factor
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, scale = mean_and_scale(raw)
    assert np.isfinite(mean)
    assert np.isfinite(scale)
    assert scale > 0
    peak = np.abs(raw).max()
    if raw.min() == raw.max():
        assert (mean, scale) == (raw[0], 1.0)
    elif peak > 1e-300 and np.ptp(raw) > 1e-6 * peak:
        exact = raw / peak
        np.testing.assert_allclose(mean / peak, exact.mean(), atol=1e-12)
        np.testing.assert_allclose(scale / peak, exact.std(), rtol=1e-6)


def test_mean_and_scale_of_the_widest_column() -> None:
    limit = np.finfo(np.float64).max
    assert mean_and_scale(np.array([-limit, limit])) == (0.0, limit)


def test_a_constant_column_keeps_its_value() -> None:
    assert mean_and_scale(np.full(1000, 0.1)) == (0.1, 1.0)
    assert mean_and_scale(np.full(3, np.float32(0.1)))[0] == float(np.float32(0.1))


def test_float32_is_summed_in_float64() -> None:
    values = np.full(2_000_001, 16777216.0, dtype=np.float32)
    values[0] = 16777218.0
    assert mean_and_scale(values)[0] == pytest.approx(16777216.0 + 2 / 2_000_001, abs=1e-8)


def test_equal_values_are_one_category() -> None:
    values = np.array([True, 1, 1.0, "1"], dtype=object)
    assert learn_categories(values) == ((1, "1"), (0.75, 0.25))


COUNTS = [0, 1, 1, 2, 0, 3, 1, 0, 2, 1, 1, 0, 400]


def column_of(cells: list[Any], kinds: Any = "auto") -> Column:
    (column,) = learn_columns(read_table([[cell] for cell in cells]), kinds)
    return column


@pytest.mark.parametrize("kinds", ["auto", "numeric", "log", {"x0": "log"}, {0: "numeric"}])
def test_heavy_tailed_counts_are_on_a_log_scale(kinds: Any) -> None:
    column = column_of([None, *COUNTS, None], kinds)
    logs = np.log1p(np.array(COUNTS))
    assert (column.kind, column.unit, column.transform) == ("numeric", "gaussian", "log")
    assert (column.mean, column.scale) == pytest.approx((logs.mean(), logs.std()))
    assert (column.marginal, column.n_observed) == ((0.0,), len(COUNTS))


def test_linear_is_never_log() -> None:
    column = column_of(COUNTS, "linear")
    assert (column.kind, column.transform) == ("numeric", "linear")
    assert (column.mean, column.scale) == pytest.approx((np.mean(COUNTS), np.std(COUNTS)))


@pytest.mark.parametrize(
    "cells", [[*COUNTS, 0.5], [*COUNTS, -1], [count / 100 for count in COUNTS], list(range(30))]
)
def test_other_numbers_stay_linear(cells: list[Any]) -> None:
    assert column_of(cells).transform == "linear"
    assert column_of(cells, "numeric").transform == "linear"


def test_log_takes_any_numbers_not_below_zero() -> None:
    column = column_of([0.5, None, 2.5, 0], "log")
    assert (column.kind, column.transform) == ("numeric", "log")
    assert column.mean == pytest.approx(np.log1p([0.5, 2.5, 0.0]).mean())


def test_float32_logarithms_are_taken_in_float64() -> None:
    values = np.array([[16777216.0], [3.0]], dtype=np.float32)
    (column,) = learn_columns(read_table(values), "log")
    assert column.mean == pytest.approx(np.log1p([16777216.0, 3.0]).mean(), rel=1e-14)


def test_log_of_a_constant_column() -> None:
    column = column_of([7, 7, None], "log")
    assert (column.mean, column.scale) == (np.log1p(7.0), 1.0)


def test_log_refuses_numbers_below_zero() -> None:
    table = read_table([[3, 1.0], [None, None], [0, -2.5], [1, -1.0]])
    with pytest.raises(
        ValueError, match=r"'x1' is to be on a log scale, but row 2 holds -2\.5.*NaN.*'linear'"
    ):
        learn_columns(table, "log")


def test_an_empty_column_stays_empty_on_a_log_scale() -> None:
    with pytest.warns(UserWarning, match="left unfilled"):
        assert column_of([None, None], "log").kind == "empty"


def test_what_is_missing_does_not_decide_the_scale() -> None:
    hidden = pd.arrays.IntegerArray(np.array([-9, *COUNTS]), np.array([True] + [False] * 13))
    (column,) = learn_columns(read_table(pd.DataFrame({"sold": hidden})))
    assert column.transform == "log"


def test_levels_of_an_ordinal_column_are_what_was_observed() -> None:
    column = column_of([3, None, 1, 5, 3], "ordinal")
    assert (column.kind, column.unit, column.transform) == ("numeric", "gaussian", "ordinal")
    assert column.categories == (1.0, 3.0, 5.0)
    assert (column.mean, column.n_observed) == (3.0, 4)


def test_too_many_levels_are_none() -> None:
    with pytest.raises(ValueError, match="'x0' is to be ordinal, but has 300 different values"):
        learn_columns(read_table(np.arange(300.0)[:, None]), "ordinal")
    with pytest.raises(ValueError, match="holds numbers, but row 0 is the text 'low'"):
        learn_columns(read_table([["low"], ["high"]]), "ordinal")
