"""Rows in random order, those of very long tables too."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.learning import shuffled_rows as module
from halfseen.learning.shuffled_rows import shuffled_rows


def drawn(seed: int, n_rows: int) -> np.ndarray:
    return shuffled_rows(np.random.default_rng(seed), n_rows)


@pytest.fixture
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MANY_ROWS", 1000)
    monkeypatch.setattr(module, "_ROWS_OF_A_CHUNK", 8)
    monkeypatch.setattr(module, "_ROWS_OF_A_POOL", 4000)


@pytest.mark.parametrize("n_rows", [0, 1, 999, 1000, 4003, 4799])
@pytest.mark.usefixtures("small_pools")
def test_every_row_comes_once_and_the_seed_decides_the_order(n_rows: int) -> None:
    rows = drawn(0, n_rows)
    assert rows.dtype == np.int32
    np.testing.assert_array_equal(np.sort(rows), np.arange(n_rows))
    np.testing.assert_array_equal(rows, drawn(0, n_rows))
    assert n_rows < 2 or not np.array_equal(rows, drawn(1, n_rows))


@pytest.mark.usefixtures("small_pools")
def test_rows_of_a_sorted_table_are_mixed() -> None:
    """Of a table sorted by class, every hundred rows hold both classes as often as by chance."""
    n_rows = 8000
    share = np.mean(drawn(3, n_rows).reshape(-1, 100) >= n_rows // 2, axis=1)
    assert share.min() > 0.3
    assert share.max() < 0.7
    neighbours = np.abs(np.diff(drawn(3, n_rows).astype(int)))
    assert np.mean(neighbours == 1) < 0.02


def test_a_short_table_is_put_into_order_as_a_whole() -> None:
    expected = np.random.default_rng(5).permutation(777)
    np.testing.assert_array_equal(drawn(5, 777), expected)
