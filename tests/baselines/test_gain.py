"""GAIN: the two losses by hand, and what each player may see."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._perceptron import initial_perceptron
from halfseen.baselines.gain import (
    discriminator_inputs,
    discriminator_loss,
    generated,
    generator_loss,
)

DRAWS = np.random.default_rng(0)
GENERATOR, DISCRIMINATOR = (initial_perceptron(DRAWS, (6, 3, 3, 3)) for _ in range(2))
ROW = jnp.asarray(DRAWS.random((8, 3)), jnp.float32)
NOISE = jnp.asarray(DRAWS.random((8, 3)), jnp.float32)
OBSERVED = jnp.asarray(DRAWS.random((8, 3)) < 0.6)
HINT = jnp.asarray(OBSERVED & (DRAWS.random((8, 3)) < 0.9), jnp.float32)


def test_the_generator_does_not_read_what_is_missing() -> None:
    other = jnp.where(OBSERVED, ROW, 77.0)
    said = generated(GENERATOR, ROW, OBSERVED, NOISE)
    assert np.array_equal(said, generated(GENERATOR, other, OBSERVED, NOISE))
    assert ((said >= 0) & (said <= 1)).all()


def test_the_losses_are_those_of_the_paper() -> None:
    said = np.asarray(generated(GENERATOR, ROW, OBSERVED, NOISE))
    seen = np.asarray(OBSERVED)
    completed = jnp.where(OBSERVED, ROW, said)
    guess = 1 / (1 + np.exp(-np.asarray(discriminator_inputs(DISCRIMINATOR, completed, HINT))))
    expected = -np.where(seen, np.log(guess), np.log(1 - guess)).mean()
    loss = discriminator_loss(DISCRIMINATOR, completed, OBSERVED, HINT)
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    squared = np.mean((said - np.asarray(ROW))[seen] ** 2)
    expected = -np.where(seen, 0, np.log(guess)).mean() + 10 * squared
    loss = generator_loss(GENERATOR, DISCRIMINATOR, ROW, OBSERVED, NOISE, HINT, 10.0)
    assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_what_is_missing_moves_nothing() -> None:
    other = jnp.where(OBSERVED, ROW, 77.0)
    gradient = jax.jit(jax.grad(generator_loss))
    for left, right in zip(
        jax.tree.leaves(gradient(GENERATOR, DISCRIMINATOR, ROW, OBSERVED, NOISE, HINT, 10.0)),
        jax.tree.leaves(gradient(GENERATOR, DISCRIMINATOR, other, OBSERVED, NOISE, HINT, 10.0)),
        strict=True,
    ):
        assert np.array_equal(left, right)
