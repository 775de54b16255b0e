"""The sample that a fit reads: the same for any partitioning, unbiased, with everything rare."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from halfseen.engines.sampling import Sampling, draw, merge, rows_of

N = 20_000


@cache
def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    z = random.normal(size=N)
    frame = pd.DataFrame(
        {
            "z": z,
            "whole": np.round(np.exp(z)),
            "rarely": np.where(np.arange(N) % 2000 == 7, z, np.nan),
            "text": np.where(np.arange(N) == 17, "once", np.where(z > 2, "some", "usual")),
            "y": (random.random(N) < 0.001).astype(float),
        }
    )
    return frame.mask(random.random(frame.shape) < [0.2, 0.2, 0, 0, 0.2])


def sampled(n_parts: int, sampling: Sampling) -> tuple[pd.DataFrame, np.ndarray]:
    cuts = np.linspace(0, N, n_parts + 1).astype(int)
    parts = [draw(table().iloc[a:b], sampling, a) for a, b in pairwise(cuts)]
    while len(parts) > 1:
        parts = [merge(parts[k : k + 3], sampling) for k in range(0, len(parts), 3)]
    return rows_of(parts[0], sampling)


def test_the_sample_does_not_depend_on_partitions() -> None:
    sampling = Sampling(("y",), n_rows=500)
    rows, weight = sampled(1, sampling)
    for n_parts in (2, 11):
        others, other_weight = sampled(n_parts, sampling)
        pd.testing.assert_frame_equal(others, rows)
        np.testing.assert_array_equal(other_weight, weight)


def test_everything_rare_is_kept() -> None:
    whole = table()
    rows, weight = sampled(5, Sampling(("y",), n_rows=500))
    assert len(rows) < 1500
    is_rare = whole.y == 1
    assert (rows.y == 1).sum() == is_rare.sum()
    assert (weight[(rows.y == 1).to_numpy()] == 1).all()
    assert rows.rarely.notna().sum() == whole.rarely.notna().sum()
    assert set(rows.text) == set(whole.text)
    for name in ("z", "whole", "rarely"):
        assert (rows[name].min(), rows[name].max()) == (whole[name].min(), whole[name].max())


def test_weights_bring_back_the_table() -> None:
    whole = table().iloc[:4000]
    totals = []
    for seed in range(20):
        sampling = Sampling(("y",), n_rows=300, seed=seed)
        rows, weight = rows_of(draw(whole, sampling, 0), sampling)
        totals.append([weight.sum(), weight[(rows.z > 1).to_numpy()].sum()])
    mean, error = np.mean(totals, axis=0), np.std(totals, axis=0) / np.sqrt(len(totals))
    assert (np.abs(mean - [len(whole), (whole.z > 1).sum()]) < 4 * error).all()


def test_a_short_table_is_taken_as_it_is() -> None:
    rows, weight = sampled(3, Sampling(("y",), n_rows=N))
    pd.testing.assert_frame_equal(rows, table())
    assert (weight == 1).all()


def test_weights_of_rows_are_kept() -> None:
    weight = np.arange(N) + 1.0
    _, found = rows_of(draw(table(), Sampling(("y",), N), 0, weight), Sampling(("y",), N))
    np.testing.assert_array_equal(found, weight)


def test_a_table_without_rows_is_refused() -> None:
    empty = draw(table().iloc[:0], Sampling(()), 0)
    with pytest.raises(ValueError, match="has no row"):
        rows_of(merge([empty, empty], Sampling(())), Sampling(()))
