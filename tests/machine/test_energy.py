"""Energy by loops, free energies by summing out a layer."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from exact.reference import configurations, log_sum_exp, moments
from halfseen.machine.energy import energy, free_energy, hidden_free_energy

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

free = compiled(free_energy)
hidden_free = compiled(hidden_free_energy)


def test_energy_is_the_double_sum_of_equation_one() -> None:
    machine, visible = MIXED.machine, MIXED.visible[1]
    hidden = np.array([1.0, 0.0, 1.0, 1.0])
    expected = 0.0
    for i in range(10):
        expected -= machine.visible_bias[i] * visible[i]
        for j in range(4):
            expected -= visible[i] * machine.weights[i, j] * hidden[j]
    for j in range(4):
        expected -= machine.hidden_bias[j] * hidden[j]
    assert float(jax.jit(energy)(MIXED.parameters, visible, hidden)) == pytest.approx(
        expected, rel=1e-12
    )


def test_leading_axes_broadcast() -> None:
    visible = MIXED.visible[:, None, :]
    hidden = np.eye(4)
    both = jax.jit(energy)(MIXED.parameters, visible, hidden)
    assert both.shape == (7, 4)
    alone = jax.jit(energy)(MIXED.parameters, visible[3, 0], hidden[2])
    assert float(both[3, 2]) == pytest.approx(float(alone), rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_free_energy_sums_the_hidden_units_out(case: Case) -> None:
    everything = np.ones(case.machine.n_visible, dtype=bool)
    expected = [-moments(case.machine, row, everything).log_observed for row in case.visible]
    found = free(case.parameters, case.layer, case.visible)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_hidden_free_energy_integrates_the_visible_units(case: Case) -> None:
    nothing = np.zeros(case.machine.n_visible, dtype=bool)
    _, hidden, log_weight = configurations(case.machine, case.visible[0], nothing)
    expected = [-log_sum_exp(column) for column in log_weight.T]
    found = np.asarray(hidden_free(case.parameters, case.layer, hidden))
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert log_sum_exp(-found) == pytest.approx(case.log_observed[0], rel=1e-12)
