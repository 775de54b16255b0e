"""One column, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection.column_accumulator import MOST_DISTINCT, ColumnAccumulator
from halfseen.inspection.column_summary import CategoryCount, ColumnSummary
from halfseen.inspection.read_objects import read_objects


def summed_up(*blocks: list[Any]) -> ColumnSummary:
    column = ColumnAccumulator("c")
    for block in blocks:
        column.add(read_objects(block))
    cells = read_objects([cell for block in blocks for cell in block])
    numbers = cells.observed_values if cells.sort in ("number", "bool") else np.zeros(0)
    return column.summary("feature", numbers)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6, width=32) | st.none(), min_size=1), min_size=1, max_size=4
    )
)
def test_moments_over_blocks_are_those_of_the_whole(blocks: list[list[float | None]]) -> None:
    summary = summed_up(*blocks)
    seen = np.array([cell for block in blocks for cell in block if cell is not None])
    assert summary.n_rows == sum(map(len, blocks))
    assert summary.n_observed == len(seen)
    if not len(seen):
        assert (summary.kind, summary.numbers) == ("empty", None)
        return
    assert summary.numbers is not None
    spread = float(np.abs(seen).max()) + 1e-12
    assert summary.numbers.mean == pytest.approx(seen.mean(), abs=1e-12 * spread)
    assert summary.numbers.sd == pytest.approx(seen.std(), abs=1e-6 * spread)
    assert summary.numbers.minimum == seen.min()
    assert summary.numbers.maximum == seen.max()
    assert summary.numbers.quartiles == pytest.approx(np.quantile(seen, [0.25, 0.5, 0.75]))
    assert sum(summary.numbers.histogram) == (len(seen) if seen.min() < seen.max() else 1)
    assert summary.n_distinct == len(set(seen.tolist()))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([0, 1, None], "binary"),
        ([0, 0], "numeric"),
        ([0, 1, 2], "numeric"),
        ([True, True], "binary"),
        (["a", None], "categorical"),
        ([None], "empty"),
        ([np.datetime64("2020-01-01")], "date"),
        ([[1]], "other"),
    ],
)
def test_kinds(cells: list[Any], kind: str) -> None:
    assert summed_up(cells).kind == kind


def test_top_values() -> None:
    assert summed_up(["b", "a"], ["c", "b"]).top[:2] == (
        CategoryCount("b", 2),
        CategoryCount("a", 1),
    )
    assert summed_up([2.5, 1.0, 2.5]).top[0] == CategoryCount("2.5", 2)
    assert summed_up([True, False, True]).top[0] == CategoryCount("True", 2)
    assert summed_up([1.0, 2.0, 3.5]).top == ()


def test_numbers_that_turn_out_to_be_texts() -> None:
    summary = summed_up([1, 2, 1], ["a", "1", 2.0])
    assert summary.kind == "categorical"
    assert summary.numbers is None
    assert summary.top == (CategoryCount("1", 3), CategoryCount("2", 2), CategoryCount("a", 1))
    assert summary.n_distinct == 3


def test_dates_have_ends() -> None:
    summary = summed_up([np.datetime64("2020-05-01"), None, np.datetime64("2021-01-02T03:04:05")])
    assert (summary.earliest, summary.latest) == ("2020-05-01", "2021-01-02T03:04:05")
    assert summary.top == ()


def test_more_values_than_are_counted() -> None:
    column = ColumnAccumulator("c")
    values = np.arange(MOST_DISTINCT + 5000.0)
    column.add(read_objects(values.tolist()))
    summary = column.summary("feature", values)
    assert (summary.n_distinct, summary.is_n_distinct_capped) == (MOST_DISTINCT, True)


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_no_scale_overflows(scale: float) -> None:
    numbers = summed_up([-scale, scale], [scale, scale]).numbers
    assert numbers is not None
    assert numbers.mean == pytest.approx(0.5 * scale)
    assert np.isfinite(numbers.sd)
    assert sum(numbers.histogram) == 4


def test_digest_and_rising() -> None:
    def fed(*blocks: list[Any]) -> ColumnAccumulator:
        column = ColumnAccumulator("c")
        for block in blocks:
            column.add(read_objects(block))
        return column

    assert fed([1, None, 3]).digest == fed([1, None, 3]).digest
    assert fed([1, None, 3]).digest != fed([1, 3, None]).digest
    assert fed(["a"]).digest != fed(["b"]).digest
    assert fed([1, None, 3], [4]).is_rising
    assert not fed([1, 3], [3]).is_rising
    assert not fed(["a", "b"]).is_rising
    assert fed([1.0, float("inf")]).n_infinite == 1
