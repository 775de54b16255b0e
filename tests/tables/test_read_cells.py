from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from halfseen.tables.read_cells import read_categories, read_cells


def test_every_spelling_of_missing() -> None:
    cells = [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan"), 1]
    column = read_cells([*cells, np.datetime64("NaT")], "c", "X")
    assert column.observed.tolist() == [False] * 7 + [True, False]
    assert column.values.tolist() == [0.0] * 7 + [1.0, 0.0]


def test_numbers_of_every_type() -> None:
    column = read_cells(
        [1, 2.5, np.int8(3), np.float16(4), Decimal("0.5"), Fraction(1, 4)], "c", "X"
    )
    assert column.values.tolist() == [1.0, 2.5, 3.0, 4.0, 0.5, 0.25]
    assert not column.is_text
    assert not column.is_bool


def test_bools_are_told_from_numbers() -> None:
    assert read_cells([True, None, np.False_], "c", "X").is_bool
    assert not read_cells([True, 1], "c", "X").is_bool
    assert not read_cells([None, None], "c", "X").is_bool


def test_one_text_makes_all_categories() -> None:
    column = read_cells([np.str_("a"), np.int64(3), None, np.True_, Decimal("0.5")], "c", "X")
    assert column.is_text
    assert column.values.tolist() == ["a", 3, None, True, 0.5]
    assert [type(value) for value in column.values] == [str, int, type(None), bool, float]


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], b"bytes", object()])
def test_anything_else_names_column_and_row(cell: object) -> None:
    with pytest.raises(TypeError, match=r"'c', row 1 .*argument must be .* string.* number"):
        read_cells([1.0, cell], "c", "X")


def test_complex() -> None:
    with pytest.raises(ValueError, match="Complex data not supported: column 'c', row 1"):
        read_cells([1.0, 2j], "c", "X")


@pytest.mark.parametrize("cells", [[1.0, float("-inf")], ["a", float("inf")]])
def test_infinity(cells: list[object]) -> None:
    with pytest.raises(ValueError, match="infinity: column 'c', row 1"):
        read_cells(cells, "c", "X")


def test_whole_number_beyond_float64() -> None:
    with pytest.raises(ValueError, match=r"'c', row 0 .*too large"):
        read_cells([10**400], "c", "X")


def test_categories_keep_whole_numbers_exactly() -> None:
    assert read_categories([2**60 + 1, None], "c", "y").values[0] == 2**60 + 1
