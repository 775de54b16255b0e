"""The conditionals of eqs. (4) and (5): what one layer says of the other."""

from __future__ import annotations

import jax

from halfseen.machine.bernoulli_sample import bernoulli_sample
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.sigmoid import sigmoid
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise


def hidden_input_from_visible(parameters: BoltzmannParameters, visible: jax.Array) -> jax.Array:
    """b_j + sum_i v_i w_ij, of shape (..., n_hidden)."""
    return visible @ parameters.weights + parameters.hidden_bias


def hidden_mean_from_visible(parameters: BoltzmannParameters, visible: jax.Array) -> jax.Array:
    """P(h_j = 1 | v), eq. (5)."""
    mean: jax.Array = sigmoid(hidden_input_from_visible(parameters, visible))
    return mean


def sample_hidden_from_visible(
    parameters: BoltzmannParameters, visible: jax.Array, uniform: jax.Array
) -> jax.Array:
    """h ~ P(h | v), eq. (5), from uniform numbers of shape (..., n_hidden)."""
    return bernoulli_sample(uniform, hidden_input_from_visible(parameters, visible))


def visible_input_from_hidden(parameters: BoltzmannParameters, hidden: jax.Array) -> jax.Array:
    """a_i + sum_j w_ij h_j, of shape (..., n_visible)."""
    return hidden @ parameters.weights.T + parameters.visible_bias


def visible_mean_from_hidden(
    parameters: BoltzmannParameters, layer: VisibleLayer, hidden: jax.Array
) -> jax.Array:
    """<v | h>, eq. (4)."""
    return layer.mean_from_input(
        visible_input_from_hidden(parameters, hidden), parameters.log_variance
    )


def sample_visible_from_hidden(
    parameters: BoltzmannParameters, layer: VisibleLayer, hidden: jax.Array, noise: VisibleNoise
) -> jax.Array:
    """v ~ P(v | h), eq. (4), from the random numbers of ``layer.noise``."""
    return layer.sample_from_input(
        noise, visible_input_from_hidden(parameters, hidden), parameters.log_variance
    )
