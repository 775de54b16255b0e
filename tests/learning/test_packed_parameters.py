"""Parameters as they lie in training, there and back again."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.learning.packed_parameters import packed, unpacked
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide
from learning.small import assert_same_bits

N_UNITS, N_KNOTS, N_HIDDEN = 5, 6, 3


def some_parameters(axes: tuple[int, ...], sees_missing: bool) -> PredictiveParameters:
    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> Any:
        return rng.normal(size=(*axes, *shape)).astype(np.float32)

    def wide(*more: int) -> Wide:
        return Wide(drawn(N_UNITS, *more), drawn(N_KNOTS, *more))

    return PredictiveParameters(
        wide(N_HIDDEN),
        wide(),
        drawn(N_HIDDEN),
        wide(),
        wide(),
        drawn(N_UNITS, N_HIDDEN) if sees_missing else None,
    )


@pytest.mark.parametrize("sees_missing", [False, True])
@pytest.mark.parametrize("axes", [(), (2,)])
def test_what_is_packed_can_be_unpacked(axes: tuple[int, ...], sees_missing: bool) -> None:
    parameters = some_parameters(axes, sees_missing)
    own = packed(parameters)
    assert own.vectors.shape == (*axes, 2 * (N_UNITS + N_KNOTS) + N_HIDDEN)
    assert own.weights.knots.shape == (*axes, N_HIDDEN, N_KNOTS)
    assert_same_bits(unpacked(own, parameters.start_bias), parameters)


def test_device_and_host_pack_alike() -> None:
    parameters = some_parameters((), True)
    on_device = jax.jit(packed)(jax.tree.map(jnp.asarray, parameters))
    assert_same_bits(jax.device_get(on_device), packed(parameters))


def test_biases_of_the_start_are_not_learned() -> None:
    parameters = some_parameters((), False)
    elsewhere = parameters._replace(start_bias=Wide(np.ones(N_UNITS), np.ones(N_KNOTS)))
    assert_same_bits(packed(elsewhere), packed(parameters))
