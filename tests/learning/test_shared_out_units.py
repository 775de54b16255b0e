"""Hidden units shared out among parts of a minibatch, against rows that leave out the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.learning.packed_parameters import packed, unpacked
from halfseen.learning.shared_out_units import gradient_of_parts, in_order, orders_of_units
from halfseen.machine.predictive_sweeps import (
    PredictiveLayer,
    PredictiveParameters,
    Wide,
    last_sweep,
    sweep_gradient,
)
from halfseen.machine.visible_layer import VisibleLayer
from learning.small import assert_same_bits

N_HIDDEN, N_ROWS = 6, 12
WIDE = PredictiveLayer(VisibleLayer(2, 1, (3,)), 4)
N_VISIBLE = WIDE.layer.n_visible


def some_machine(seed: int, sees_missing: bool) -> PredictiveParameters:
    rng = np.random.default_rng(seed)

    def drawn(*shape: int) -> Any:
        return jnp.asarray(rng.normal(size=shape), jnp.float32)

    def vector() -> Wide:
        return WIDE.apart(drawn(WIDE.n_units))

    return PredictiveParameters(
        WIDE.apart(drawn(WIDE.n_units, N_HIDDEN), 0),
        vector(),
        drawn(N_HIDDEN),
        vector(),
        vector(),
        drawn(N_VISIBLE, N_HIDDEN) if sees_missing else None,
    )


def some_order(seed: int) -> jax.Array:
    return jnp.asarray(orders_of_units(seed, np.zeros(1, int), N_HIDDEN, 2)[0])


@pytest.mark.parametrize("sees_missing", [False, True])
def test_units_in_another_order_are_the_same_machine(sees_missing: bool) -> None:
    machine = some_machine(0, sees_missing)
    order = some_order(1)
    turned = machine._replace(
        weights=Wide(*(part[:, order] for part in machine.weights)),
        hidden_bias=machine.hidden_bias[order],
        missing_weights=machine.missing_weights[:, order] if sees_missing else None,
    )
    found = in_order(packed(machine), order)
    assert_same_bits(unpacked(found, machine.start_bias), turned)
    assert_same_bits(in_order(packed(machine), order[:0]), packed(machine))


class Given(NamedTuple):
    """What a step is given of some rows."""

    units: Wide
    seen: Wide
    base: jax.Array
    missing: jax.Array
    slope: Wide
    kept: jax.Array  # factors of hidden units


@pytest.mark.parametrize("sees_missing", [False, True])
@pytest.mark.parametrize("n_parts", [1, 2, 3])
@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_parts_are_rows_that_leave_out_the_units_of_others(
    n_parts: int, sees_missing: bool, seed: int
) -> None:
    """What is said and the gradient are those of the whole, of which each row keeps its share."""
    machine = some_machine(seed, sees_missing)
    rng = np.random.default_rng([seed, 1])
    visible, base, missing = (
        jnp.asarray(rng.normal(size=(N_ROWS, N_VISIBLE)), jnp.float32) for _ in range(3)
    )
    knots = jnp.sort(jnp.asarray(rng.normal(size=(2, 4)), jnp.float32), axis=1)
    seen = WIDE.seen(jnp.asarray(rng.random((N_ROWS, N_VISIBLE)) < 0.5))
    slope = WIDE.apart(jnp.asarray(rng.normal(size=(N_ROWS, WIDE.n_units)), jnp.float32))
    all_of_own = jnp.full((N_ROWS, N_HIDDEN // n_parts), float(n_parts))
    rows = Given(WIDE.widened(visible, knots), seen, base, missing, slope, all_of_own)

    def said_and_gradient(
        own: PredictiveParameters, given: Given
    ) -> tuple[jax.Array, PredictiveParameters]:
        push = given.missing @ own.missing_weights if sees_missing else 0.0
        sweep = last_sweep(own, WIDE, *given[:3], 2, given.kept, push)
        gradient = sweep_gradient(own, WIDE, sweep, given.slope, given.base, given.missing)
        return sweep.inputs.units, gradient

    part_of_row, part_of_unit = (np.arange(n) * n_parts // n for n in (N_ROWS, N_HIDDEN))
    keeps = n_parts * jnp.asarray(part_of_row[:, None] == part_of_unit, jnp.float32)
    inputs, gradient = said_and_gradient(machine, rows._replace(kept=keeps))
    found_inputs, found = gradient_of_parts(
        said_and_gradient, packed(machine), machine.start_bias, rows, n_parts
    )
    np.testing.assert_allclose(found_inputs, inputs, rtol=1e-4, atol=1e-4)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(packed(gradient)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("at_once", [1, 2, 5, 10])
def test_who_goes_with_whom_hangs_on_seed_and_step_alone(at_once: int) -> None:
    units, stood = np.arange(N_HIDDEN), {}
    for step in range(0, 40, at_once):
        units = units[orders_of_units(3, np.array([step]), N_HIDDEN, 2)[0]]
        stood[step] = units
    for turn in range(4):
        found = [units for step, units in stood.items() if step // 10 == turn]
        right = np.random.default_rng([3, 6, turn]).permutation(N_HIDDEN)
        np.testing.assert_array_equal(found, np.tile(right, (len(found), 1)))


def test_one_part_has_all_units_as_they_are() -> None:
    assert orders_of_units(3, np.arange(4), N_HIDDEN, 1).shape == (4, 0)
