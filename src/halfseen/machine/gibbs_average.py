"""Completion by averaging pinned Gibbs chains, an alternative to mean field."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import sample_hidden_from_visible, visible_input_from_hidden
from halfseen.machine.gibbs import gibbs_noise, pinned
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


def gibbs_average(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    starts: jax.Array,
    key: jax.Array,
    *,
    n_burn_in: int,
    n_steps: int,
) -> jax.Array:
    """Average of <v | h> over pinned chains, after ``n_burn_in`` steps.

    One chain for each start. The same random numbers serve every row, so that a row's result does
    not depend on what its companions hold.

    Parameters
    ----------
    parameters, layer
        The machine.
    visible, observed : jax.Array of shape (n_rows, n_visible)
        The rows; what stands at missing entries is not read.
    starts : jax.Array of shape (n_chains, n_visible)
        First values of the missing entries.
    key : jax.Array
        Random key.
    n_burn_in, n_steps : int
        Steps left out, and steps averaged.

    Returns
    -------
    jax.Array of shape (n_rows, n_visible)
        Observed entries at their values.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> seen = jnp.array([[True, False]])
    >>> gibbs_average(theta, layer, jnp.ones((1, 2)), seen, jnp.zeros((4, 2)),
    ...               jax.random.key(0), n_burn_in=1, n_steps=2).tolist()
    [[1.0, 0.5]]
    """
    n_hidden = parameters.hidden_bias.shape[-1]
    n_chains = starts.shape[0]

    def step(index: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        chains, total = state
        step_key = jax.random.fold_in(key, index)
        noise = gibbs_noise(step_key, layer, n_hidden, (n_chains, 1), chains.dtype)
        hidden = sample_hidden_from_visible(parameters, chains, noise.hidden)
        inputs = visible_input_from_hidden(parameters, hidden)
        mean = layer.mean_from_input(inputs, parameters.log_variance)
        sampled = layer.sample_from_input(noise.visible, inputs, parameters.log_variance)
        counted = (index >= n_burn_in).astype(mean.dtype)
        return pinned(visible, observed, sampled), total + counted * jnp.sum(mean, axis=0)

    first = pinned(visible, observed, starts[:, None, :])
    total = jnp.zeros(visible.shape, visible.dtype)
    _, total = jax.lax.fori_loop(0, n_burn_in + n_steps, step, (first, total))
    return pinned(visible, observed, total / (n_chains * n_steps))
