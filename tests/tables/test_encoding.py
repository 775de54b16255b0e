import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen.tables import Column, read_table
from halfseen.tables.encoding import warn_unseen, write_column

SIZE = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
SOLD = Column("sold", "numeric", "gaussian", 0.0, 0.5, (), "float64", (0.0,), 9, "log")
OK = Column("ok", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.5,), 9)
HUE = Column("hue", "categorical", "softmax", 0.0, 1.0, ("u", "v"), "object", (0.5, 0.5), 4)
EMPTY = Column("none", "empty", "none", 0.0, 1.0, (), "float64", (), 0)


def write(column: Column, cells: list[Any]) -> tuple[Any, Any, tuple[str, ...]]:
    units = np.zeros((column.n_units, len(cells)), dtype=np.float32)
    observed = np.zeros(units.shape, dtype=bool)
    raw = read_table([[cell] for cell in cells]).columns[0]
    unseen = write_column(column, raw, units, observed)
    return units.tolist(), observed.tolist(), unseen


def test_every_kind() -> None:
    assert write(SIZE, [14, None]) == ([[2.0, 0.0]], [[True, False]], ())
    assert write(OK, [True, None, 0.25]) == ([[1.0, 0.0, 0.25]], [[True, False, True]], ())
    assert write(EMPTY, [3.0, None]) == ([], [], ())


def test_a_category_never_seen_counts_as_missing() -> None:
    units, observed, unseen = write(HUE, ["v", "new", None, "new", 3])
    assert units == [[0.0] * 5, [1.0, 0.0, 0.0, 0.0, 0.0]]
    assert observed == [[True, False, False, False, False]] * 2
    assert unseen == ("'new'", "3")


def test_text_where_numbers_belong() -> None:
    with pytest.raises(ValueError, match=r"'size' holds numbers, but row 1 is the text 'big'.*NaN"):
        write(SIZE, [3, "big"])


def test_numbers_in_a_categorical_frame_column_are_numbers() -> None:
    units, observed = np.zeros((1, 2), np.float32), np.zeros((1, 2), bool)
    raw = read_table(pd.DataFrame({"size": pd.Categorical([14, None])})).columns[0]
    write_column(SIZE, raw, units, observed)
    assert units.tolist() == [[2.0, 0.0]]


def test_numbers_outside_the_unit_interval_count_as_missing_in_a_binary_column() -> None:
    units, observed = np.zeros((1, 4), np.float32), np.zeros((1, 4), bool)
    raw = read_table([[1], [None], [-0.5], [2]]).columns[0]
    assert write_column(OK, raw, units, observed) == ("-0.5", "2.0")
    assert units.tolist() == [[1.0, 0.0, 0.0, 0.0]]
    assert observed.tolist() == [[True, False, False, False]]


def test_one_warning_names_columns_and_values() -> None:
    many = tuple(str(i) for i in range(7))
    with pytest.warns(
        UserWarning, match="'a': 'new'; column 'b': 0, 1, 2, 3, 4 and 2 more"
    ) as seen:
        warn_unseen([("a", ("'new'",)), ("none", ()), ("b", many)])
    assert len(seen) == 1


def test_no_warning_without_strangers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unseen([("a", ())])


def test_numbers_below_zero_count_as_missing_on_a_log_scale() -> None:
    units, observed, unseen = write(SOLD, [0, None, -1, 3, -2.5, -1])
    assert units == [[0.0, 0.0, 0.0, float(np.float32(2.0 * np.log(4.0))), 0.0, 0.0]]
    assert observed == [[True, False, False, True, False, False]]
    assert unseen == ("-1.0", "-2.5")


def test_numbers_below_zero_are_observed_on_a_linear_scale() -> None:
    assert write(SIZE, [-2, None]) == ([[-6.0, 0.0]], [[True, False]], ())


def test_the_warning_tells_of_log_scales() -> None:
    with pytest.warns(UserWarning, match="below 0 in a column on a log scale.*'sold': -1.0"):
        warn_unseen([("sold", ("-1.0",))])
