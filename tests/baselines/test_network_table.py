"""Tables for networks: no NaN on the device, chunks, minibatches."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from halfseen.baselines import _network_table
from halfseen.baselines._column_scaling import ColumnScaling
from halfseen.baselines._network_table import (
    NetworkOutput,
    NetworkTable,
    completed_in_chunks,
    minibatch_rows,
    network_table,
)


def scaling_of(n_columns: int) -> ColumnScaling:
    return ColumnScaling(np.zeros(n_columns), np.ones(n_columns))


def test_no_nan_reaches_the_device() -> None:
    X = np.array([[1.0, np.nan], [np.nan, np.nan]])
    table = network_table(X, np.array([[np.nan], [1.0]]), scaling_of(2))
    assert all(np.isfinite(np.asarray(part)).all() for part in table)
    assert table.features_observed.tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("n_rows", [1, 4, 5, 9])
def test_chunks_give_every_row_once_and_in_order(
    n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_network_table, "CHUNK", 4)
    X = np.arange(n_rows, dtype=float)[:, None]

    def echo(table: NetworkTable, key: jax.Array) -> NetworkOutput:
        assert len(table.features) == 4
        return NetworkOutput(table.features, table.labels)

    features, scores = completed_in_chunks(echo, X, X % 2, scaling_of(1), jax.random.key(0))
    assert np.array_equal(features, X)
    assert np.array_equal(scores, X % 2)


def test_minibatches_hold_every_row_and_are_all_of_one_size() -> None:
    batches = minibatch_rows(np.random.default_rng(0), 10, 4)
    assert batches.shape == (3, 4)
    assert set(batches.ravel().tolist()) == set(range(10))
    assert sorted(batches.ravel()[:10].tolist()) == list(range(10))
