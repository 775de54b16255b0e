"""Losses of held-out entries against a slow computation, and the oracle's AUC."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.monitor import HeldOutMonitor, OracleMonitor
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.tables import Encoded
from learning.small import (
    COLUMN_OF_UNIT,
    IS_TARGET_UNIT,
    LAYER,
    MARGINALS,
    Bools,
    Floats,
    small_table,
)

N_MACHINES, N_HIDDEN, N_SWEEPS = 3, 5, 10
START = np.array(MARGINALS, np.float32)


def machines() -> BoltzmannParameters:
    rng = np.random.default_rng(4)
    return BoltzmannParameters(
        *(
            jnp.asarray(rng.normal(scale=scale, size=(N_MACHINES, *shape)), jnp.float32)
            for scale, shape in ((0.7, (7, 5)), (0.5, (7,)), (0.5, (5,)), (0.3, (2,)))
        )
    )


def completed_row(machine: int, row: Floats, seen: Bools) -> NDArray[np.float64]:
    """Eqs. (11)-(13), ten times, unit by unit."""
    weights, visible_bias, hidden_bias, log_variance = (
        np.asarray(leaf[machine], float) for leaf in machines()
    )
    means = np.where(seen, row, START).astype(float)
    for _ in range(N_SWEEPS):
        hidden = [
            1 / (1 + np.exp(-(hidden_bias[j] + means @ weights[:, j]))) for j in range(N_HIDDEN)
        ]
        inputs = visible_bias + weights @ np.array(hidden)
        for unit in range(7):
            if seen[unit]:
                continue
            if unit < 2:
                means[unit] = np.exp(log_variance[unit]) * inputs[unit]
            elif unit < 4:
                means[unit] = 1 / (1 + np.exp(-inputs[unit]))
            else:
                means[unit] = np.exp(inputs[unit]) / np.exp(inputs[4:]).sum()
    return means


def slow_losses(machine: int, visible: Floats, held_out: HeldOut) -> tuple[float, float]:
    features, labels = [], []
    _, observed = small_table()
    for judged, row_index in zip(held_out.judging, held_out.judged_rows, strict=True):
        row, shown = visible[row_index], observed[row_index] & ~judged
        means = completed_row(machine, row, shown)
        features += [0.5 * (row[i] - means[i]) ** 2 for i in (0, 1) if judged[i]]
        features += [
            -np.log(means[i] if row[i] == 1 else 1 - means[i]) for i in (2, 3) if judged[i]
        ]
        if judged[4]:
            labels.append(-np.log(means[4 + int(np.argmax(row[4:]))]))
    found = [float(np.mean(part)) if part else np.nan for part in (features, labels)]
    return found[0], found[1]


def some_held_out() -> tuple[Floats, HeldOut]:
    visible, observed = small_table()
    return visible, hold_out(Encoded(visible, observed), COLUMN_OF_UNIT, IS_TARGET_UNIT, 0.3, 3)


def monitor_of(held_out: HeldOut, visible: Floats) -> HeldOutMonitor:
    table = Encoded(visible, small_table()[1])
    return HeldOutMonitor(LAYER, table, held_out, IS_TARGET_UNIT, START, N_SWEEPS)


def test_losses_are_those_of_a_slow_computation() -> None:
    visible, held_out = some_held_out()
    found = monitor_of(held_out, visible).losses(machines())
    assert found.total.shape == (N_MACHINES,)
    for machine in range(N_MACHINES):
        features, labels = slow_losses(machine, visible, held_out)
        assert found.features[machine] == pytest.approx(features, rel=2e-5)
        assert found.labels[machine] == pytest.approx(labels, rel=2e-5)
        assert found.total[machine] == pytest.approx(features + labels, rel=2e-5)


@pytest.mark.parametrize("judged", ["features", "labels", "nothing"])
def test_what_is_not_judged_does_not_count(judged: str) -> None:
    visible, held_out = some_held_out()
    wanted = {
        "features": ~IS_TARGET_UNIT,
        "labels": IS_TARGET_UNIT,
        "nothing": np.zeros(7, bool),
    }[judged]
    fewer = held_out._replace(judging=held_out.judging & wanted)
    monitor = monitor_of(fewer, visible)
    found = monitor.losses(machines())
    assert monitor.judges_anything == (judged != "nothing")
    slow = [slow_losses(machine, visible, fewer) for machine in range(N_MACHINES)]
    np.testing.assert_allclose(found.total, np.nansum(slow, axis=1), rtol=2e-5)
    assert np.all(np.isnan(found.labels)) == (judged != "labels")
    assert np.all(np.isnan(found.features)) == (judged != "features")


def test_hidden_values_are_not_read() -> None:
    visible, held_out = some_held_out()
    first = monitor_of(held_out, visible).losses(machines())
    _, observed = small_table()
    behind = np.where(observed, visible, np.float32(1e9))
    other = monitor_of(held_out, behind).losses(machines())
    np.testing.assert_array_equal(first.total, other.total)
    training_only = np.where(held_out.training(observed), visible, np.float32(1))
    assert np.all(monitor_of(held_out, training_only).losses(machines()).total != first.total)


def test_certain_and_wrong_is_a_finite_loss() -> None:
    visible, held_out = some_held_out()
    certain = machines()._replace(visible_bias=jnp.full((N_MACHINES, 7), 200.0))
    of_labels = monitor_of(held_out, visible).losses(certain).labels
    assert np.all(np.isfinite(of_labels))


def oracle(truth: Floats) -> tuple[OracleMonitor, Floats, Bools, Bools]:
    visible, observed = small_table()
    judging = ~observed & IS_TARGET_UNIT
    monitor = OracleMonitor(LAYER, visible, observed, truth, judging, START, N_SWEEPS)
    return monitor, visible, observed, judging


def random_truth() -> Floats:
    rng = np.random.default_rng(9)
    truth = np.zeros((83, 7), np.float32)
    truth[:, 4:] = np.eye(3)[rng.integers(0, 3, 83)]
    return truth


def test_oracle_is_one_minus_the_share_of_pairs_in_order() -> None:
    truth = random_truth()
    monitor, visible, observed, judging = oracle(truth)
    found = monitor.losses(machines())
    for machine in range(N_MACHINES):
        rows = [completed_row(machine, visible[r], observed[r]) for r in range(len(visible))]
        score, value = np.array(rows)[judging], truth[judging]
        difference = score[value == 1][:, None] - score[value == 0][None, :]
        auc = np.mean((difference > 0) + 0.5 * (difference == 0))
        assert found.total[machine] == pytest.approx(1 - auc, abs=1e-3)
    np.testing.assert_array_equal(found.total, found.labels)
    assert np.all(np.isnan(found.features))


def test_oracle_of_a_machine_that_ran_away_is_not_a_number() -> None:
    broken = machines()
    weights = broken.weights.at[1].set(jnp.nan)
    found = oracle(random_truth())[0].losses(broken._replace(weights=weights)).total
    np.testing.assert_array_equal(np.isnan(found), [False, True, False])


def test_oracle_needs_labels_of_both_values() -> None:
    with pytest.raises(ValueError, match='stopping="held_out"'):
        oracle(np.zeros((83, 7), np.float32))
