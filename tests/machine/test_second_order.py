"""The TAP equations: their reaction terms, and the order of their error."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from exact.reference import Floats
from halfseen.machine.mean_field import FixedPoint, mean_field, mean_field_free_energy
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.second_order import second_order, variance_at_hidden
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

# Beyond weights of about this size the iteration need not come to rest.
MODERATE = 0.6


@compiled
def solve(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    start: jax.Array,
    n_sweeps: int,
    tolerance: float,
    damping: float,
) -> tuple[FixedPoint, FixedPoint]:
    """The rest of second order, and of first order from the same start."""
    rows = (parameters, layer, visible, observed, start)
    return (
        second_order(*rows, n_sweeps=n_sweeps, tolerance=tolerance, damping=damping),
        mean_field(*rows, n_sweeps=n_sweeps, tolerance=tolerance, damping=damping),
    )


@compiled
def stationarity(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible_mean: jax.Array,
    hidden_mean: jax.Array,
    observed: jax.Array,
) -> tuple[jax.Array, jax.Array, tuple[jax.Array, jax.Array]]:
    """Variance at the hidden units, the TAP free energy, its gradient by both means."""

    def tap(visible: jax.Array, hidden: jax.Array) -> jax.Array:
        first = mean_field_free_energy(parameters, layer, visible, hidden, observed)
        spread = variance_at_hidden(parameters, layer, visible, observed)
        return first - 0.5 * jnp.sum(hidden * (1 - hidden) * spread, axis=-1)

    total = jax.grad(lambda visible, hidden: jnp.sum(tap(visible, hidden)), argnums=(0, 1))
    return (
        variance_at_hidden(parameters, layer, visible_mean, observed),
        tap(visible_mean, hidden_mean),
        total(visible_mean, hidden_mean),
    )


def at_rest(
    case: Case,
    n_sweeps: int = 3000,
    tolerance: float = 0.0,
    damping: float = 0.5,
    start: Floats | None = None,
) -> tuple[FixedPoint, FixedPoint]:
    first = case.random_means(np.random.default_rng(7)) if start is None else start
    both = solve(
        case.parameters,
        case.layer,
        case.visible,
        case.observed,
        first,
        n_sweeps,
        tolerance,
        damping,
    )
    return FixedPoint(*both[0]), FixedPoint(*both[1])


def tangential(case: Case, gradient: Floats) -> Floats:
    """The part of a gradient along which missing means may move; groups keep their sum."""
    along = np.where(case.observed, 0.0, gradient)
    for block in case.machine.blocks[case.machine.n_gaussian + case.machine.n_bernoulli :]:
        along[:, block] -= along[:, block].mean(axis=1, keepdims=True)
    return along


def covariance(case: Case, row: int, mean: Floats) -> Floats:
    """Covariance of the visible units at these means, blocks independent, pinned ones still."""
    machine = case.machine
    spread = np.zeros((machine.n_visible, machine.n_visible))
    for index, block in enumerate(machine.blocks):
        if case.observed[row, block][0]:
            continue
        if index < machine.n_gaussian:
            spread[block, block] = machine.variance[index]
        elif index < machine.n_gaussian + machine.n_bernoulli:
            spread[block, block] = mean[block] * (1 - mean[block])
        else:
            spread[block, block] = np.diag(mean[block]) - np.outer(mean[block], mean[block])
    return spread


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_free_energy_is_stationary_at_rest(case: Case) -> None:
    """The gradient of the free energy checks every reaction term of the equations."""
    case = case.with_weights(MODERATE)
    rest, first_order = at_rest(case)
    spread, value, (by_visible, by_hidden) = stationarity(
        case.parameters, case.layer, rest.visible_mean, rest.hidden_mean, case.observed
    )
    np.testing.assert_allclose(value, rest.free_energy, rtol=1e-12)
    assert np.max(np.abs(tangential(case, np.asarray(by_visible)))) < 1e-8
    assert np.max(np.abs(by_hidden)) < 1e-8
    visible_mean = np.asarray(rest.visible_mean)
    np.testing.assert_array_equal(visible_mean[case.observed], case.visible[case.observed])
    for row, mean in enumerate(visible_mean):
        at_hidden = np.diag(
            case.machine.weights.T @ covariance(case, row, mean) @ case.machine.weights
        )
        np.testing.assert_allclose(spread[row], at_hidden, rtol=1e-9, atol=1e-14)
    # The rest of first order is another point: the gradient that vanishes here does not there.
    _, _, (_, by_hidden) = stationarity(
        case.parameters,
        case.layer,
        first_order.visible_mean,
        first_order.hidden_mean,
        case.observed,
    )
    assert np.max(np.abs(by_hidden)) > 1e-3


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_error_is_of_third_order_in_the_weights(case: Case) -> None:
    of_second, of_first = [], []
    for factor in (0.1, 0.05):
        weak = case.with_weights(factor)
        second, first = at_rest(weak)
        of_second.append(np.abs(weak.log_observed + np.asarray(second.free_energy)))
        of_first.append(np.abs(weak.log_observed + np.asarray(first.free_energy)))
    open_rows = np.any(~case.observed, axis=1)
    for second, first in zip(of_second, of_first, strict=True):
        assert np.all(second[open_rows] < 0.2 * first[open_rows])
    order_of_first = np.log2(of_first[0][open_rows] / of_first[1][open_rows])
    np.testing.assert_allclose(order_of_first, 2.0, atol=0.2)
    assert np.sum(of_second[0][open_rows]) > 7 * np.sum(of_second[1][open_rows])
    assert np.sum(of_second[0][open_rows]) > 1e-9  # well above rounding and quadrature


def test_a_fully_observed_row_is_exact() -> None:
    rest, _ = at_rest(MIXED)
    assert float(rest.free_energy[1]) == pytest.approx(-MIXED.log_observed[1], rel=1e-12)
    expected = expit(MIXED.visible[1] @ MIXED.machine.weights + MIXED.machine.hidden_bias)
    np.testing.assert_allclose(rest.hidden_mean[1], expected, rtol=1e-12)
    assert int(rest.n_sweeps[1]) == 1


def test_tolerance_and_number_of_sweeps() -> None:
    case = MIXED.with_weights(MODERATE)
    loose, tight = at_rest(case, tolerance=1e-3)[0], at_rest(case, tolerance=1e-9)[0]
    assert np.all(np.asarray(loose.n_sweeps) <= np.asarray(tight.n_sweeps))
    assert 1 < int(np.max(loose.n_sweeps)) < int(np.max(tight.n_sweeps)) < 3000
    np.testing.assert_allclose(loose.visible_mean, tight.visible_mean, atol=1e-2)
    assert int(np.max(at_rest(case, n_sweeps=4)[0].n_sweeps)) == 4


@pytest.mark.parametrize("damping", [0.2, 0.7])
def test_damping_leads_to_the_same_rest_and_pins_exactly(damping: float) -> None:
    case = MIXED.with_weights(MODERATE)
    plain, damped = at_rest(case)[0], at_rest(case, damping=damping)[0]
    np.testing.assert_allclose(damped.visible_mean, plain.visible_mean, atol=1e-8)
    found = np.asarray(damped.visible_mean)[case.observed]
    np.testing.assert_array_equal(found, case.visible[case.observed])


def test_companions_do_not_change_a_bit() -> None:
    start = MIXED.random_means(np.random.default_rng(7))
    plain, _ = at_rest(MIXED, n_sweeps=200, tolerance=1e-5, start=start)
    order = np.arange(len(MIXED.visible))[::-1].copy()
    order[2] = 2
    other = Case("mixed", MIXED.machine, MIXED.visible[order], MIXED.observed[order])
    found, _ = at_rest(other, n_sweeps=200, tolerance=1e-5, start=start[order])
    for leaf, expected in zip(found, plain, strict=True):
        np.testing.assert_array_equal(leaf[2], expected[2])


@pytest.mark.parametrize("behind", [1e9, np.nan])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    start = MIXED.random_means(np.random.default_rng(7))
    plain, _ = at_rest(MIXED, n_sweeps=50, start=start)
    other = Case("mixed", MIXED.machine, MIXED.with_behind(behind), MIXED.observed)
    found, _ = at_rest(other, n_sweeps=50, start=start)
    jax.tree.map(np.testing.assert_array_equal, found, plain)
