"""The second-order (TAP) equations, which the paper discards after eq. (13)."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import (
    hidden_input_from_visible,
    hidden_mean_from_visible,
    visible_input_from_hidden,
)
from halfseen.machine.gibbs import pinned
from halfseen.machine.mean_field import (
    FixedPoint,
    Sweep,
    iterate_to_rest,
    mean_field_free_energy,
)
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


def second_order(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    start: jax.Array,
    *,
    n_sweeps: int,
    tolerance: float = 0.0,
    damping: float = 0.5,
) -> FixedPoint:
    """Solve the TAP equations by damped iteration, the observed entries pinned.

    With c_i the variance of unit i at its mean (0 where pinned) and d_j = q_j (1 - q_j), the
    mean-field free energy gains the Onsager term ``- 1/2 sum_ij w_ij^2 c_i d_j`` (for a softmax
    group, its covariance in place of c_i), and every input its derivative.

    Parameters and returned value are those of :func:`halfseen.machine.mean_field.mean_field`.

    Examples
    --------
    >>> from halfseen.machine.parameters import BoltzmannParameters
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=1)
    >>> theta = BoltzmannParameters(jnp.zeros((1, 3)), jnp.zeros(1), jnp.zeros(3), jnp.zeros(0))
    >>> rest = second_order(theta, layer, jnp.zeros(1), jnp.array([False]), jnp.ones(1),
    ...                     n_sweeps=50)
    >>> rest.visible_mean.tolist()
    [0.5]
    """
    first = pinned(visible, observed, start)
    first, observed = jnp.broadcast_arrays(first, observed)
    visible_mean, hidden_mean, used = iterate_to_rest(
        second_order_sweep(parameters, layer, visible, observed),
        first,
        hidden_mean_from_visible(parameters, first),
        n_sweeps=n_sweeps,
        tolerance=tolerance,
        damping=damping,
    )
    first_order = mean_field_free_energy(parameters, layer, visible_mean, hidden_mean, observed)
    spread = variance_at_hidden(parameters, layer, visible_mean, observed)
    onsager = 0.5 * jnp.sum(hidden_mean * (1 - hidden_mean) * spread, axis=-1)
    return FixedPoint(visible_mean, hidden_mean, first_order - onsager, used)


def second_order_sweep(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> Sweep:
    """One pass over the hidden means, then over the missing visible means."""

    def sweep(visible_mean: jax.Array, hidden_mean: jax.Array) -> tuple[jax.Array, jax.Array]:
        spread = variance_at_hidden(parameters, layer, visible_mean, observed)
        hidden_input = hidden_input_from_visible(parameters, visible_mean)
        hidden = jax.nn.sigmoid(hidden_input + (0.5 - hidden_mean) * spread)
        reaction = _visible_reaction(parameters, layer, visible_mean, hidden * (1 - hidden))
        inputs = visible_input_from_hidden(parameters, hidden) + reaction
        free_mean = layer.mean_from_input(inputs, parameters.log_variance)
        return pinned(visible, observed, free_mean), hidden

    return sweep


def variance_at_hidden(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible_mean: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """Variance that the missing units bring to each hidden input, of shape (..., n_hidden)."""
    missing = (~observed).astype(visible_mean.dtype)
    _, bernoulli, softmax = layer.split(visible_mean)
    gaussian_missing, bernoulli_missing, softmax_missing = layer.split(missing)
    second_moment = jnp.concatenate(
        [
            jnp.exp(parameters.log_variance) * gaussian_missing,
            bernoulli * (1 - bernoulli) * bernoulli_missing,
            softmax * softmax_missing,
        ],
        axis=-1,
    )
    spread = second_moment @ parameters.weights**2
    if layer.group_sizes:
        group_mean = _group_mean_weight(parameters, layer, softmax * softmax_missing)
        spread = spread - jnp.sum(group_mean**2, axis=-2)
    return spread


def _visible_reaction(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible_mean: jax.Array,
    hidden_variance: jax.Array,
) -> jax.Array:
    """Derivative of the Onsager term by every visible mean, of shape (..., n_visible)."""
    squared = 0.5 * hidden_variance @ (parameters.weights**2).T
    gaussian, bernoulli, softmax = layer.split(squared)
    _, bernoulli_mean, softmax_mean = layer.split(visible_mean)
    parts = [jnp.zeros_like(gaussian), bernoulli * (1 - 2 * bernoulli_mean)]
    if layer.group_sizes:
        group_mean = _group_mean_weight(parameters, layer, softmax_mean)
        shared = jnp.einsum(
            "...gh,ghk->...gk",
            hidden_variance[..., None, :] * group_mean,
            jnp.swapaxes(_seated_weights(parameters, layer), -1, -2),
        )
        parts.append(softmax - layer.groups.unseated(shared))
    return jnp.concatenate(parts, axis=-1)


def _seated_weights(parameters: BoltzmannParameters, layer: VisibleLayer) -> jax.Array:
    """Weights of the softmax block, of shape (n_groups, widest, n_hidden)."""
    of_softmax = parameters.weights[layer.n_gaussian + layer.n_bernoulli :]
    return jnp.moveaxis(layer.groups.seated(of_softmax.T, 0.0), 0, -1)


def _group_mean_weight(
    parameters: BoltzmannParameters, layer: VisibleLayer, softmax_mean: jax.Array
) -> jax.Array:
    """sum_k p_k w_kj of every group, of shape (..., n_groups, n_hidden)."""
    seated = layer.groups.seated(softmax_mean, 0.0)
    return jnp.einsum("...gk,gkh->...gh", seated, _seated_weights(parameters, layer))
