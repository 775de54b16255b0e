"""The history as an array, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.estimators.history_table import history_from_table, history_to_table
from halfseen.learning.history import EpochRecord, History

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LOSS = st.one_of(st.none(), FINITE)


@given(st.lists(st.tuples(FINITE, FINITE, FINITE, FINITE, LOSS, LOSS, LOSS, st.booleans())))
def test_comes_back(rows: list[tuple[Any, ...]]) -> None:
    records = [EpochRecord(epoch, *row) for epoch, row in enumerate(rows)]
    again = history_from_table(history_to_table(History(records)))
    assert again == records
    for record in again:
        assert type(record.epoch) is int
        assert type(record.rolled_back) is bool


def test_nothing_comes_back() -> None:
    table = history_to_table(History())
    assert table.shape == (0, 9)
    assert history_from_table(table) == []


@pytest.mark.parametrize(
    ("column", "value"),
    [(0, 7.0), (0, np.nan), (1, np.nan), (2, np.inf), (5, np.inf), (8, 0.5), (8, np.nan)],
)
def test_nonsense_is_refused(column: int, value: float) -> None:
    table = history_to_table(History([EpochRecord(0, 0.5, 0.25, 1.0, 2.0)]))
    table[0, column] = value
    with pytest.raises(ValueError, match="history"):
        history_from_table(table)


@pytest.mark.parametrize(
    "table", [np.zeros(9), np.zeros((1, 8)), np.zeros((1, 9), np.float32), np.zeros((1, 1, 9))]
)
def test_other_shapes_and_types_are_refused(table: Any) -> None:
    with pytest.raises(ValueError, match="history must be"):
        history_from_table(table)
