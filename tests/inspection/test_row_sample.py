"""A sample that is drawn while rows pass by."""

from __future__ import annotations

import numpy as np

from halfseen.inspection.batch import read_batch
from halfseen.inspection.row_sample import RowSample


def drawn(n_rows: int, size: int, keep: int, seed: int) -> list[float]:
    sample = RowSample(keep, seed)
    rows = np.arange(float(n_rows))[:, None]
    for start in range(0, n_rows, size):
        sample.add(read_batch(rows[start : start + size]))
    values: list[float] = sample.rows().columns[0].values.tolist()
    return values


def test_small_tables_are_kept_whole() -> None:
    assert drawn(50, 7, 50, 0) == list(map(float, range(50)))


def test_in_order_without_repeats_and_the_same_in_any_cut() -> None:
    values = drawn(1000, 10, 40, 3)
    assert len(values) == 40
    assert values == sorted(set(values))
    assert values == drawn(1000, 333, 40, 3)
    assert values != drawn(1000, 10, 40, 4)


def test_every_row_has_the_same_chance() -> None:
    counts = np.zeros(40)
    for seed in range(400):
        counts[np.array(drawn(40, 8, 10, seed), dtype=int)] += 1
    # 400 draws with probability 1/4: mean 100, standard deviation 8.7
    assert np.abs(counts - 100).max() < 4.5 * 8.7
    assert counts.sum() == 4000
