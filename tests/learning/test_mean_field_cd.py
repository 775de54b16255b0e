"""Mean-field training ascends the difference of two mean-field free energies."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from halfseen.learning.mean_field_cd import MeanFieldCD
from halfseen.learning.objective import Batch, Beginning
from halfseen.machine.mean_field import mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer
from learning.sampled import CASE, batch_of, beginning_of
from learning.small import assert_same_bits

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_SWEEPS = 120


def evidence(
    parameters: BoltzmannParameters, layer: VisibleLayer, batch: Batch, beginning: Beginning
) -> jax.Array:
    """Mean over rows of F with nothing pinned minus F with v_o pinned, at the fixed points."""

    def free_energy(observed: Any) -> jax.Array:
        start = jnp.broadcast_to(beginning.marginals, batch.visible.shape)
        point = mean_field(parameters, layer, batch.visible, observed, start, n_sweeps=N_SWEEPS)
        return point.free_energy

    nothing = jnp.zeros_like(batch.observed)
    return jnp.sum(batch.weight * (free_energy(nothing) - free_energy(batch.observed)))


def gradient(
    parameters: BoltzmannParameters, layer: VisibleLayer, batch: Batch, beginning: Beginning
) -> Any:
    objective = MeanFieldCD(N_SWEEPS)
    memory = objective.first_memory(jax.random.key(0), layer, beginning, 20)
    return objective.gradient(parameters, layer, batch, memory, beginning, jax.random.key(1))


# Forward mode goes through the iteration itself: nothing is assumed of the fixed points.
derivative = compiled(jax.jacfwd(evidence))
drawn = compiled(gradient)


def test_gradient_is_that_of_the_free_energies_at_the_fixed_points() -> None:
    batch, beginning = batch_of(CASE, 1), beginning_of(CASE)
    expected = derivative(CASE.parameters, CASE.layer, batch, beginning)
    found, _ = drawn(CASE.parameters, CASE.layer, batch, beginning)
    for name, one, other in zip(found._fields, found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10, err_msg=name)
        assert np.linalg.norm(other) > 0.01, name


def test_hidden_values_are_not_read() -> None:
    batch, beginning = batch_of(CASE, 1), beginning_of(CASE)
    behind = batch._replace(visible=np.where(batch.observed, batch.visible, 1e9))
    found = drawn(CASE.parameters, CASE.layer, batch, beginning)
    assert_same_bits(found, drawn(CASE.parameters, CASE.layer, behind, beginning))


def test_padding_does_not_count() -> None:
    batch, beginning = batch_of(CASE, 1), beginning_of(CASE)
    padded = batch._replace(weight=np.where(np.arange(7) < 5, 0.2, 0.0))
    other = padded._replace(
        visible=np.where(np.arange(7)[:, None] < 5, batch.visible, 0.0),
        observed=np.where(np.arange(7)[:, None] < 5, batch.observed, False),
    )
    found, memory = drawn(CASE.parameters, CASE.layer, padded, beginning)
    expected, _ = drawn(CASE.parameters, CASE.layer, other, beginning)
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)
    assert memory.negative.shape == memory.positive.shape == (0, 10)
