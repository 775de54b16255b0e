"""Multi-layer perceptrons: shapes, output by hand, dropout."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._perceptron import (
    initial_perceptron,
    perceptron_output,
    perceptron_output_with_dropout,
)


def test_the_output_is_that_of_a_loop_in_numpy() -> None:
    generator = np.random.default_rng(0)
    perceptron = initial_perceptron(generator, (4, 5, 6, 2))
    inputs = generator.normal(size=(3, 4)).astype(np.float32)
    expected = inputs
    for place, layer in enumerate(perceptron):
        expected = expected @ np.asarray(layer.weights) + np.asarray(layer.bias)
        if place < 2:
            expected = np.maximum(expected, 0)
    assert np.asarray(perceptron_output(perceptron, jnp.asarray(inputs))) == pytest.approx(
        expected, abs=1e-5
    )


def test_the_weights_have_the_spread_of_glorot_and_bengio() -> None:
    (layer,) = initial_perceptron(np.random.default_rng(0), (300, 200))
    assert float(layer.weights.std()) == pytest.approx(np.sqrt(2 / 500), rel=0.02)
    assert not layer.bias.any()


def test_dropout_keeps_the_mean_of_a_hidden_layer() -> None:
    generator = np.random.default_rng(0)
    perceptron = initial_perceptron(generator, (4, 400, 1))
    inputs = jnp.asarray(np.repeat(generator.normal(size=(1, 4)), 2000, axis=0).astype(np.float32))
    uniform = jnp.asarray(generator.random((2000, 400)).astype(np.float32))
    dropped = perceptron_output_with_dropout(perceptron, inputs, uniform, 0.3)
    whole = float(perceptron_output(perceptron, inputs)[0, 0])
    assert float(dropped.mean()) == pytest.approx(whole, abs=4 * float(dropped.std()) / 2000**0.5)
    assert float(dropped.std()) > 0


def test_a_unit_whose_draw_is_below_the_rate_is_silent() -> None:
    perceptron = initial_perceptron(np.random.default_rng(0), (2, 3, 3, 1))
    inputs = jnp.ones((1, 2))
    silent = perceptron_output_with_dropout(perceptron, inputs, jnp.zeros((1, 6)), 0.5)
    assert np.asarray(silent) == pytest.approx(np.asarray(perceptron[-1].bias)[None])
