from __future__ import annotations

import numpy as np
import pytest

from halfseen.files import choose_rows as module
from halfseen.files.choose_rows import choose_rows


def test_more_rows_contain_the_fewer() -> None:
    few, many = choose_rows(500, 20, seed=3), choose_rows(500, 90, seed=3)
    assert set(few.tolist()) <= set(many.tolist())
    assert np.all(np.diff(many) > 0)


def test_seeds_differ_and_rows_are_spread_evenly() -> None:
    counts = np.zeros(40)
    for seed in range(400):
        counts[choose_rows(40, 10, seed=seed)] += 1
    # Each row is expected 100 times, with a standard deviation of 8.7.
    assert np.all(np.abs(counts - 100) < 45)


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = choose_rows(1000, 30, seed=-7)
    monkeypatch.setattr(module, "_AT_ONCE", 64)
    assert choose_rows(1000, 30, seed=-7).tolist() == whole.tolist()


def test_none_and_all() -> None:
    assert choose_rows(5, 0, seed=0).tolist() == []
    assert choose_rows(5, 5, seed=0).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="n is -1"):
        choose_rows(5, -1, seed=0)
