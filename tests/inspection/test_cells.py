"""Cells of several sorts, one after the other."""

from __future__ import annotations

import datetime

import pytest

from halfseen.inspection.cells import Sort, common_sort, joined, number_text
from halfseen.inspection.read_objects import read_objects


@pytest.mark.parametrize(
    ("sorts", "expected"),
    [
        ([], "nothing"),
        (["nothing", "bool"], "bool"),
        (["bool", "number"], "number"),
        (["number", "text", "bool"], "text"),
        (["date", "nothing"], "date"),
        (["date", "text"], "other"),
        (["other", "number"], "other"),
    ],
)
def test_common_sort(sorts: list[Sort], expected: str) -> None:
    assert common_sort(sorts) == expected
    assert common_sort(sorts[::-1]) == expected


def test_joined_numbers_become_texts_beside_a_text() -> None:
    parts = [read_objects([1, None]), read_objects(["a", None]), read_objects([2.5])]
    cells = joined(parts)
    assert cells.sort == "text"
    assert cells.values.tolist() == ["1", "", "a", "", "2.5"]
    assert cells.observed.tolist() == [True, False, True, False, True]


def test_joined_in_any_cut_is_the_same() -> None:
    objects = [1, None, "a", 2.5, True, "b"]
    whole = read_objects(objects)
    for cut in range(1, len(objects)):
        parts = joined([read_objects(objects[:cut]), read_objects(objects[cut:])])
        assert parts.values.tolist() == whole.values.tolist()
        assert parts.observed.tolist() == whole.observed.tolist()


def test_dates_beside_numbers_are_other_and_still_observed() -> None:
    cells = joined([read_objects([datetime.date(2020, 1, 1)]), read_objects([3])])
    assert (cells.sort, cells.observed.tolist()) == ("other", [True, True])


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-3.0, "-3"), (0.1, "0.1"), (1e300, "1e+300"), (1e16, "1e+16")]
)
def test_number_text_gives_the_number_back(value: float, text: str) -> None:
    assert number_text(value) == text
    assert float(text) == value
