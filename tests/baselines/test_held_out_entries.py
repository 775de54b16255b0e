"""Held-out entries: never shown, whole classes, and an error that a column mean scores 2 on."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines import _held_out_entries
from halfseen.baselines._column_scaling import standardising
from halfseen.baselines._held_out_entries import held_out_entries, held_out_error
from halfseen.baselines._network_table import NetworkOutput, NetworkTable, network_table


@pytest.fixture
def table() -> NetworkTable:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 4))
    X[generator.random(X.shape) < 0.3] = np.nan
    Y = (generator.random((60, 3)) < 0.4).astype(float)
    Y[::5] = np.nan
    return network_table(X, Y, standardising(X))


def test_only_observed_entries_of_the_chosen_rows_are_held_out(
    table: NetworkTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_held_out_entries, "VALIDATION_ROWS", 20)
    shown, rows = held_out_entries(np.random.default_rng(1), table, 0.5, False)
    assert len(rows) == 20
    observed, kept = np.asarray(table.features_observed), np.asarray(shown.features_observed)
    assert not (kept & ~observed).any()
    others = np.setdiff1d(np.arange(60), np.asarray(rows))
    assert np.array_equal(kept[others], observed[others])
    assert 0.3 < (observed & ~kept).sum() / observed[np.asarray(rows)].sum() < 0.7


def test_classes_are_held_out_together(table: NetworkTable) -> None:
    shown, _ = held_out_entries(np.random.default_rng(1), table, 0.5, True)
    of_row = np.asarray(shown.labels_observed).sum(axis=1)
    assert set(of_row.tolist()) == {0, 3}


def test_column_means_score_two_and_the_truth_scores_zero(table: NetworkTable) -> None:
    shown, _ = held_out_entries(np.random.default_rng(1), table, 0.5, False)
    truth = NetworkOutput(table.features, table.labels)
    known = table.labels_observed
    mean = (table.labels * known).sum(axis=0) / known.sum(axis=0)
    means = NetworkOutput(
        jnp.zeros_like(table.features), jnp.broadcast_to(mean, table.labels.shape)
    )
    assert float(held_out_error(truth, table, shown)) == 0
    assert float(held_out_error(means, table, shown)) == pytest.approx(2, abs=1e-4)


def test_nothing_held_out_is_no_error(table: NetworkTable) -> None:
    shown, rows = held_out_entries(np.random.default_rng(1), table, 0.0, False)
    assert float(held_out_error(NetworkOutput(table.features + 1, table.labels), table, shown)) == 0
    assert len(rows) == 60
