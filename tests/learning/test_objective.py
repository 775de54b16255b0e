"""What all objectives share: the step from two terms to a direction and new centres."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.learning.objective import Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.statistics import (
    Offsets,
    Statistics,
    centred_gradient,
    contrast,
    plain_gradient,
)
from halfseen.machine.parameters import BoltzmannParameters
from learning.small import LAYER, assert_same_bits

N_VISIBLE, N_HIDDEN = LAYER.n_visible, 5


def numbers(seed: int, *shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).random(shape), jnp.float32)


def statistics(seed: int) -> Statistics:
    return Statistics(
        numbers(seed, N_HIDDEN, N_VISIBLE),
        numbers(seed + 1, N_VISIBLE),
        numbers(seed + 2, N_HIDDEN),
        numbers(seed + 3, 2),
    )


PARAMETERS = BoltzmannParameters(
    numbers(20, N_VISIBLE, N_HIDDEN), numbers(21, N_VISIBLE), numbers(22, N_HIDDEN), numbers(23, 2)
)
CENTRES = Offsets(numbers(31, N_VISIBLE), numbers(32, N_HIDDEN))
BEGINNING = Beginning(numbers(30, N_VISIBLE), CENTRES)
TERMS = contrast(statistics(1), statistics(9))


def memory() -> Memory:
    return memory_without_chains(LAYER, BEGINNING)


def test_an_objective_without_chains_keeps_the_centres_only() -> None:
    kept = memory()
    assert kept.negative.shape == kept.positive.shape == (0, N_VISIBLE)
    assert_same_bits(kept.offsets, CENTRES)


def test_centres_that_do_not_move_are_none() -> None:
    gradient, after = ascent(TERMS, PARAMETERS, memory(), 0.0)
    assert_same_bits(after, memory())
    assert_same_bits(gradient, plain_gradient(TERMS.difference, PARAMETERS))


def test_the_gradient_is_taken_at_the_new_centres() -> None:
    gradient, after = ascent(TERMS, PARAMETERS, memory(), 1.0)
    there = Offsets(statistics(1).visible, statistics(1).hidden)
    assert_same_bits(after.offsets, there)
    assert_same_bits(gradient, centred_gradient(TERMS.difference, PARAMETERS, there))
