"""Fixed points of eqs. (11)-(13) and of the TAP equations, and completion by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from halfseen.rbm.mean_field import (
    Completion,
    FixedPoint,
    complete,
    fixed_point,
    mean_field_free_energy,
    onsager_term,
)
from halfseen.rbm.model import RBM, Rows
from rbm.machines import MARGINALS, MIXED, OBSERVED, ROWS, Floats, exact, machine, mean_of_units

pytestmark = pytest.mark.usefixtures("double_precision")

METHODS = get_args(Completion)
MISSING = ~OBSERVED
OPEN = np.any(MISSING, axis=1)  # rows that miss something
GROUPS = (slice(4, 7), slice(7, 9))
TABLE = Rows(ROWS, OBSERVED, MARGINALS)
STARTS = np.stack([MARGINALS, MARGINALS[::-1], ROWS[0]])

solve = jax.jit(fixed_point, static_argnames="tap")
free_energy = jax.jit(mean_field_free_energy)
completed = jax.jit(complete, static_argnames=("method", "n_sweeps"))


def at_rest(rbm: RBM, tap: bool = False) -> FixedPoint:
    point = solve(rbm, TABLE, MARGINALS, 3000, tap=tap)
    return FixedPoint(*map(np.asarray, point))


@jax.jit
def tap_free_energy(rbm: RBM, point: FixedPoint) -> jax.Array:
    missing = jnp.where(OBSERVED, 0.0, 1.0)
    first = mean_field_free_energy(rbm, point, OBSERVED)
    return first - onsager_term(rbm, point.visible_mean, point.hidden_mean, missing)


def slopes(energy: Callable[[FixedPoint], Any], point: FixedPoint) -> Floats:
    """Central differences of a free energy along every direction in which missing means may move.

    A direction within a group takes from one category what it gives to the next.
    """
    directions = [FixedPoint(np.zeros_like(ROWS), np.eye(3)[j]) for j in range(3)]
    for unit in range(MIXED.n_units):
        along = np.eye(MIXED.n_units)[unit]
        for group in GROUPS:
            if group.start <= unit < group.stop:
                along -= np.eye(MIXED.n_units)[group.start if unit + 1 == group.stop else unit + 1]
        directions.append(FixedPoint(np.where(MISSING, along, 0.0), np.zeros(3)))

    def moved(direction: FixedPoint, size: float) -> Floats:
        at = FixedPoint(*(np.add(mean, size * d) for mean, d in zip(point, direction, strict=True)))
        return np.asarray(energy(at))

    return np.array([(moved(d, 1e-5) - moved(d, -1e-5)) / 2e-5 for d in directions])


def test_eqs_11_to_13_hold_at_rest() -> None:
    rbm = machine()
    visible_mean, hidden_mean = at_rest(rbm)
    weights, visible_bias, hidden_bias = map(
        np.asarray, (rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    )
    inputs = hidden_mean @ weights.T + visible_bias
    expected = np.where(OBSERVED, ROWS, mean_of_units(rbm, inputs))
    np.testing.assert_allclose(visible_mean, expected, atol=1e-9)
    np.testing.assert_allclose(hidden_mean, expit(visible_mean @ weights + hidden_bias), atol=1e-9)
    np.testing.assert_array_equal(visible_mean[OBSERVED], ROWS[OBSERVED])


def test_the_free_energy_is_stationary_at_rest() -> None:
    rbm, energy = machine(), lambda point: free_energy(rbm, point, OBSERVED)
    assert np.max(np.abs(slopes(energy, at_rest(rbm)))) < 1e-7
    elsewhere = FixedPoint(np.where(OBSERVED, ROWS, MARGINALS), np.full((4, 3), 0.5))
    assert np.max(np.abs(slopes(energy, elsewhere))) > 0.1


def test_the_tap_free_energy_is_stationary_at_rest_of_second_order() -> None:
    rbm, energy = machine(scale=0.5), lambda point: tap_free_energy(rbm, point)
    assert np.max(np.abs(slopes(energy, at_rest(rbm, tap=True)))) < 1e-7
    # At rest of first order the derivatives of the Onsager term are left, one for each mean but
    # those of numbers, whose variance is the same at every mean.
    onsager = np.max(np.abs(slopes(energy, at_rest(rbm))), axis=1)
    assert np.all((onsager > 1e-3) == ~np.isin(np.arange(12), [3, 4]))


def test_the_free_energy_bounds_the_likelihood_at_any_means() -> None:
    rbm, rng = machine(), np.random.default_rng(5)
    log_z = np.array([states.log_z for states in exact(rbm)])
    for _ in range(20):
        means = mean_of_units(rbm, rng.normal(scale=2.0, size=ROWS.shape))
        point = FixedPoint(np.where(OBSERVED, ROWS, means), rng.random((4, 3)))
        assert np.all(free_energy(rbm, point, OBSERVED) > -log_z)
    gap = free_energy(rbm, at_rest(rbm), OBSERVED) + log_z
    assert np.all(gap[OPEN] > 1e-3)
    np.testing.assert_allclose(gap[~OPEN], 0.0, atol=1e-10)


def test_the_error_is_of_second_order_in_the_weights_and_that_of_tap_of_third() -> None:
    errors, means = [], []
    for scale in (0.1, 0.05):
        rbm = machine(scale=scale)
        first, second = at_rest(rbm), at_rest(rbm, tap=True)
        log_z = np.array([states.log_z for states in exact(rbm)])
        energies = free_energy(rbm, first, OBSERVED), tap_free_energy(rbm, second)
        errors.append([np.abs(energy + log_z)[OPEN].sum() for energy in energies])
        expected = np.array([states.visible_mean for states in exact(rbm)])
        means.append([np.abs(point.visible_mean - expected).max() for point in (first, second)])
    order_of_first, order_of_second = np.log2(np.array(errors[0]) / errors[1])
    assert 1.8 < order_of_first < 2.2
    assert order_of_second > 2.7
    assert np.all(np.array(means)[:, 1] < 0.2 * np.array(means)[:, 0])


@pytest.mark.parametrize("method", METHODS)
def test_values_behind_missing_entries_change_no_bit(method: Completion) -> None:
    rbm = machine()
    plain = completed(rbm, TABLE, STARTS, method, 20)
    np.testing.assert_array_equal(plain[OBSERVED], ROWS[OBSERVED])
    for behind in (np.nan, 1e9):
        visible = np.where(OBSERVED, ROWS, behind)
        np.testing.assert_array_equal(
            completed(rbm, TABLE._replace(visible=visible), STARTS, method, 20), plain
        )


@pytest.mark.parametrize("method", METHODS)
def test_other_rows_change_no_bit(method: Completion) -> None:
    rbm = machine()
    plain = completed(rbm, TABLE, STARTS, method, 20)
    order = np.array([3, 0, 2, 3])
    found = completed(rbm, Rows(ROWS[order], OBSERVED[order], MARGINALS), STARTS, method, 20)
    np.testing.assert_array_equal(found, plain[order])


@pytest.mark.parametrize("method", ["mean_field", "tap"])
def test_restarts_are_averaged(method: Completion) -> None:
    rbm = machine()
    # After a single sweep the starts still show.
    each = [completed(rbm, TABLE, start[None], method, 1) for start in STARTS]
    assert np.max(np.abs(each[0] - each[1])[MISSING]) > 0.01
    found = completed(rbm, TABLE, STARTS, method, 1)
    np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "n_sweeps"), [("mean_field", 200), ("tap", 200), ("gibbs", 2000)]
)
def test_completion_is_the_conditional_mean_of_weakly_coupled_units(
    method: Completion, n_sweeps: int
) -> None:
    rbm = machine(scale=0.1)
    expected = np.array([states.visible_mean for states in exact(rbm)])
    found = completed(rbm, TABLE, STARTS, method, n_sweeps)
    np.testing.assert_allclose(found, expected, atol=0.02)
