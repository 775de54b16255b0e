"""Exact evidence of tiny machines, by enumeration of the hidden configurations."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.machine.conditionals import visible_input_from_hidden
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

MOST_HIDDEN_UNITS = 20


def hidden_configurations(n_hidden: int, dtype: jnp.dtype) -> jax.Array:
    """All 2^n_hidden configurations, of shape (2^n_hidden, n_hidden).

    Examples
    --------
    >>> hidden_configurations(2, jnp.float32).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    if n_hidden > MOST_HIDDEN_UNITS:
        raise ValueError(
            f"enumeration of {n_hidden} hidden units is out of reach (at most "
            f"{MOST_HIDDEN_UNITS}); estimate with halfseen.machine.annealed instead"
        )
    codes = np.arange(2**n_hidden)[:, None]
    bits = (codes >> np.arange(n_hidden - 1, -1, -1)) & 1
    return jnp.asarray(bits, dtype)


def exact_log_observed(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> jax.Array:
    """log Z_O of every row: the missing entries integrated, the hidden ones summed, exactly.

    Parameters
    ----------
    parameters : BoltzmannParameters
        A machine with at most 20 hidden units.
    layer : VisibleLayer
        The kinds of its visible units.
    visible : jax.Array of shape (n_rows, n_visible)
        Values; what stands at missing entries is not read.
    observed : jax.Array of bool, of shape (n_rows, n_visible)
        True where the value was seen.

    Returns
    -------
    jax.Array of shape (n_rows,)

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=1)
    >>> theta = BoltzmannParameters(jnp.zeros((1, 2)), jnp.zeros(1), jnp.zeros(2), jnp.zeros(0))
    >>> nothing = jnp.zeros((1, 1), bool)
    >>> round(float(exact_log_observed(theta, layer, jnp.zeros((1, 1)), nothing)[0]), 4)  # log 8
    2.0794
    """
    hidden = hidden_configurations(parameters.hidden_bias.shape[-1], parameters.weights.dtype)
    held = jnp.where(observed, visible, 0.0)
    inputs = visible_input_from_hidden(parameters, hidden)  # (2^H, n_visible)
    observed_blocks = layer.observed_blocks(observed)
    of_missing = layer.log_partition(inputs, parameters.log_variance)  # (2^H, n_blocks)
    exponent = (
        hidden @ parameters.hidden_bias
        + held @ inputs.T
        + (~observed_blocks).astype(held.dtype) @ of_missing.T
    )  # (n_rows, 2^H)
    of_observed = jnp.where(observed_blocks, layer.log_prior(held, parameters.log_variance), 0.0)
    return jax.nn.logsumexp(exponent, axis=-1) + jnp.sum(of_observed, axis=-1)


def exact_log_partition(parameters: BoltzmannParameters, layer: VisibleLayer) -> jax.Array:
    """log Z: the evidence of a row in which nothing is observed.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=1, n_bernoulli=0)
    >>> theta = BoltzmannParameters(jnp.zeros((1, 1)), jnp.zeros(1), jnp.zeros(1), jnp.zeros(1))
    >>> round(float(exact_log_partition(theta, layer)), 4)  # log 2
    0.6931
    """
    nothing = jnp.zeros((1, layer.n_visible), bool)
    empty = jnp.zeros(nothing.shape, parameters.weights.dtype)
    return exact_log_observed(parameters, layer, empty, nothing)[0]


def exact_log_probability(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> jax.Array:
    """log P(v_o) = log Z_O - log Z of every row, of shape (n_rows,)."""
    log_observed = exact_log_observed(parameters, layer, visible, observed)
    return log_observed - exact_log_partition(parameters, layer)
