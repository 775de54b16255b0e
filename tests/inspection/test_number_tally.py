"""Counting numbers in bounded memory."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection.number_tally import NumberTally


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(-4, 4), min_size=1), max_size=5))
def test_exact_below_the_cap(blocks: list[list[int]]) -> None:
    tally = NumberTally(cap=9)
    for block in blocks:
        tally.add(np.array(block, dtype=float))
    counted = Counter(value for block in blocks for value in block)
    assert tally.most_frequent() == sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    assert tally.n_distinct == len(counted)


def test_numbers_that_hardly_repeat_are_given_up() -> None:
    tally = NumberTally(cap=10)
    tally.add(np.arange(100.0))
    assert (tally.is_capped, tally.repeats, tally.most_frequent()) == (True, False, [])
    tally.add(np.zeros(50))
    assert tally.most_frequent() == []
    assert tally.n_distinct == 10


def test_the_frequent_stay_beyond_the_cap() -> None:
    tally = NumberTally(cap=10)
    for start in range(0, 100, 20):
        tally.add(np.concatenate([np.zeros(200), np.arange(start, start + 20.0)]))
    assert tally.repeats
    assert tally.most_frequent(1) == [(0.0, 1001)]
