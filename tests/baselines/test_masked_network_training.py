"""The masked network: what it reads, what it is asked for, when it stops."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._masked_network_training import (
    Numbers,
    hidden_again,
    masked_losses,
    network_input,
)
from halfseen.baselines._network_table import NetworkTable

NUMBERS = Numbers(1e-3, 0.0, 0.0, 0.5, 1.0, 1.0)


def drawn_table(n_rows: int = 200) -> NetworkTable:
    generator = np.random.default_rng(0)
    return NetworkTable(
        jnp.asarray(generator.normal(size=(n_rows, 4)).astype(np.float32)),
        jnp.asarray(generator.random((n_rows, 4)) < 0.6),
        jnp.asarray(np.eye(3, dtype=np.float32)[generator.integers(3, size=n_rows)]),
        jnp.asarray(np.repeat(generator.random((n_rows, 1)) < 0.6, 3, axis=1)),
    )


def test_what_is_not_observed_is_not_read() -> None:
    table = drawn_table()
    other = table._replace(
        features=jnp.where(table.features_observed, table.features, 99.0),
        labels=jnp.where(table.labels_observed, table.labels, 1.0),
    )
    assert np.array_equal(network_input(table), network_input(other))
    assert network_input(table).shape == (200, 14)


def test_unknown_zero_and_one_are_three_different_inputs() -> None:
    row = NetworkTable(
        jnp.zeros((3, 1)),
        jnp.zeros((3, 1), bool),
        jnp.array([[0.0], [0.0], [1.0]]),
        jnp.array([[False], [True], [True]]),
    )
    assert network_input(row)[:, 2:].tolist() == [[0, 0], [-1, 1], [1, 1]]


@pytest.mark.parametrize("classes", [False, True])
def test_only_observed_entries_are_hidden_and_all_hidden_ones_are_asked_for(classes: bool) -> None:
    table = drawn_table()
    uniform = jnp.asarray(np.random.default_rng(1).random((200, 9)).astype(np.float32))
    shown, asked_x, asked_y = hidden_again(table, uniform, NUMBERS, classes)
    assert np.array_equal(shown.features_observed | asked_x, table.features_observed)
    assert not (shown.features_observed & asked_x).any()
    assert np.array_equal(shown.labels_observed | asked_y, table.labels_observed)
    share = float(asked_x.sum() / table.features_observed.sum())
    assert share == pytest.approx(0.25, abs=0.06)  # rates U(0, 0.5)
    assert float(asked_y.sum() / table.labels_observed.sum()) == pytest.approx(0.5, abs=0.12)
    together = set(np.asarray(asked_y).sum(axis=1).tolist()) == {0, 3}
    assert together == classes


def test_losses_are_those_of_a_loop() -> None:
    table = drawn_table(20)
    generator = np.random.default_rng(2)
    output = generator.normal(size=(20, 7)).astype(np.float32)
    asked_x = np.asarray(table.features_observed) & (generator.random((20, 4)) < 0.5)
    asked_y = np.asarray(table.labels_observed) & (generator.random((20, 1)) < 0.5)
    squared, log_loss = masked_losses(jnp.asarray(output), table, asked_x, asked_y, False)
    truth, labels = np.asarray(table.features), np.asarray(table.labels)
    assert float(squared) == pytest.approx(np.mean((output[:, :4] - truth)[asked_x] ** 2), rel=1e-5)
    p = 1 / (1 + np.exp(-output[:, 4:]))
    entropy = -(labels * np.log(p) + (1 - labels) * np.log(1 - p))
    assert float(log_loss) == pytest.approx(entropy[asked_y].mean(), rel=1e-4)
    _, log_loss = masked_losses(jnp.asarray(output), table, asked_x, asked_y, True)
    p = np.exp(output[:, 4:]) / np.exp(output[:, 4:]).sum(axis=1, keepdims=True)
    asked = asked_y[:, 0]
    assert float(log_loss) == pytest.approx(
        -np.log((p * labels).sum(axis=1))[asked].mean(), rel=1e-4
    )


def test_asking_for_nothing_costs_nothing() -> None:
    table = drawn_table(20)
    nothing = jnp.zeros((20, 4), bool), jnp.zeros((20, 3), bool)
    assert [float(loss) for loss in masked_losses(jnp.ones((20, 7)), table, *nothing, False)] == [
        0.0,
        0.0,
    ]
