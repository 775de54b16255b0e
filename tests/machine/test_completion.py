"""Restarts of one method, averaged as asked, and machines averaged in turn."""

from __future__ import annotations

from typing import NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import MIXED, Case, random_visible
from exact.reference import Floats
from halfseen.machine.completion import (
    Averaging,
    CompletionMethod,
    CompletionSettings,
    average_fixed_points,
    complete,
    complete_by_machines,
)
from halfseen.machine.gibbs_average import gibbs_average
from halfseen.machine.mean_field import FixedPoint, mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.second_order import second_order
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_RESTARTS = 5
WEAK = MIXED.with_weights(0.6)
OTHER = MIXED.with_weights(-0.4)
STILL_MOVING = 3  # so few sweeps that restarts have not yet met


def settings(method: CompletionMethod, averaging: Averaging = "free_energy") -> CompletionSettings:
    return CompletionSettings(method, STILL_MOVING, tolerance=0.0, damping=0.5, averaging=averaging)


class Ways(NamedTuple):
    """The rows completed by each method and by several machines, and their fixed points."""

    by_method: dict[CompletionMethod, jax.Array]
    by_other: jax.Array
    by_both: jax.Array
    by_stack_of_one: jax.Array
    first_order: FixedPoint
    second_order: FixedPoint
    gibbs: jax.Array


@compiled
def ways(
    machines: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    restarts: jax.Array,
    key: jax.Array,
) -> Ways:
    one, other = (jax.tree.map(lambda leaf, i=i: leaf[i], machines) for i in range(2))
    stack = jax.tree.map(lambda leaf: leaf[:1], machines)
    arguments = (visible, observed, restarts, key)
    first = settings("mean_field")
    rows = (one, layer, visible, observed)
    each = restarts[:, None, :]
    return Ways(
        by_method={
            method: complete(one, layer, settings(method), *arguments)
            for method in get_args(CompletionMethod)
        },
        by_other=complete(other, layer, first, *arguments),
        by_both=complete_by_machines(machines, layer, first, *arguments),
        by_stack_of_one=complete_by_machines(stack, layer, first, *arguments),
        first_order=mean_field(*rows, each, n_sweeps=STILL_MOVING, damping=0.5),
        second_order=second_order(*rows, each, n_sweeps=STILL_MOVING, damping=0.5),
        gibbs=gibbs_average(
            *rows, restarts, key, n_burn_in=STILL_MOVING // 2, n_steps=STILL_MOVING
        ),
    )


def restarts() -> Floats:
    return random_visible(MIXED.machine, N_RESTARTS, np.random.default_rng(1))


def completed(visible: Floats) -> Ways:
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), WEAK.parameters, OTHER.parameters)
    key = jax.random.key(3)
    return Ways(*ways(stacked, WEAK.layer, visible, WEAK.observed, restarts(), key))


def weighted(points: FixedPoint) -> Floats:
    energy = np.asarray(points.free_energy)
    weight = np.exp(-(energy - energy.min(axis=0)))
    weight /= weight.sum(axis=0)
    assert np.max(weight) > 1.2 * np.min(weight)
    mean: Floats = np.sum(weight[..., None] * np.asarray(points.visible_mean), axis=0)
    return mean


def test_every_method_averages_its_own_restarts() -> None:
    found = completed(WEAK.visible)
    expected: dict[CompletionMethod, Floats] = {
        "mean_field": weighted(found.first_order),
        "second_order": weighted(found.second_order),
        "gibbs": np.asarray(found.gibbs),
    }
    for method, by_hand in expected.items():
        of_method = np.asarray(found.by_method[method])
        np.testing.assert_allclose(of_method, by_hand, rtol=1e-12, atol=1e-14, err_msg=method)
        np.testing.assert_array_equal(of_method[WEAK.observed], WEAK.visible[WEAK.observed])


def test_machines_are_averaged_and_observed_entries_pinned() -> None:
    found = completed(WEAK.visible)
    one, other = np.asarray(found.by_method["mean_field"]), np.asarray(found.by_other)
    both = np.asarray(found.by_both)
    np.testing.assert_allclose(both, (one + other) / 2, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.by_stack_of_one, one, rtol=1e-12, atol=1e-14)
    assert np.max(np.abs(one - other)) > 0.1
    np.testing.assert_array_equal(both[WEAK.observed], WEAK.visible[WEAK.observed])


@pytest.mark.parametrize("behind", [1e9, np.nan])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    plain, other = completed(WEAK.visible), completed(WEAK.with_behind(behind))
    jax.tree.map(np.testing.assert_array_equal, other, plain)


@compiled
def averages(points: FixedPoint, _: VisibleLayer) -> tuple[jax.Array, jax.Array]:
    return average_fixed_points(points, "equal"), average_fixed_points(points, "free_energy")


def test_two_fixed_points_by_hand() -> None:
    points = FixedPoint(
        visible_mean=jnp.array([[[0.0, 4.0]], [[1.0, 8.0]]]),
        hidden_mean=jnp.array([[[0.0]], [[0.0]]]),
        free_energy=jnp.array([[5.0], [5.0 + np.log(3.0)]]),  # three to one
        n_sweeps=jnp.array([[1], [1]]),
    )
    equal, by_energy = averages(points, WEAK.layer)
    np.testing.assert_allclose(equal, [[0.5, 6.0]])
    np.testing.assert_allclose(by_energy, [[0.25, 5.0]])


def test_completion_at_rest_is_near_the_conditional_mean() -> None:
    """Mean field neglects correlations: at weak weights only a little."""
    case: Case = MIXED.with_weights(0.1)

    @compiled
    def rest(parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array) -> jax.Array:
        return complete(
            parameters,
            layer,
            CompletionSettings(n_sweeps=200, tolerance=1e-10),
            visible,
            jnp.asarray(case.observed),
            jnp.asarray(restarts()),
            jax.random.key(0),
        )

    expected = np.array([of_row.visible for of_row in case.moments])
    found = rest(case.parameters, case.layer, case.visible)
    np.testing.assert_allclose(found, expected, atol=0.02)
