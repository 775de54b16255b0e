"""Conditionals of eqs. (4) and (5) against enumeration."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from exact.reference import configurations, moments
from halfseen.machine.conditionals import (
    hidden_input_from_visible,
    hidden_mean_from_visible,
    sample_hidden_from_visible,
    sample_visible_from_hidden,
    visible_input_from_hidden,
    visible_mean_from_hidden,
)
from halfseen.machine.visible_layer import VisibleNoise

pytestmark = pytest.mark.usefixtures("double_precision")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_hidden_given_visible(case: Case) -> None:
    everything = np.ones(case.machine.n_visible, dtype=bool)
    mean = jax.jit(hidden_mean_from_visible)(case.parameters, case.visible)
    for row, of_row in zip(case.visible, np.asarray(mean), strict=True):
        expected = moments(case.machine, row, everything).hidden
        np.testing.assert_allclose(of_row, expected, rtol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_visible_given_hidden(case: Case) -> None:
    nothing = np.zeros(case.machine.n_visible, dtype=bool)
    visible, hidden, log_weight = configurations(case.machine, case.visible[0], nothing)
    weight = np.exp(log_weight - log_weight.max(axis=0))
    expected = (weight / weight.sum(axis=0)).T @ visible
    mean = compiled(visible_mean_from_hidden)(case.parameters, case.layer, hidden)
    np.testing.assert_allclose(mean, expected, rtol=1e-9, atol=1e-12)


def test_inputs_by_hand() -> None:
    machine, theta = MIXED.machine, MIXED.parameters
    visible, hidden = MIXED.visible[1], np.array([1.0, 0.0, 1.0, 1.0])
    at_hidden = [
        machine.hidden_bias[j] + sum(visible[i] * machine.weights[i, j] for i in range(10))
        for j in range(4)
    ]
    at_visible = [
        machine.visible_bias[i] + sum(machine.weights[i, j] * hidden[j] for j in range(4))
        for i in range(10)
    ]
    np.testing.assert_allclose(hidden_input_from_visible(theta, visible), at_hidden, rtol=1e-12)
    np.testing.assert_allclose(
        visible_input_from_hidden(theta, jnp.asarray(hidden)), at_visible, rtol=1e-12
    )


def test_samples_at_even_quantiles() -> None:
    n = 10_000
    quantiles = (np.arange(n) + 0.5) / n
    theta, row = MIXED.parameters, jnp.asarray(MIXED.visible[1])
    uniform = jnp.asarray(np.repeat(quantiles[:, None], 4, axis=1))
    sample = np.asarray(jax.jit(sample_hidden_from_visible)(theta, row, uniform))
    assert set(np.unique(sample)) == {0.0, 1.0}
    np.testing.assert_allclose(
        sample.mean(axis=0), jax.jit(hidden_mean_from_visible)(theta, row), atol=1 / n
    )
    noise = VisibleNoise(
        normal=jnp.zeros((n, 2)), uniform=uniform[:, :3], group_uniform=uniform[:, :2]
    )
    hidden = jnp.array([1.0, 0.0, 1.0, 1.0])
    sampler = compiled(sample_visible_from_hidden)
    visible = np.asarray(sampler(theta, MIXED.layer, hidden, noise))
    expected = compiled(visible_mean_from_hidden)(theta, MIXED.layer, hidden)
    np.testing.assert_allclose(visible.mean(axis=0), expected, atol=2 / n)
