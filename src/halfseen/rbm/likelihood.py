"""Likelihood: log P(v_o) = log Z_O - log Z, exact for few hidden units and estimated for many.

Z_O integrates the missing visible units out of eq. (2) and sums over the hidden ones. With up to 20
hidden units all their configurations are enumerated. Beyond, annealed importance sampling leads
chains, clamped to the observed entries, from independent units to the machine (Neal 2001;
Salakhutdinov and Murray 2008).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from halfseen.rbm.gibbs import gibbs_chain
from halfseen.rbm.model import RBM

MAX_ENUMERATED_UNITS = 20
_CONFIGURATIONS_AT_ONCE = 2**12  # bounds the memory of the enumeration


class Estimate(NamedTuple):
    """An estimate by annealed importance sampling, with its standard error over the chains."""

    value: jax.Array
    standard_error: jax.Array  # nan for a single chain


def exact_log_z(rbm: RBM, visible: jax.Array, observed: jax.Array) -> jax.Array:
    """log Z_O of each row, by enumeration; a categorical group is observed as a whole."""
    n_hidden = rbm.n_hidden
    if n_hidden > MAX_ENUMERATED_UNITS:
        raise ValueError(
            f"The machine has {n_hidden} hidden units, of which at most {MAX_ENUMERATED_UNITS} "
            "can be enumerated. Estimate log Z by annealed importance sampling instead."
        )
    codes = jnp.arange(2**n_hidden).reshape(-1, min(2**n_hidden, _CONFIGURATIONS_AT_ONCE))

    def of_codes(codes: jax.Array) -> jax.Array:
        bits = (codes[:, None] >> jnp.arange(n_hidden)) & 1
        of_row = partial(_log_z_given_hidden, rbm, bits.astype(rbm.hidden_bias.dtype))
        return jax.nn.logsumexp(jax.vmap(of_row)(visible, observed), axis=-1)

    return jax.nn.logsumexp(jax.lax.map(of_codes, codes), axis=0)


def annealed_log_z(
    rbm: RBM,
    visible: jax.Array,
    observed: jax.Array,
    key: jax.Array,
    base_bias: jax.Array,
    n_temperatures: int,
    n_chains: int,
) -> Estimate:
    """log Z_O of each row, by annealed importance sampling from units with the biases `base_bias`.

    The estimate of Z_O has no bias, that of its logarithm is slightly too small on average. All
    rows share their random numbers: an estimate depends on no other row.

    Examples
    --------
    >>> from halfseen.rbm.units import VisibleLayer
    >>> rbm = RBM(VisibleLayer(0, 2), jnp.ones((2, 1)), jnp.zeros(2), jnp.zeros(1))
    >>> row, observed = jnp.ones((1, 2)), jnp.array([[True, False]])
    >>> found = annealed_log_z(rbm, row, observed, jax.random.key(0), jnp.zeros(2), 50, 20)
    >>> bool(abs(found.value - exact_log_z(rbm, row, observed)) < 4 * found.standard_error)
    True
    """
    of_row = partial(_annealed_log_weights, rbm, key, base_bias, n_temperatures, n_chains)
    log_weights = jax.vmap(of_row)(visible, observed)
    log_mean = jax.nn.logsumexp(log_weights, axis=-1) - jnp.log(n_chains)
    relative = jnp.exp(log_weights - log_mean[:, None])
    return Estimate(log_mean, jnp.std(relative, axis=-1, ddof=1) / jnp.sqrt(n_chains))


def log_partition(
    rbm: RBM,
    key: jax.Array,
    base_bias: jax.Array,
    n_temperatures: int = 2000,
    n_chains: int = 100,
) -> Estimate:
    """log Z: exact, with error 0, for up to 20 hidden units, and estimated beyond."""
    visible = jnp.zeros((1, rbm.layer.n_units), rbm.visible_bias.dtype)
    observed = jnp.zeros(visible.shape, bool)
    value, error = _log_z(rbm, visible, observed, key, base_bias, n_temperatures, n_chains)
    return Estimate(value[0], error[0])


def log_probability(
    rbm: RBM,
    visible: jax.Array,
    observed: jax.Array,
    key: jax.Array,
    base_bias: jax.Array,
    log_z: Estimate | None = None,
    n_temperatures: int = 100,
    n_chains: int = 10,
) -> Estimate:
    """log P(v_o) of each row: exact, with error 0, for up to 20 hidden units, estimated beyond.

    `log_z` is the result of `log_partition`, computed once for rows that come in tiles. What is
    observed holds the chains: fewer do than for log Z.
    """
    row_key, z_key = jax.random.split(key)
    log_z = log_partition(rbm, z_key, base_bias) if log_z is None else log_z
    found = _log_z(rbm, visible, observed, row_key, base_bias, n_temperatures, n_chains)
    error = jnp.hypot(found.standard_error, log_z.standard_error)
    return Estimate(found.value - log_z.value, error)


def _log_z(rbm: RBM, visible: jax.Array, observed: jax.Array, *sampling: Any) -> Estimate:
    """log Z_O of each row, exact where it can be."""
    if rbm.n_hidden > MAX_ENUMERATED_UNITS:
        return annealed_log_z(rbm, visible, observed, *sampling)
    value = exact_log_z(rbm, visible, observed)
    return Estimate(value, jnp.zeros_like(value))


def _log_z_given_hidden(
    rbm: RBM, hidden: jax.Array, visible: jax.Array, observed: jax.Array
) -> jax.Array:
    """log int p_prior(v) exp(-E(v, h)) dv_m of one row, for each hidden configuration."""
    visible = jnp.where(observed, visible, 0.0)
    inputs = rbm.visible_input_from_hidden(hidden)
    of_missing = rbm.layer.log_partition(inputs, rbm.log_variance) @ jnp.where(observed, 0.0, 1.0)
    log_prior = jnp.where(observed, rbm.layer.log_prior(visible, rbm.log_variance), 0.0)
    return hidden @ rbm.hidden_bias + inputs @ visible + of_missing + jnp.sum(log_prior)


def _annealed_log_weights(
    rbm: RBM,
    key: jax.Array,
    base_bias: jax.Array,
    n_temperatures: int,
    n_chains: int,
    visible: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """Logarithms of independent estimates of Z_O of one row, of shape (n_chains,)."""
    visible = jnp.where(observed, visible, 0.0)
    dtype = rbm.hidden_bias.dtype
    betas = jnp.linspace(0.0, 1.0, n_temperatures + 1, dtype=dtype)
    start_key, step_key = jax.random.split(key)

    base_inputs = jnp.broadcast_to(base_bias, (n_chains, rbm.layer.n_units))
    independent = rbm.layer.sample(start_key, base_inputs, rbm.log_variance)
    chains = jnp.where(observed, visible, independent)
    base = rbm.at_inverse_temperature(betas[0], base_bias)
    log_z = _log_z_given_hidden(base, jnp.zeros(rbm.n_hidden, dtype), visible, observed)
    log_z = log_z + rbm.n_hidden * jnp.log(2.0)  # the hidden units of the base are all independent

    def step(
        state: tuple[jax.Array, jax.Array], at: tuple[jax.Array, jax.Array, jax.Array]
    ) -> tuple[tuple[jax.Array, jax.Array], None]:
        (chains, log_weights), (before, after, step_key) = state, at
        # A difference of free energies, unit by unit: that of their sums loses digits.
        inputs = rbm.hidden_input_from_visible(chains)
        of_hidden = jax.nn.softplus(after * inputs) - jax.nn.softplus(before * inputs)
        of_visible = (after - before) * (chains @ (rbm.visible_bias - base_bias))
        log_weights = log_weights + jnp.sum(of_hidden, axis=-1) + of_visible
        annealed = rbm.at_inverse_temperature(after, base_bias)
        return (gibbs_chain(annealed, step_key, chains, observed, 1), log_weights), None

    steps = betas[:-1], betas[1:], jax.random.split(step_key, n_temperatures)
    (_, log_weights), _ = jax.lax.scan(step, (chains, jnp.full(n_chains, log_z)), steps)
    return log_weights
