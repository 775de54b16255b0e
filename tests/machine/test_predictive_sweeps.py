"""Sweeps from the prior's expectation, against loops over rows and units."""

from __future__ import annotations

from functools import partial

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy.special import expit, softmax

from halfseen.machine.predictive_sweeps import (
    PredictiveLayer,
    PredictiveParameters,
    last_sweep,
)
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = pytest.mark.usefixtures("double_precision")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MIXED = PredictiveLayer(VisibleLayer(n_gaussian=2, n_bernoulli=2, group_sizes=(3, 2)), n_knots=3)
KNOTS = np.array([[-1.0, 0.5, 2.0], [-2.0, -1.0, 1.0]])
# Who is whose, written out: nine units, then three knots of each number.
OWNER = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 1, 1, 1]
GROUPS = [[4, 5, 6], [7, 8], [9, 10, 11], [12, 13, 14]]
N_ROWS, N_HIDDEN = 4, 3
SEEDS = st.integers(0, 10**6)


@partial(
    jax.jit,
    static_argnames=("wide", "n_sweeps"),
    compiler_options={"xla_backend_optimization_level": 0},
)
def compiled(
    parameters: PredictiveParameters,
    wide: PredictiveLayer,
    units: jax.Array,
    shown: jax.Array,
    base: jax.Array,
    n_sweeps: int,
    kept_hidden: jax.Array | float = 1.0,
) -> jax.Array:
    """Everything with units and knots side by side, as loops over units take them."""
    n_visible = wide.layer.n_visible
    sweep = last_sweep(
        taken_apart(parameters, wide),
        wide,
        wide.apart(units),
        wide.seen(shown[:, :n_visible]),
        base[:, :n_visible],
        n_sweeps,
        kept_hidden,
    )
    return jnp.concatenate(sweep.inputs, axis=1)


def taken_apart(joined: PredictiveParameters, wide: PredictiveLayer) -> PredictiveParameters:
    parts = [part if len(part) == N_HIDDEN else wide.apart(part, axis=0) for part in joined[:5]]
    return PredictiveParameters(*parts)


@partial(jax.jit, static_argnums=0)
def widened(wide: PredictiveLayer, visible: jax.Array, knots: jax.Array) -> jax.Array:
    return jnp.concatenate(wide.widened(visible, knots), axis=1)


@partial(jax.jit, static_argnums=0)
def mean_from_input(wide: PredictiveLayer, inputs: jax.Array) -> jax.Array:
    return jnp.concatenate(wide.mean_from_input(wide.apart(inputs)), axis=1)


def some_parameters(seed: int, n_units: int = 15, scale: float = 0.7) -> PredictiveParameters:
    rng = np.random.default_rng([seed, 1])
    return PredictiveParameters(
        weights=scale * rng.normal(size=(n_units, N_HIDDEN)),
        visible_bias=rng.normal(size=n_units),
        hidden_bias=rng.normal(size=N_HIDDEN),
        gain=rng.normal(size=n_units),
        start_bias=rng.normal(size=n_units),
    )


def some_rows(seed: int) -> tuple[Floats, Bools, Floats]:
    """Units and knots of rows, which of them are shown, and what a prior might expect."""
    rng = np.random.default_rng([seed, 2])
    visible = np.concatenate(
        [
            rng.normal(size=(N_ROWS, 2)),
            rng.integers(0, 2, size=(N_ROWS, 2)),
            np.eye(3)[rng.integers(3, size=N_ROWS)],
            np.eye(2)[rng.integers(2, size=N_ROWS)],
        ],
        axis=1,
    )
    units = np.asarray(widened(MIXED, visible, KNOTS))
    of_column = rng.random((N_ROWS, 6)) < 0.5
    shown = of_column[:, [0, 1, 2, 3, 4, 4, 4, 5, 5]]
    base = rng.normal(size=(N_ROWS, 9))
    return units, shown[:, OWNER], base[:, OWNER]


def mean_of_row(inputs: Floats) -> Floats:
    mean = inputs.copy()
    mean[2:4] = expit(inputs[2:4])
    for group in GROUPS:
        mean[group] = softmax(inputs[group])
    return mean


def swept_row_by_row(
    parameters: PredictiveParameters,
    units: Floats,
    shown: Bools,
    base: Floats,
    n_sweeps: int,
    kept_hidden: Floats,
) -> Floats:
    weights, visible_bias, hidden_bias, gain, start_bias = map(np.asarray, parameters[:5])
    answers = []
    for row in range(len(units)):
        inputs = start_bias + gain * base[row]
        for _ in range(n_sweeps):
            visible = mean_of_row(inputs)
            for unit in np.flatnonzero(shown[row]):
                visible[unit] = units[row, unit]
            hidden = [
                kept_hidden[row, j] * expit(hidden_bias[j] + np.sum(weights[:, j] * visible))
                for j in range(N_HIDDEN)
            ]
            inputs = np.array(
                [
                    visible_bias[i] + np.sum(weights[i] * hidden) + gain[i] * base[row, i]
                    for i in range(len(visible_bias))
                ]
            )
        answers.append(inputs)
    return np.array(answers)


