"""Fixed points of eqs. (11)-(13): residuals, the bound of log Z_O, stationarity, iteration."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from exact.reference import Floats, TinyMachine
from halfseen.machine.mean_field import (
    FixedPoint,
    iterate_to_rest,
    mean_field,
    mean_field_free_energy,
)
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]


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
) -> FixedPoint:
    return mean_field(
        parameters,
        layer,
        visible,
        observed,
        start,
        n_sweeps=n_sweeps,
        tolerance=tolerance,
        damping=damping,
    )


@compiled
def bound(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible_mean: jax.Array,
    hidden_mean: jax.Array,
    observed: jax.Array,
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    """The free energy of every row, and its gradient by visible and by hidden means."""

    def of_rows(visible: jax.Array, hidden: jax.Array) -> jax.Array:
        return mean_field_free_energy(parameters, layer, visible, hidden, observed)

    total = jax.grad(lambda visible, hidden: jnp.sum(of_rows(visible, hidden)), argnums=(0, 1))
    return of_rows(visible_mean, hidden_mean), total(visible_mean, hidden_mean)


def starts(case: Case) -> Floats:
    return case.random_means(np.random.default_rng(7))


def at_rest(
    case: Case,
    n_sweeps: int = 5000,
    tolerance: float = 0.0,
    damping: float = 0.0,
    start: Floats | None = None,
) -> FixedPoint:
    first = starts(case) if start is None else start
    return FixedPoint(
        *solve(
            case.parameters,
            case.layer,
            case.visible,
            case.observed,
            first,
            n_sweeps,
            tolerance,
            damping,
        )
    )


def right_hand_sides(machine: TinyMachine, hidden_mean: Floats) -> Floats:
    """Eqs. (11) and (12), and their like for a softmax group."""
    inputs = hidden_mean @ machine.weights.T + machine.visible_bias
    means = np.empty_like(inputs)
    for index, block in enumerate(machine.blocks):
        if index < machine.n_gaussian:
            means[:, block] = machine.variance[index] * inputs[:, block]
        elif index < machine.n_gaussian + machine.n_bernoulli:
            means[:, block] = expit(inputs[:, block])
        else:
            weight = np.exp(inputs[:, block])
            means[:, block] = weight / weight.sum(axis=1, keepdims=True)
    return means


def tangential(case: Case, gradient: Floats) -> Floats:
    """The part of a gradient along which missing means may move; groups keep their sum."""
    along = np.where(case.observed, 0.0, gradient)
    for block in case.machine.blocks[case.machine.n_gaussian + case.machine.n_bernoulli :]:
        along[:, block] -= along[:, block].mean(axis=1, keepdims=True)
    return along


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_equations_hold_at_rest(case: Case) -> None:
    rest = at_rest(case)
    visible_mean, hidden_mean = np.asarray(rest.visible_mean), np.asarray(rest.hidden_mean)
    expected = right_hand_sides(case.machine, hidden_mean)
    residual = np.where(case.observed, 0.0, visible_mean - expected)
    assert np.max(np.abs(residual)) < 1e-8
    hidden = expit(visible_mean @ case.machine.weights + case.machine.hidden_bias)
    assert np.max(np.abs(hidden_mean - hidden)) < 1e-12
    np.testing.assert_array_equal(visible_mean[case.observed], case.visible[case.observed])


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_free_energy_is_stationary_at_rest(case: Case) -> None:
    rest = at_rest(case)
    value, (by_visible, by_hidden) = bound(
        case.parameters, case.layer, rest.visible_mean, rest.hidden_mean, case.observed
    )
    np.testing.assert_allclose(value, rest.free_energy, rtol=1e-12)
    assert np.max(np.abs(tangential(case, np.asarray(by_visible)))) < 1e-7
    assert np.max(np.abs(by_hidden)) < 1e-7


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_free_energy_bounds_the_evidence_at_any_means(case: Case) -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        hidden_mean = rng.random((len(case.visible), case.machine.n_hidden))
        means = case.random_means(rng)
        value, (by_visible, _) = bound(
            case.parameters, case.layer, means, hidden_mean, case.observed
        )
        assert np.all(-np.asarray(value) <= case.log_observed)
    # Random means are no fixed point: the gradient that vanishes at rest does not here.
    assert np.max(np.abs(tangential(case, np.asarray(by_visible)))) > 0.1


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_bound_at_rest_is_tight_where_all_is_observed_and_below_elsewhere(case: Case) -> None:
    gap = case.log_observed + np.asarray(at_rest(case).free_energy)
    assert gap[1] == pytest.approx(0.0, abs=1e-10)
    assert np.all(np.delete(gap, 1) > 0)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_without_weights_the_bound_is_exact(case: Case) -> None:
    apart = case.with_weights(0.0)
    rest = at_rest(apart)
    np.testing.assert_allclose(rest.free_energy, -apart.log_observed, rtol=1e-10)
    expected = np.array([of_row.visible for of_row in apart.moments])
    np.testing.assert_allclose(rest.visible_mean, expected, rtol=1e-9)


def test_every_sweep_lowers_the_free_energy() -> None:
    """Each half of a sweep minimises it over one layer."""
    energies = np.array([at_rest(MIXED, n_sweeps=n).free_energy for n in range(12)])
    assert np.all(np.diff(energies, axis=0) < 1e-12)
    assert np.all(energies[0] - energies[-1] >= 0)
    assert np.max(energies[0] - energies[-1]) > 0.1


def test_one_sweep_by_hand() -> None:
    start = starts(MIXED)
    hidden = expit(start @ MIXED.machine.weights + MIXED.machine.hidden_bias)
    swept = np.where(MIXED.observed, MIXED.visible, right_hand_sides(MIXED.machine, hidden))
    plain = at_rest(MIXED, n_sweeps=1)
    np.testing.assert_allclose(plain.visible_mean, swept, rtol=1e-12)
    damped = at_rest(MIXED, n_sweeps=1, damping=0.3)
    np.testing.assert_allclose(damped.visible_mean, 0.3 * start + 0.7 * swept, rtol=1e-12)


def test_no_sweep_returns_the_start() -> None:
    rest = at_rest(MIXED, n_sweeps=0)
    np.testing.assert_array_equal(rest.visible_mean, starts(MIXED))
    assert rest.n_sweeps.tolist() == [0] * len(MIXED.visible)


@pytest.mark.parametrize("damping", [0.1, 0.3, 0.5, 0.9])
def test_damping_leads_to_the_same_rest_and_pins_exactly(damping: float) -> None:
    plain, damped = at_rest(MIXED), at_rest(MIXED, damping=damping)
    np.testing.assert_allclose(damped.visible_mean, plain.visible_mean, atol=1e-8)
    found = np.asarray(damped.visible_mean)[MIXED.observed]
    np.testing.assert_array_equal(found, MIXED.visible[MIXED.observed])


def test_tolerance_ends_each_row_at_its_own_sweep() -> None:
    tolerance = 1e-5
    rest = at_rest(MIXED, tolerance=tolerance)
    used = np.asarray(rest.n_sweeps)
    assert used[1] == 1  # nothing to move
    assert len(np.unique(used)) > 2
    assert used.max() < 5000
    for row, n in enumerate(used):
        before, after = at_rest(MIXED, n_sweeps=int(n) - 1), at_rest(MIXED, n_sweeps=int(n))
        last = np.abs(np.asarray(after.visible_mean)[row] - np.asarray(before.visible_mean)[row])
        assert np.max(last) <= tolerance
        np.testing.assert_array_equal(rest.visible_mean[row], after.visible_mean[row])
        if n > 2:
            earlier = np.asarray(at_rest(MIXED, n_sweeps=int(n) - 2).visible_mean)[row]
            assert np.max(np.abs(np.asarray(before.visible_mean)[row] - earlier)) > tolerance


def test_sweeps_are_limited() -> None:
    used = np.asarray(at_rest(MIXED, n_sweeps=3).n_sweeps)
    assert used[1] == 1
    assert set(np.delete(used, 1)) == {3}


def test_iteration_of_a_known_contraction() -> None:
    """Halving from 1 and from 8 until a movement of at most 1/8: 3 and 6 sweeps."""

    def halve(visible: jax.Array, hidden: jax.Array) -> tuple[jax.Array, jax.Array]:
        return visible / 2, hidden + 1

    visible, hidden, used = iterate_to_rest(
        halve,
        jnp.array([[1.0], [8.0]]),
        jnp.zeros((2, 1)),
        n_sweeps=100,
        tolerance=0.125,
        damping=0.0,
    )
    assert visible.tolist() == [[0.125], [0.125]]
    assert hidden.tolist() == [[3.0], [6.0]]
    assert used.tolist() == [3, 6]


def test_companions_do_not_change_a_bit() -> None:
    plain = at_rest(MIXED, tolerance=1e-5)
    order = np.arange(len(MIXED.visible))[::-1].copy()
    order[2] = 2
    other = Case("mixed", MIXED.machine, MIXED.visible[order], MIXED.observed[order])
    found = at_rest(other, tolerance=1e-5, start=starts(MIXED)[order])
    for leaf, expected in zip(found, plain, strict=True):
        np.testing.assert_array_equal(leaf[2], expected[2])


def test_alone_a_row_gets_the_same_up_to_rounding() -> None:
    plain = at_rest(MIXED, tolerance=1e-5)
    alone = Case("mixed", MIXED.machine, MIXED.visible[2:3], MIXED.observed[2:3])
    found = at_rest(alone, tolerance=1e-5, start=starts(MIXED)[2:3])
    for leaf, expected in zip(found, plain, strict=True):
        np.testing.assert_allclose(leaf[0], expected[2], rtol=1e-12)


@pytest.mark.parametrize("behind", [1e9, np.nan])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    plain = at_rest(MIXED, damping=0.5)
    other = Case("mixed", MIXED.machine, MIXED.with_behind(behind), MIXED.observed)
    found = at_rest(other, damping=0.5, start=starts(MIXED))
    jax.tree.map(np.testing.assert_array_equal, found, plain)


def test_restarts_stand_on_a_leading_axis() -> None:
    several = np.stack([starts(MIXED), MIXED.random_means(np.random.default_rng(8))])
    both = at_rest(MIXED, n_sweeps=4, start=several)
    second = at_rest(MIXED, n_sweeps=4, start=several[1])
    assert both.free_energy.shape == (2, len(MIXED.visible))
    np.testing.assert_allclose(both.visible_mean[1], second.visible_mean, rtol=1e-12)


def test_precision_of_the_rows_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)
    visible, observed = MIXED.visible.astype(np.float32), jnp.asarray(MIXED.observed)
    shapes = jax.eval_shape(
        lambda v: mean_field(theta, MIXED.layer, v, observed, v, n_sweeps=3, damping=0.5),
        visible,
    )
    assert {leaf.dtype for leaf in shapes[:3]} == {jnp.dtype(jnp.float32)}
