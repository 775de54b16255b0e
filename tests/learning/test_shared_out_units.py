"""Hidden units shared out among parts of a minibatch, against rows that leave out the others."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.learning.packed_parameters import Packed, packed, unpacked
from halfseen.learning.shared_out_units import (
    gradient_of_parts,
    orders_of_units,
    parameters_of_parts,
    shared_out,
    together,
)
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
@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_together_again_they_stand_in_the_order_they_were_dealt_in(
    n_parts: int, sees_missing: bool
) -> None:
    machine = some_machine(0, sees_missing)
    order = some_order(1)
    found = together(shared_out(packed(machine), order, n_parts))
    if n_parts == 1:
        order = jnp.arange(N_HIDDEN)
    turned = machine._replace(
        weights=Wide(*(part[:, order] for part in machine.weights)),
        hidden_bias=machine.hidden_bias[order],
        missing_weights=machine.missing_weights[:, order] if sees_missing else None,
    )
    assert_same_bits(unpacked(found, machine.start_bias), turned)


@pytest.mark.parametrize("sees_missing", [False, True])
@pytest.mark.parametrize("n_parts", [1, 2, 3])
@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_parts_are_rows_that_leave_out_the_units_of_others(
    n_parts: int, sees_missing: bool, seed: int
) -> None:
    """Sweeps and gradient are those of the whole machine, of which each row keeps its share."""
    machine = some_machine(seed, sees_missing)
    rng = np.random.default_rng([seed, 1])
    order = some_order(seed) if n_parts > 1 else jnp.arange(N_HIDDEN)
    visible = jnp.asarray(rng.normal(size=(N_ROWS, N_VISIBLE)), jnp.float32)
    knots = jnp.sort(jnp.asarray(rng.normal(size=(2, 4)), jnp.float32), axis=1)
    units, seen = (
        WIDE.widened(visible, knots),
        WIDE.seen(jnp.asarray(rng.random((N_ROWS, 6)) < 0.5)),
    )
    base, missing = (jnp.asarray(rng.random((N_ROWS, N_VISIBLE)), jnp.float32) for _ in range(2))
    slope = WIDE.apart(jnp.asarray(rng.normal(size=(N_ROWS, WIDE.n_units)), jnp.float32))

    def swept(own: PredictiveParameters, rows: slice, kept: Any) -> tuple[Any, Packed]:
        push = missing[rows] @ own.missing_weights if sees_missing else 0.0
        given = [jax.tree.map(lambda leaf: leaf[rows], part) for part in (units, seen, base, slope)]
        sweep = last_sweep(own, WIDE, *given[:3], n_sweeps=2, kept_hidden=kept, hidden_push=push)
        gradient = sweep_gradient(own, WIDE, sweep, given[3], given[2], missing[rows])
        return sweep.inputs, gradient

    in_rows = np.repeat(np.arange(n_parts), N_ROWS // n_parts)
    in_units = np.empty(N_HIDDEN, int)
    in_units[np.asarray(order)] = np.repeat(np.arange(n_parts), N_HIDDEN // n_parts)
    kept = n_parts * jnp.asarray(in_rows[:, None] == in_units, jnp.float32)
    inputs, right = swept(machine, slice(0, N_ROWS), kept)

    parts = parameters_of_parts(shared_out(packed(machine), order, n_parts), machine.start_bias)
    said = [
        swept(own, slice(part * N_ROWS // n_parts, (part + 1) * N_ROWS // n_parts), float(n_parts))
        for part, own in enumerate(parts)
    ]
    for found, wanted in zip(zip(*(own[0] for own in said), strict=True), inputs, strict=True):
        np.testing.assert_allclose(np.concatenate(found), wanted, rtol=1e-4, atol=1e-5)
    found = together(gradient_of_parts([own[1] for own in said]))
    wanted = together(shared_out(packed(right), order, n_parts))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


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
