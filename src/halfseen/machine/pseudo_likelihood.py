"""Pseudo-likelihood on observed sites: each observed entry predicted from the rest of its row."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import hidden_input_from_visible
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

# Points of the trapezoid rule, over all means that any hidden configuration can give a unit and
# eight standard deviations beyond.
_N_POINTS = 4001
_REACH = 8.0


def log_pseudo_likelihood(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    completed: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """Sum over observed blocks of log P(v_i | all other entries), hidden units summed out.

    Missing entries take part as what they were completed to. A diagnostic for tables of moderate
    width: every block of a row costs one pass over the hidden units (every Gaussian unit one for
    each point of its quadrature).

    Parameters
    ----------
    parameters, layer
        The machine.
    completed : jax.Array of shape (n_rows, n_visible)
        Rows with their missing entries filled.
    observed : jax.Array of bool, of shape (n_rows, n_visible)
        True where the value was seen.

    Returns
    -------
    jax.Array of shape (n_rows,)

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> seen = jnp.array([[True, False]])
    >>> round(float(log_pseudo_likelihood(theta, layer, jnp.zeros((1, 2)), seen)[0]), 4)  # -log 2
    -0.6931
    """
    hidden_input = hidden_input_from_visible(parameters, completed)
    of_block = [
        _gaussian_sites(parameters, layer, completed, hidden_input),
        _bernoulli_sites(parameters, layer, completed, hidden_input),
        _softmax_sites(parameters, layer, completed, hidden_input),
    ]
    sites = jnp.concatenate(of_block, axis=-1)  # (n_rows, n_blocks)
    return jnp.sum(jnp.where(layer.observed_blocks(observed), sites, 0.0), axis=-1)


def _gaussian_sites(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    completed: jax.Array,
    hidden_input: jax.Array,
) -> jax.Array:
    """log p(v_i | rest) of Gaussian units, normalised by quadrature, (n_rows, n_gaussian)."""
    places = jnp.linspace(0.0, 1.0, _N_POINTS, dtype=completed.dtype)

    def log_weight(unit: jax.Array, value: jax.Array) -> jax.Array:
        shift = (value - completed[:, unit])[:, None] * parameters.weights[unit]
        inverse = jnp.exp(-parameters.log_variance[unit])
        hidden = jnp.sum(jax.nn.softplus(hidden_input + shift), axis=-1)
        return hidden + parameters.visible_bias[unit] * value - 0.5 * inverse * value**2

    def site(unit: jax.Array) -> jax.Array:
        rows = completed.shape[:1]
        weights, bias = parameters.weights[unit], parameters.visible_bias[unit]
        variance = jnp.exp(parameters.log_variance[unit])
        beyond = _REACH * jnp.sqrt(variance)
        lowest = variance * (bias + jnp.sum(jnp.minimum(weights, 0.0))) - beyond
        highest = variance * (bias + jnp.sum(jnp.maximum(weights, 0.0))) + beyond
        grid = lowest + places * (highest - lowest)
        log_step = jnp.log(grid[1] - grid[0])
        on_grid = jax.lax.map(lambda x: log_weight(unit, jnp.broadcast_to(x, rows)), grid)
        log_norm = jax.nn.logsumexp(on_grid, axis=0) + log_step
        return log_weight(unit, completed[:, unit]) - log_norm

    return _over(site, 0, layer.n_gaussian, completed)


def _bernoulli_sites(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    completed: jax.Array,
    hidden_input: jax.Array,
) -> jax.Array:
    """log P(v_i | rest) of Bernoulli units, grey levels as expectations, (n_rows, n_bernoulli)."""

    def site(unit: jax.Array) -> jax.Array:
        value = completed[:, unit]
        without = hidden_input - value[:, None] * parameters.weights[unit]
        log_odds = parameters.visible_bias[unit] + jnp.sum(
            jax.nn.softplus(without + parameters.weights[unit]) - jax.nn.softplus(without), axis=-1
        )
        return value * log_odds - jax.nn.softplus(log_odds)

    return _over(site, layer.n_gaussian, layer.n_bernoulli, completed)


def _softmax_sites(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    completed: jax.Array,
    hidden_input: jax.Array,
) -> jax.Array:
    """log P(group | rest) of softmax groups, (n_rows, n_groups)."""
    if not layer.group_sizes:
        return jnp.zeros((completed.shape[0], 0), completed.dtype)
    single = layer.n_gaussian + layer.n_bernoulli
    value = completed[:, single:]
    seated = layer.groups.seated(value, 0.0)
    weights = parameters.weights[single:]
    group_weights = jnp.moveaxis(layer.groups.seated(weights.T, 0.0), 0, -1)
    of_group = jnp.einsum("ngk,gkh->ngh", seated, group_weights)

    def choice(unit: jax.Array) -> jax.Array:
        group = jnp.asarray(layer.groups.group_of_unit)[unit]
        without = hidden_input - of_group[:, group]
        hidden = jnp.sum(jax.nn.softplus(without + weights[unit]), axis=-1)
        return hidden + parameters.visible_bias[single + unit]

    log_weight = jax.lax.map(choice, jnp.arange(layer.groups.n_units)).T  # (n_rows, n_units)
    chosen = layer.groups.group_sum(value * log_weight)
    return chosen - layer.groups.log_partition(log_weight)


def _over(
    site: Callable[[jax.Array], jax.Array], first: int, count: int, completed: jax.Array
) -> jax.Array:
    """``site`` of every unit from ``first`` on, one after the other, (n_rows, count)."""
    if count == 0:
        return jnp.zeros((completed.shape[0], 0), completed.dtype)
    of_unit: jax.Array = jax.lax.map(site, first + jnp.arange(count))
    return of_unit.T
