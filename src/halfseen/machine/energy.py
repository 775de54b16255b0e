"""Energy (eq. 1), and free energies with one of the two layers summed out."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import hidden_input_from_visible, visible_input_from_hidden
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


def energy(parameters: BoltzmannParameters, visible: jax.Array, hidden: jax.Array) -> jax.Array:
    """E(v, h) of eq. (1), without the prior; leading axes broadcast.

    Examples
    --------
    >>> theta = BoltzmannParameters(jnp.ones((2, 1)), jnp.ones(2), jnp.ones(1), jnp.zeros(0))
    >>> float(energy(theta, jnp.array([1.0, 0.0]), jnp.array([1.0])))
    -3.0
    """
    return -(
        jnp.sum((visible @ parameters.weights) * hidden, axis=-1)
        + visible @ parameters.visible_bias
        + hidden @ parameters.hidden_bias
    )


def free_energy(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array
) -> jax.Array:
    """F(v) = -log p_prior(v) sum_h exp(-E(v, h)), so that P(v) = exp(-F(v)) / Z.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> round(float(free_energy(theta, layer, jnp.ones(2))), 4)  # -3 log 2
    -2.0794
    """
    hidden_input = hidden_input_from_visible(parameters, visible)
    return -(
        visible @ parameters.visible_bias
        + jnp.sum(layer.log_prior(visible, parameters.log_variance), axis=-1)
        + jnp.sum(jax.nn.softplus(hidden_input), axis=-1)
    )


def hidden_free_energy(
    parameters: BoltzmannParameters, layer: VisibleLayer, hidden: jax.Array
) -> jax.Array:
    """F(h) = -log int dv p_prior(v) exp(-E(v, h)), so that P(h) = exp(-F(h)) / Z.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=1, n_bernoulli=1)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(1))
    >>> round(float(hidden_free_energy(theta, layer, jnp.ones(3))), 4)  # -log 2
    -0.6931
    """
    visible_input = visible_input_from_hidden(parameters, hidden)
    return -(
        hidden @ parameters.hidden_bias
        + jnp.sum(layer.log_partition(visible_input, parameters.log_variance), axis=-1)
    )
