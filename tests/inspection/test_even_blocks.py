"""Blocks of one size, whatever comes in."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection.batch import read_batch
from halfseen.inspection.even_blocks import EvenBlocks


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 700), max_size=8))
def test_all_rows_in_their_order_in_even_blocks(sizes: list[int]) -> None:
    blocks = EvenBlocks(n_columns=100_000)
    size = blocks.n_rows_per_block
    assert size == 256
    rows = np.arange(float(sum(sizes)))[:, None]
    found, start = [], 0
    for n in sizes:
        found += blocks.add(read_batch(rows[start : start + n]))
        start += n
    assert all(block.n_rows == size for block in found)
    rest = blocks.rest()
    assert rest is None or 0 < rest.n_rows < size
    found += [rest] if rest else []
    values = [value for block in found for value in block.columns[0].values.tolist()]
    assert values == rows[:, 0].tolist()
    assert sum(block.n_rows for block in found) == len(rows)


def test_narrow_tables_get_long_blocks() -> None:
    assert EvenBlocks(3).n_rows_per_block == 8192
    assert EvenBlocks(1024).n_rows_per_block == 1024
