from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files.cells import mixed
from halfseen.files.distinct_values import MOST_COUNTED, DistinctValues


@given(st.lists(st.lists(st.integers(0, 20), max_size=6), max_size=6))
@settings(max_examples=80, deadline=None)
def test_a_few_are_counted_exactly(pieces: list[list[int]]) -> None:
    distinct = DistinctValues()
    for piece in pieces:
        distinct.add(mixed(np.array(piece, dtype=np.uint64)))
    values = [value for piece in pieces for value in piece]
    assert distinct.count == distinct.estimate == len(set(values))
    assert distinct.all_differ == (len(set(values)) == len(values))


def test_many_are_estimated_and_do_not_depend_on_the_cut() -> None:
    hashes = mixed(np.arange(100_000, dtype=np.uint64))
    estimates = set()
    for size in (1000, 7777, 100_000):
        distinct = DistinctValues()
        for first in range(0, len(hashes), size):
            distinct.add(hashes[first : first + size])
        assert distinct.count is None
        assert distinct.all_differ
        estimates.add(distinct.estimate)
        distinct.add(hashes)
        assert not distinct.all_differ
    assert len(estimates) == 1
    assert abs(estimates.pop() - 100_000) < 100_000 * 4 / MOST_COUNTED**0.5
