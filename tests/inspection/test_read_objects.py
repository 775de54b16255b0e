"""Python objects as cells."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from halfseen.inspection.read_objects import read_objects, read_texts


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, Decimal("nan"), np.nan])
def test_every_spelling_of_missing(missing: object) -> None:
    assert read_objects([1.5, missing]).observed.tolist() == [True, False]
    assert read_objects([missing, missing]).sort == "nothing"


def test_every_number_is_a_number() -> None:
    cells = read_objects([True, 2, 2.5, np.int8(3), Decimal("1.5"), Fraction(1, 4)])
    assert cells.sort == "number"
    assert cells.values.tolist() == [1.0, 2.0, 2.5, 3.0, 1.5, 0.25]
    assert read_objects([True, None]).sort == "bool"


def test_infinite_and_huge_numbers_are_set_apart() -> None:
    cells = read_objects([float("-inf"), 10**400, -(10**400), 1])
    assert cells.infinite.tolist() == [True, True, True, False]
    assert cells.observed.tolist() == [False, False, False, True]


def test_dates_of_all_makes_are_the_same_moment() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    cells = read_objects(
        [
            datetime.datetime(2020, 1, 1, 12),
            pd.Timestamp("2020-01-01 12:00"),
            np.datetime64("2020-01-01T12:00"),
            datetime.datetime(2020, 1, 1, 14, tzinfo=zone),
            None,
        ]
    )
    assert cells.sort == "date"
    assert len(set(cells.values[:4].tolist())) == 1
    assert not cells.observed[4]


def test_what_is_neither_text_nor_number_is_only_counted() -> None:
    cells = read_objects([b"x", None, [1]])
    assert (cells.sort, cells.observed.tolist()) == ("other", [True, False, True])


def test_numbers_among_texts() -> None:
    assert read_texts(["a", 1.0, 0.5, None]).values.tolist() == ["a", "1", "0.5", ""]
