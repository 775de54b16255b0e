"""The predictive loss, against loops over entries; its gradient, against finite differences."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit, softmax

from halfseen.learning.predictive_loss import (
    KNOT_WEIGHT,
    PredictiveColumns,
    block_losses,
    predictive_loss,
    predictive_loss_slope,
    what_counts,
)
from halfseen.machine.predictive_sweeps import (
    PredictiveLayer,
    PredictiveParameters,
    Wide,
    last_sweep,
    sweep_gradient,
)
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = pytest.mark.usefixtures("double_precision")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WIDE = PredictiveLayer(VisibleLayer(n_gaussian=2, n_bernoulli=2, group_sizes=(3, 2)), n_knots=3)
# Of every kind one feature and one target: columns 0 to 2 and 3 to 5.
COLUMNS = PredictiveColumns(WIDE, (0, 3, 1, 4, 2, 2, 2, 5, 5), n_features=3, n_targets=3)
KNOTS = np.array([[-1.0, 0.5, 2.0], [-2.0, -1.0, 1.0]])
N_ROWS, N_HIDDEN = 4, 3
SEEDS = st.integers(0, 10**6)


@partial(jax.jit, static_argnums=0)
def widened(wide: PredictiveLayer, visible: jax.Array, knots: jax.Array) -> jax.Array:
    return jnp.concatenate(wide.widened(visible, knots), axis=1)


@partial(jax.jit, static_argnums=0)
@partial(jax.value_and_grad, argnums=1)
def loss_and_slope(
    columns: PredictiveColumns,
    inputs: jax.Array,
    units: jax.Array,
    judged: jax.Array,
    label_weight: float,
) -> jax.Array:
    """The loss, with units and knots side by side."""
    apart = columns.wide.apart
    return predictive_loss(columns, apart(inputs), apart(units), judged, label_weight)


def some_rows(seed: int, share: float = 0.5) -> tuple[Floats, Floats, Bools]:
    """What is said, the truth, and where it is judged."""
    rng = np.random.default_rng(seed)
    visible = np.concatenate(
        [
            rng.normal(size=(N_ROWS, 2)),
            rng.integers(0, 2, size=(N_ROWS, 2)),
            np.eye(3)[rng.integers(3, size=N_ROWS)],
            np.eye(2)[rng.integers(2, size=N_ROWS)],
        ],
        axis=1,
    )
    units = np.asarray(widened(WIDE, visible, KNOTS))
    judged = (rng.random((N_ROWS, 6)) < share)[:, COLUMNS.column_of_unit]
    return 2 * rng.normal(size=units.shape), units, judged


def entry_loss(column: int, inputs: Floats, units: Floats) -> float:
    """Minus log-probability of the truth of one column of one row; squares for a number."""
    if column in (0, 3):
        unit, knots = (0, slice(9, 12)) if column == 0 else (1, slice(12, 15))
        of_knots = -np.sum(units[knots] * np.log(softmax(inputs[knots])))
        return float((inputs[unit] - units[unit]) ** 2 + KNOT_WEIGHT * of_knots)
    if column in (1, 4):
        unit = 2 if column == 1 else 3
        return float(-np.log(expit(inputs[unit]) if units[unit] else expit(-inputs[unit])))
    group = slice(4, 7) if column == 2 else slice(7, 9)
    return float(-np.log(softmax(inputs[group])[np.argmax(units[group])]))


def mean_by_loops(columns: range, inputs: Floats, units: Floats, judged: Bools) -> float:
    losses = [
        entry_loss(column, inputs[row], units[row])
        for row in range(N_ROWS)
        for column in columns
        if judged[row, COLUMNS.column_of_unit.index(column)]
    ]
    return float(np.mean(losses)) if losses else 0.0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=SEEDS, share=st.floats(0, 1), label_weight=st.floats(0, 3))
def test_it_is_what_loops_over_entries_say(seed: int, share: float, label_weight: float) -> None:
    inputs, units, judged = some_rows(seed, share)
    found, _ = loss_and_slope(COLUMNS, inputs, units, judged, label_weight)
    features = mean_by_loops(range(3), inputs, units, judged)
    labels = mean_by_loops(range(3, 6), inputs, units, judged)
    assert float(found) == pytest.approx(features + label_weight * labels, rel=1e-9)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_the_slope_at_discrete_units_is_what_is_said_minus_what_is(seed: int) -> None:
    inputs, units, judged = some_rows(seed)
    _, slope = loss_and_slope(COLUMNS, inputs, units, judged, 2.0)
    said = inputs.copy()
    said[:, 2:4] = expit(inputs[:, 2:4])
    for group in (slice(4, 7), slice(7, 9), slice(9, 12), slice(12, 15)):
        said[:, group] = softmax(inputs[:, group], axis=1)
    wide_judged = judged[:, WIDE.unit_of_wide]
    right = np.where(wide_judged, said - units, 0.0)
    right[:, :2] *= 2
    right[:, 9:] *= KNOT_WEIGHT
    first = WIDE.layer.first_unit_of_block
    is_target = COLUMNS.is_target_unit
    n_labels = max(judged[:, first][:, is_target[first]].sum(), 1)
    n_features = max(judged[:, first][:, ~is_target[first]].sum(), 1)
    right *= np.where(is_target[WIDE.unit_of_wide], 2.0 / n_labels, 1.0 / n_features)
    np.testing.assert_allclose(np.asarray(slope), right, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("behind", [np.nan, np.inf, 1e200])
def test_units_that_are_not_judged_are_not_read(behind: float) -> None:
    inputs, units, judged = some_rows(1)
    assert not judged.all()
    before = loss_and_slope(COLUMNS, inputs, units, judged, 1.5)
    overwritten = np.where(judged[:, WIDE.unit_of_wide], units, behind)
    after = loss_and_slope(COLUMNS, inputs, overwritten, judged, 1.5)
    for one, other in zip(after, before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_where_nothing_is_judged_there_is_no_loss() -> None:
    inputs, units, judged = some_rows(2)
    loss, slope = loss_and_slope(COLUMNS, inputs, units, np.zeros_like(judged), 1.0)
    assert float(loss) == 0
    assert not np.any(slope)


def test_knots_and_units_know_their_columns() -> None:
    right = [0, 3, 1, 4, 2, 2, 2, 5, 5, 0, 0, 0, 3, 3, 3]
    np.testing.assert_array_equal(COLUMNS.column_of_wide, right)
    np.testing.assert_array_equal(np.flatnonzero(COLUMNS.is_target_unit), [1, 3, 7, 8])


def test_without_knots_numbers_have_their_squares_alone() -> None:
    inputs, units, _ = some_rows(3)
    bare = PredictiveLayer(VisibleLayer(2, 2), n_knots=0)
    parts = block_losses(bare, *(bare.apart(jnp.asarray(rows[:, :4])) for rows in (inputs, units)))
    squared, knots, of_bernoulli, of_groups = map(np.asarray, parts)
    np.testing.assert_allclose(squared, (inputs - units)[:, :2] ** 2)
    np.testing.assert_array_equal(knots, np.zeros((N_ROWS, 2)))
    right = -np.log(expit(np.where(units[:, 2:4] > 0, 1, -1) * inputs[:, 2:4]))
    np.testing.assert_allclose(of_bernoulli, right)
    assert of_groups.shape == (N_ROWS, 0)


def test_the_gradient_is_that_of_the_last_sweep_by_finite_differences() -> None:
    rng = np.random.default_rng(5)
    _, units, hidden = some_rows(5)
    n_units = WIDE.n_units
    parameters = PredictiveParameters(
        weights=0.5 * rng.normal(size=(n_units, N_HIDDEN)),
        visible_bias=rng.normal(size=n_units),
        hidden_bias=rng.normal(size=N_HIDDEN),
        gain=rng.normal(size=n_units),
        start_bias=rng.normal(size=n_units),
    )
    base = rng.normal(size=(N_ROWS, 9))
    kept_hidden = np.where(rng.random((N_ROWS, N_HIDDEN)) < 0.4, 0.0, 2.0)
    of_mask_units = 0.5 * rng.normal(size=(9, N_HIDDEN))
    unjudged = rng.random((N_ROWS, 6)) < 0.2
    missing = unjudged[:, COLUMNS.column_of_unit]
    units = np.where(missing[:, WIDE.unit_of_wide], np.nan, units)
    shown = jnp.asarray(~(hidden | missing))
    rows, truth = WIDE.apart(units), hidden & ~missing

    def machine_of(joined: PredictiveParameters) -> PredictiveParameters:
        parts = [part if len(part) == N_HIDDEN else WIDE.apart(part, 0) for part in joined[:5]]
        return PredictiveParameters(*parts, missing_weights=joined.missing_weights)

    parameters = parameters._replace(missing_weights=of_mask_units)
    machine = machine_of(parameters)
    seen = WIDE.seen(shown)
    sweep, one_before = (
        last_sweep(machine, WIDE, rows, seen, base, n_sweeps, kept_hidden, missing @ of_mask_units)
        for n_sweeps in (2, 1)
    )
    slope = predictive_loss_slope(WIDE, sweep.inputs, rows, counted_of(COLUMNS, truth, 1.5))
    apart = sweep_gradient(machine, WIDE, sweep, slope, base, missing.astype(float))
    gradient = PredictiveParameters(
        *(np.concatenate(part) if isinstance(part, Wide) else part for part in apart)
    )
    visible = np.concatenate(WIDE.pinned(seen, rows, one_before.inputs), axis=1)
    np.testing.assert_array_equal(np.concatenate(sweep.visible, axis=1), visible)
    expected = np.concatenate([base, np.repeat(base[:, :2], 3, axis=1)], axis=1)

    @jax.jit
    def loss_of_last_sweep(joined: PredictiveParameters) -> jax.Array:
        pushed = joined.hidden_bias + missing @ joined.missing_weights
        mean = kept_hidden * jax.nn.sigmoid(pushed + visible @ joined.weights)
        inputs = mean @ joined.weights.T + joined.visible_bias + joined.gain * expected
        return predictive_loss(COLUMNS, WIDE.apart(inputs), rows, truth, jnp.array(1.5))

    loss = predictive_loss(COLUMNS, sweep.inputs, rows, truth, jnp.array(1.5))
    assert float(loss_of_last_sweep(parameters)) == pytest.approx(float(loss))
    step = 1e-5
    for name in ("weights", "visible_bias", "hidden_bias", "gain", "missing_weights"):
        values, own = getattr(parameters, name), np.asarray(getattr(gradient, name))
        assert np.any(own)
        direction = rng.normal(size=values.shape)
        above, below = (
            float(loss_of_last_sweep(parameters._replace(**{name: values + far * direction})))
            for far in (step, -step)
        )
        along = (above - below) / (2 * step)
        assert float(np.sum(own * direction)) == pytest.approx(along, rel=1e-6, abs=1e-9)
    assert not np.any(gradient.start_bias)
    bare = sweep_gradient(
        machine._replace(missing_weights=None), WIDE, sweep, slope, base, jnp.zeros((N_ROWS, 9))
    )
    assert bare.missing_weights is None


@settings(max_examples=25)
@given(SEEDS)
def test_the_slope_is_the_derivative_of_the_loss(seed: int) -> None:
    inputs, units, judged = some_rows(seed)
    units = np.where(judged[:, WIDE.unit_of_wide], units, np.nan)
    _, right = loss_and_slope(COLUMNS, inputs, units, judged, 1.5)
    slope = slope_by_hand(COLUMNS, inputs, units, judged, 1.5)
    np.testing.assert_allclose(slope, right, rtol=1e-9, atol=1e-12)


@partial(jax.jit, static_argnums=0)
def slope_by_hand(
    columns: PredictiveColumns,
    inputs: jax.Array,
    units: jax.Array,
    judged: jax.Array,
    label_weight: float,
) -> jax.Array:
    apart = columns.wide.apart
    counted = counted_of(columns, judged, label_weight)
    slope = predictive_loss_slope(columns.wide, apart(inputs), apart(units), counted)
    return jnp.concatenate(slope, axis=1)


def counted_of(columns: PredictiveColumns, judged: jax.Array, label_weight: float) -> Wide:
    """What counts in the rows of one step."""
    counted = what_counts(columns, judged[None], jnp.asarray(label_weight))
    return Wide(*(part[0] for part in counted))


def test_what_counts_is_weighed_step_by_step() -> None:
    judged = np.stack([some_rows(seed)[2] for seed in (1, 2)])
    together = what_counts(COLUMNS, jnp.asarray(judged), jnp.array(1.5))
    for step in (0, 1):
        alone = counted_of(COLUMNS, judged[step], 1.5)
        for part, own in zip(together, alone, strict=True):
            np.testing.assert_allclose(part[step], own, rtol=1e-12)


@pytest.mark.parametrize("column_of_unit", [(0, 1, 2), (0, 1, 1), (1, 0, 0), (2, 1, 0)])
def test_columns_are_given_to_their_units(column_of_unit: tuple[int, ...]) -> None:
    wide = PredictiveLayer(VisibleLayer(0, 3), 0)
    columns = PredictiveColumns(wide, column_of_unit, 3, 0)
    of_columns = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(columns.by_unit(of_columns), of_columns[:, column_of_unit])
