"""A multi-layer perceptron as pure functions on a pytree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Layer(NamedTuple):
    """One affine map."""

    weights: jax.Array  # (n_inputs, n_outputs)
    bias: jax.Array  # (n_outputs,)


Perceptron = tuple[Layer, ...]


def initial_layer(generator: np.random.Generator, n_inputs: int, n_outputs: int) -> Layer:
    """Weights drawn as by Glorot and Bengio (2010), bias zero."""
    spread = np.sqrt(2.0 / (n_inputs + n_outputs))
    weights = spread * generator.standard_normal((n_inputs, n_outputs))
    return Layer(
        jnp.asarray(weights.astype(np.float32)), jnp.asarray(np.zeros(n_outputs, np.float32))
    )


def initial_perceptron(generator: np.random.Generator, sizes: Sequence[int]) -> Perceptron:
    """A perceptron before training.

    Parameters
    ----------
    generator : numpy.random.Generator
        Where the weights come from.
    sizes : sequence of int
        Width of the input, of every hidden layer, and of the output.

    Examples
    --------
    >>> perceptron = initial_perceptron(np.random.default_rng(0), (4, 3, 2))
    >>> [layer.weights.shape for layer in perceptron]
    [(4, 3), (3, 2)]
    """
    return tuple(
        initial_layer(generator, n_inputs, n_outputs) for n_inputs, n_outputs in pairwise(sizes)
    )


def affine(layer: Layer, inputs: jax.Array) -> jax.Array:
    """Inputs (..., n_inputs) to outputs (..., n_outputs)."""
    return inputs @ layer.weights + layer.bias


def perceptron_output(perceptron: Perceptron, inputs: jax.Array) -> jax.Array:
    """The output of the last layer, linear; the layers before it are rectified.

    Examples
    --------
    >>> perceptron = initial_perceptron(np.random.default_rng(0), (4, 3, 2))
    >>> perceptron_output(perceptron, jnp.zeros((5, 4))).shape
    (5, 2)
    """
    for layer in perceptron[:-1]:
        inputs = jax.nn.relu(affine(layer, inputs))
    return affine(perceptron[-1], inputs)


def perceptron_output_with_dropout(
    perceptron: Perceptron, inputs: jax.Array, uniform: jax.Array, rate: jax.Array | float
) -> jax.Array:
    """The output while training: each hidden unit is silenced with probability ``rate`` in [0, 1).

    Parameters
    ----------
    perceptron : Perceptron
        The layers.
    inputs : array of shape (n_rows, n_inputs)
        What it reads.
    uniform : array of shape (n_rows, n_hidden), n_hidden summed over the hidden layers
        Draws from U(0, 1): a unit whose draw is below the rate is silent.
    rate : float
        Share of units to silence.

    Examples
    --------
    >>> perceptron = initial_perceptron(np.random.default_rng(0), (4, 3, 2))
    >>> inputs, uniform = jnp.ones((5, 4)), jnp.full((5, 3), 0.5)
    >>> loud = perceptron_output_with_dropout(perceptron, inputs, uniform, 0.0)
    >>> bool(jnp.all(loud == perceptron_output(perceptron, inputs)))
    True
    """
    start = 0
    for layer in perceptron[:-1]:
        width = len(layer.bias)
        kept = uniform[:, start : start + width] >= rate
        inputs = jnp.where(kept, jax.nn.relu(affine(layer, inputs)) / (1.0 - rate), 0.0)
        start += width
    return affine(perceptron[-1], inputs)
