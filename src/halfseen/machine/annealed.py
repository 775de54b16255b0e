"""Annealed importance sampling: the evidence of machines too large to enumerate."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from halfseen.machine.conditionals import hidden_input_from_visible
from halfseen.machine.gibbs import GibbsNoise, gibbs_noise, pinned, pinned_gibbs_step
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


class AnnealedEstimate(NamedTuple):
    """An estimate of log Z_O and its standard error over chains, one for each row."""

    log_observed: jax.Array  # (n_rows,)
    standard_error: jax.Array  # (n_rows,)


def at_temperature(
    parameters: BoltzmannParameters, base_bias: jax.Array, beta: jax.Array
) -> BoltzmannParameters:
    """The machine on the way from independent units (beta 0) to itself (beta 1)."""
    return parameters._replace(
        weights=beta * parameters.weights,
        hidden_bias=beta * parameters.hidden_bias,
        visible_bias=(1 - beta) * base_bias + beta * parameters.visible_bias,
    )


def annealed_log_observed(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    key: jax.Array,
    *,
    base_bias: jax.Array,
    n_temperatures: int,
    n_chains: int,
) -> AnnealedEstimate:
    """Estimate log Z_O of every row, from independent units to the machine.

    The same random numbers serve every row, so that the result of a row does not depend on what
    its companions hold. A fully observed row comes out exactly, with error 0. On average over
    chains the estimate of Z_O is exact, so that its logarithm is, on average, slightly too small.

    Parameters
    ----------
    parameters, layer, visible, observed
        As in :func:`halfseen.machine.exact.exact_log_observed`.
    key : jax.Array
        Random key.
    base_bias : jax.Array of shape (n_visible,)
        Visible biases of the machine of independent units; those of the data's marginals serve.
    n_temperatures : int
        Steps from independence to the machine; more steps, smaller error.
    n_chains : int
        Chains per row; the error of a single chain is not known, and infinite.

    Returns
    -------
    AnnealedEstimate

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=1)
    >>> theta = BoltzmannParameters(jnp.zeros((1, 2)), jnp.zeros(1), jnp.zeros(2), jnp.zeros(0))
    >>> nothing = jnp.zeros((1, 1), bool)
    >>> estimate = annealed_log_observed(theta, layer, jnp.zeros((1, 1)), nothing,
    ...     jax.random.key(0), base_bias=jnp.zeros(1), n_temperatures=5, n_chains=3)
    >>> round(float(estimate.log_observed[0]), 4)  # log 8
    2.0794
    """
    visible = jnp.where(observed, visible, 0.0)
    start_key, step_key = jax.random.split(key)
    base = at_temperature(parameters, base_bias, jnp.zeros((), visible.dtype))
    base_noise = layer.noise(start_key, (n_chains, 1), visible.dtype)
    independent = layer.sample_from_input(base_noise, base.visible_bias, base.log_variance)
    chains = pinned(visible, observed, independent)  # (n_chains, n_rows, n_visible)

    def step(index: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        chains, log_weight = state
        beta_before = index / n_temperatures
        beta = (index + 1) / n_temperatures
        warmer = at_temperature(parameters, base_bias, beta_before.astype(visible.dtype))
        colder = at_temperature(parameters, base_bias, beta.astype(visible.dtype))
        log_weight = log_weight + _log_weight(colder, chains) - _log_weight(warmer, chains)
        noise = _shared_noise(parameters, layer, chains, jax.random.fold_in(step_key, index))
        return pinned_gibbs_step(colder, layer, chains, observed, noise), log_weight

    zero = jnp.zeros(chains.shape[:-1], visible.dtype)
    _, log_weight = jax.lax.fori_loop(0, n_temperatures, step, (chains, zero))
    return _estimate(log_weight, _log_base(base, layer, visible, observed))


def reverse_annealed_log_partition(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    samples: jax.Array,
    key: jax.Array,
    *,
    base_bias: jax.Array,
    n_temperatures: int,
) -> AnnealedEstimate:
    """Estimate log Z from samples of the machine down to independent units.

    On average slightly too large, as :func:`annealed_log_observed` is slightly too small: together
    they bracket log Z, provided that ``samples`` of shape (n_chains, n_visible) come from the
    machine's own distribution.
    """
    chains = samples[:, None, :]
    nothing = jnp.zeros((1, layer.n_visible), bool)

    def step(index: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        chains, log_weight = state
        beta = 1 - index / n_temperatures
        beta_after = 1 - (index + 1) / n_temperatures
        colder = at_temperature(parameters, base_bias, beta.astype(samples.dtype))
        warmer = at_temperature(parameters, base_bias, beta_after.astype(samples.dtype))
        log_weight = log_weight + _log_weight(warmer, chains) - _log_weight(colder, chains)
        noise = _shared_noise(parameters, layer, chains, jax.random.fold_in(key, index))
        return pinned_gibbs_step(warmer, layer, chains, nothing, noise), log_weight

    zero = jnp.zeros(chains.shape[:-1], samples.dtype)
    _, log_weight = jax.lax.fori_loop(0, n_temperatures, step, (chains, zero))
    base = at_temperature(parameters, base_bias, jnp.zeros((), samples.dtype))
    downwards = _estimate(log_weight, jnp.zeros((1,), samples.dtype))
    log_base = _log_base(base, layer, jnp.zeros((1, layer.n_visible), samples.dtype), nothing)
    return AnnealedEstimate(log_base - downwards.log_observed, downwards.standard_error)


def _log_weight(parameters: BoltzmannParameters, visible: jax.Array) -> jax.Array:
    """log sum_h exp(-E(v, h)); the prior is the same at every temperature."""
    hidden_input = hidden_input_from_visible(parameters, visible)
    summed = jnp.sum(jax.nn.softplus(hidden_input), axis=-1)
    return summed + visible @ parameters.visible_bias


def _log_base(
    base: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> jax.Array:
    """log Z_O of independent units, of shape (n_rows,)."""
    of_block = jnp.where(
        layer.observed_blocks(observed),
        layer.log_prior(visible, base.log_variance),
        layer.log_partition(base.visible_bias, base.log_variance),
    )
    n_hidden = base.hidden_bias.shape[-1]
    return jnp.sum(of_block, axis=-1) + visible @ base.visible_bias + n_hidden * jnp.log(2.0)


def _shared_noise(
    parameters: BoltzmannParameters, layer: VisibleLayer, chains: jax.Array, key: jax.Array
) -> GibbsNoise:
    n_hidden = parameters.hidden_bias.shape[-1]
    return gibbs_noise(key, layer, n_hidden, (chains.shape[0], 1), chains.dtype)


def _estimate(log_weight: jax.Array, log_base: jax.Array) -> AnnealedEstimate:
    n_chains = log_weight.shape[0]
    log_mean = jax.nn.logsumexp(log_weight, axis=0) - jnp.log(n_chains)
    relative = jnp.exp(log_weight - log_mean)
    spread = jnp.sum((relative - 1) ** 2, axis=0)
    error = jnp.sqrt(spread / max(n_chains - 1, 1) / n_chains) if n_chains > 1 else jnp.inf + spread
    return AnnealedEstimate(log_base + log_mean, error)