@pytest.mark.parametrize("n_sweeps", [1, 3])
@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_it_is_what_loops_over_rows_say(n_sweeps: int, seed: int) -> None:
    parameters, (units, shown, base) = some_parameters(seed), some_rows(seed)
    kept = np.random.default_rng(seed).choice([0.0, 2.0], size=(N_ROWS, N_HIDDEN))
    found = compiled(parameters, MIXED, units, shown, base, n_sweeps, kept)
    right = swept_row_by_row(parameters, units, shown, base, n_sweeps, kept)
    np.testing.assert_allclose(np.asarray(found), right, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("behind", [np.nan, 1e200])
def test_nothing_behind_a_hidden_unit_is_read(behind: float) -> None:
    parameters, (units, shown, base) = some_parameters(3), some_rows(3)
    before = compiled(parameters, MIXED, units, shown, base, 3)
    overwritten = np.where(shown, units, behind)
    after = compiled(parameters, MIXED, overwritten, shown, base, 3)
    assert np.all(np.isfinite(after))
    np.testing.assert_array_equal(after, before)


def test_without_weights_the_answer_is_prior_plus_marginals() -> None:
    parameters, (units, shown, base) = some_parameters(4, scale=0.0), some_rows(4)
    found = compiled(parameters, MIXED, units, shown, base, 3)
    right = np.asarray(parameters.visible_bias) + np.asarray(parameters.gain) * base
    np.testing.assert_allclose(np.asarray(found), right, rtol=1e-12)


def test_a_hidden_unit_left_out_is_one_without_weights() -> None:
    parameters, (units, shown, base) = some_parameters(5), some_rows(5)
    kept = np.tile([1.0, 0.0, 1.0], (N_ROWS, 1))
    without = parameters._replace(weights=np.asarray(parameters.weights) * kept[0])
    np.testing.assert_allclose(
        np.asarray(compiled(parameters, MIXED, units, shown, base, 3, kept)),
        np.asarray(compiled(without, MIXED, units, shown, base, 3, np.ones_like(kept))),
        rtol=1e-12,
    )


def test_units_are_followed_by_the_knots_of_every_number() -> None:
    assert MIXED.n_units == 15
    np.testing.assert_array_equal(MIXED.unit_of_wide, OWNER)
    row = [-0.25, 5.0, 1, 0, 0, 1, 0, 1, 0]
    shares = [0.5, 0.5, 0.0, 0.0, 0.0, 1.0]
    wide = np.asarray(widened(MIXED, np.tile(row, (N_ROWS, 1)), KNOTS))
    np.testing.assert_allclose(wide[0], [*row, *shares])
    inputs = np.arange(30.0).reshape(2, 15)
    knots = np.asarray(MIXED.by_number(MIXED.apart(inputs).knots))
    np.testing.assert_array_equal(knots[1], [[24, 25, 26], [27, 28, 29]])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_means_are_those_of_every_kind(seed: int) -> None:
    inputs = 5 * np.random.default_rng(seed).normal(size=(2, 15))
    found = np.asarray(mean_from_input(MIXED, inputs))
    np.testing.assert_allclose(found, [mean_of_row(row) for row in inputs], rtol=1e-9)


def test_without_knots_a_layer_is_as_wide_as_its_units() -> None:
    bare = PredictiveLayer(MIXED.layer, n_knots=0)
    units, shown, base = (part[:, :9] for part in some_rows(6))
    assert bare.n_units == 9
    visible = jnp.asarray(units)
    assert bare.widened(visible, jnp.zeros((2, 0))).units is visible
    # Knots whose weights are zero are as good as none.
    parameters = some_parameters(6)
    mute = np.asarray(parameters.weights) * (np.arange(15) < 9)[:, None]
    wide_units, wide_shown, wide_base = some_rows(6)
    right = compiled(parameters._replace(weights=mute), MIXED, wide_units, wide_shown, wide_base, 3)
    narrow = PredictiveParameters(
        *(part if len(part) == N_HIDDEN else part[:9] for part in parameters[:5])
    )
    found = compiled(narrow, bare, units, shown, base, 3)
    np.testing.assert_allclose(np.asarray(found), np.asarray(right)[:, :9], rtol=1e-9)


def test_knots_of_no_number_are_no_knots() -> None:
    layer = PredictiveLayer(VisibleLayer(0, 2), n_knots=4)
    assert layer.n_units == 2
    visible = np.array([[1.0, 0.0]])
    np.testing.assert_array_equal(widened(layer, visible, np.zeros((0, 4))), visible)
    np.testing.assert_allclose(mean_from_input(layer, visible), expit(visible))


def test_mask_units_push_the_hidden_units() -> None:
    parameters, (units, shown, base) = some_parameters(7), some_rows(7)
    push = np.full((len(units), N_HIDDEN), 0.7)
    biased = parameters._replace(hidden_bias=np.asarray(parameters.hidden_bias) + 0.7)
    right = compiled(biased, MIXED, units, shown, base, 2)
    pushed = last_sweep(
        taken_apart(parameters, MIXED),
        MIXED,
        MIXED.apart(units),
        MIXED.seen(shown[:, :9]),
        base[:, :9],
        2,
        hidden_push=push,
    )
    joined = np.concatenate(pushed.inputs, axis=1)
    np.testing.assert_allclose(joined, np.asarray(right), rtol=1e-6, atol=1e-6)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=SEEDS, n_sweeps=st.integers(1, 3))
def test_numpy_sweeps_alike(seed: int, n_sweeps: int) -> None:
    parameters, (units, shown, base) = some_parameters(seed), some_rows(seed)
    before = units.copy()
    sweep = last_sweep(
        taken_apart(parameters, MIXED),
        MIXED,
        MIXED.apart(units),
        MIXED.seen(shown[:, :9]),
        base[:, :9],
        n_sweeps,
    )
    assert all(isinstance(part, np.ndarray) for part in (*sweep.inputs, *sweep.visible, sweep.on))
    right = compiled(parameters, MIXED, units, shown, base, n_sweeps)
    np.testing.assert_allclose(np.concatenate(sweep.inputs, axis=1), right, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(units, before)
    means = np.concatenate(MIXED.mean_from_input(sweep.inputs), axis=1)
    np.testing.assert_allclose(means, mean_from_input(MIXED, right), rtol=1e-9, atol=1e-9)
