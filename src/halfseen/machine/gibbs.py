"""Gibbs sampling, free and with the observed entries pinned."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import (
    sample_hidden_from_visible,
    visible_input_from_hidden,
)
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise


class GibbsNoise(NamedTuple):
    """The random numbers of one step; leading axes broadcast against the chains'."""

    hidden: jax.Array  # (..., n_hidden), uniform
    visible: VisibleNoise


def gibbs_noise(
    key: jax.Array, layer: VisibleLayer, n_hidden: int, shape: tuple[int, ...], dtype: jnp.dtype
) -> GibbsNoise:
    """Random numbers for one step of chains with leading axes ``shape``."""
    hidden_key, visible_key = jax.random.split(key)
    return GibbsNoise(
        hidden=jax.random.uniform(hidden_key, (*shape, n_hidden), dtype),
        visible=layer.noise(visible_key, shape, dtype),
    )


def pinned(visible: jax.Array, observed: jax.Array, elsewhere: jax.Array) -> jax.Array:
    """Observed entries at their values, missing ones as in ``elsewhere``."""
    filled: jax.Array = namespace_of(elsewhere).where(observed, visible, elsewhere)
    return filled


def free_gibbs_step(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, noise: GibbsNoise
) -> jax.Array:
    """v -> h -> v: one step of the chain of the negative term."""
    hidden = sample_hidden_from_visible(parameters, visible, noise.hidden)
    inputs = visible_input_from_hidden(parameters, hidden)
    return layer.sample_from_input(noise.visible, inputs, parameters.log_variance)


def pinned_gibbs_step(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    noise: GibbsNoise,
) -> jax.Array:
    """v -> h -> v_m with v_o pinned: one step of the chain of the positive term."""
    hidden = sample_hidden_from_visible(parameters, visible, noise.hidden)
    inputs = visible_input_from_hidden(parameters, hidden)
    return layer.pinned_sample_from_input(
        visible, observed, noise.visible, inputs, parameters.log_variance
    )


def free_gibbs(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    start: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> jax.Array:
    """Run ``n_steps`` free steps from ``start`` of shape (n_chains, n_visible).

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), 20 * jnp.ones(2), jnp.zeros(3), jnp.zeros(0))
    >>> free_gibbs(theta, layer, jnp.zeros((1, 2)), jax.random.key(0), 3).tolist()
    [[1.0, 1.0]]
    """

    def step(index: jax.Array, visible: jax.Array) -> jax.Array:
        noise = _step_noise(parameters, layer, visible, key, index)
        return free_gibbs_step(parameters, layer, visible, noise)

    end: jax.Array = jax.lax.fori_loop(0, n_steps, step, start)
    return end


def pinned_gibbs(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    start: jax.Array,
    observed: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> jax.Array:
    """Run ``n_steps`` steps in which the observed entries of ``start`` stay where they are.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), 20 * jnp.ones(2), jnp.zeros(3), jnp.zeros(0))
    >>> observed = jnp.array([[True, False]])
    >>> pinned_gibbs(theta, layer, jnp.zeros((1, 2)), observed, jax.random.key(0), 3).tolist()
    [[0.0, 1.0]]
    """

    def step(index: jax.Array, visible: jax.Array) -> jax.Array:
        noise = _step_noise(parameters, layer, visible, key, index)
        return pinned_gibbs_step(parameters, layer, visible, observed, noise)

    end: jax.Array = jax.lax.fori_loop(0, n_steps, step, start)
    return end


def _step_noise(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    key: jax.Array,
    index: jax.Array,
) -> GibbsNoise:
    n_hidden = parameters.hidden_bias.shape[-1]
    step_key = jax.random.fold_in(key, index)
    return gibbs_noise(step_key, layer, n_hidden, visible.shape[:-1], visible.dtype)
