"""Counting texts in bounded memory."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection.tally import Tally


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("abcdef")))
def test_exact_below_the_cap(letters: list[str]) -> None:
    tally: Tally[str] = Tally(cap=6)
    for letter in letters:
        tally.add([(letter, 1)])
    assert dict(tally.most_frequent()) == Counter(letters)
    assert tally.n_distinct == len(set(letters))
    assert not tally.is_capped


def test_beyond_the_cap_the_frequent_stay() -> None:
    tally: Tally[int] = Tally(cap=10)
    for rare in range(1000):
        tally.add([(-1, 1), (rare, 1)])
    assert tally.is_capped
    assert tally.n_distinct == 10
    assert tally.most_frequent(1) == [(-1, 1000)]
    assert len(tally.most_frequent()) <= 10
