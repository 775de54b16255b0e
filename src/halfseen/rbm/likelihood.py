"""Likelihood: log P(v_o) = log Z_O - log Z, exact for few hidden units and estimated for many.

Z_O integrates the missing visible units out of eq. (2) and sums over the hidden ones; with nothing
observed it is Z. With up to 20 hidden units all their configurations are enumerated. Beyond,
annealed importance sampling leads chains, clamped to the observed entries, from independent units
to the machine (Neal 2001; Salakhutdinov and Murray 2008).
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array

from halfseen.rbm.gibbs import gibbs_chain
from halfseen.rbm.model import RBM, Rows

MAX_ENUMERATED_UNITS = 20
_CONFIGURATIONS_AT_ONCE = 2**12  # bounds the memory of the enumeration
# Temperatures and chains of annealed importance sampling. What is observed holds the chains:
# fewer do for a row than for Z.
_SAMPLING_OF_Z, _SAMPLING_OF_ROWS = (2000, 100), (100, 10)


def exact_log_z(rbm: RBM, rows: Rows) -> Array:
    """log Z_O of each row, by enumeration."""
    n_hidden = rbm.n_hidden
    codes = jnp.arange(2**n_hidden).reshape(-1, min(2**n_hidden, _CONFIGURATIONS_AT_ONCE))

    def of_codes(codes: Array) -> Array:
        bits = (codes[:, None] >> jnp.arange(n_hidden)) & 1
        of_row = partial(_log_z_given_hidden, rbm, bits.astype(rbm.hidden_bias.dtype))
        return jax.nn.logsumexp(jax.vmap(of_row)(rows.visible, rows.observed), axis=-1)

    return jax.nn.logsumexp(jax.lax.map(of_codes, codes), axis=0)


def annealed_log_z(rbm: RBM, rows: Rows, key: Array, n_temperatures: int, n_chains: int) -> Array:
    """log Z_O of each row by annealed importance sampling: of Z_O without bias, of its log almost.

    All rows share their random numbers: an estimate depends on no other row.
    """
    start_key, step_key = jax.random.split(key)
    betas = jnp.linspace(0.0, 1.0, n_temperatures + 1, dtype=rbm.hidden_bias.dtype)
    steps = betas[:-1], betas[1:], jax.random.split(step_key, n_temperatures)
    base_bias = rbm.layer.inputs_from_mean(rows.marginals, rbm.log_variance)
    base = rbm.at_inverse_temperature(betas[0], base_bias)
    independent = rbm.random_visible(start_key, rows.marginals, n_chains)

    def of_row(visible: Array, observed: Array) -> Array:
        def step(
            state: tuple[Array, Array], at: tuple[Array, Array, Array]
        ) -> tuple[tuple[Array, Array], None]:
            (chains, log_weights), (before, after, step_key) = state, at
            # A difference of free energies, unit by unit: that of their sums loses digits.
            inputs = rbm.hidden_input_from_visible(chains)
            of_hidden = jax.nn.softplus(after * inputs) - jax.nn.softplus(before * inputs)
            of_visible = (after - before) * (chains @ (rbm.visible_bias - base_bias))
            log_weights = log_weights + jnp.sum(of_hidden, axis=-1) + of_visible
            annealed = rbm.at_inverse_temperature(after, base_bias)
            return (gibbs_chain(annealed, step_key, chains, observed, 1), log_weights), None

        chains = jnp.where(observed, visible, independent)
        no_hidden = jnp.zeros_like(rbm.hidden_bias)
        log_z_of_base = _log_z_given_hidden(base, no_hidden, visible, observed)
        # The hidden units of the base are independent of all others.
        first = log_z_of_base + rbm.n_hidden * jnp.log(2.0)
        (_, log_weights), _ = jax.lax.scan(step, (chains, jnp.full(n_chains, first)), steps)
        return jax.nn.logsumexp(log_weights) - jnp.log(n_chains)

    return jax.vmap(of_row)(rows.visible, rows.observed)


def _log_z_given_hidden(rbm: RBM, hidden: Array, visible: Array, observed: Array) -> Array:
    """log int p_prior(v) exp(-E(v, h)) dv_m of one row, for each hidden configuration."""
    visible = jnp.where(observed, visible, 0.0)
    inputs = rbm.visible_input_from_hidden(hidden)
    of_missing = rbm.layer.log_partition(inputs, rbm.log_variance) @ jnp.where(observed, 0.0, 1.0)
    log_prior = jnp.where(observed, rbm.layer.log_prior(visible, rbm.log_variance), 0.0)
    return hidden @ rbm.hidden_bias + inputs @ visible + of_missing + jnp.sum(log_prior)


def log_z(rbm: RBM, rows: Rows, key: Array, n_temperatures: int, n_chains: int) -> Array:
    """log Z_O of each row, exact where it can be; a categorical group is observed as a whole."""
    if rbm.n_hidden <= MAX_ENUMERATED_UNITS:
        return exact_log_z(rbm, rows)
    return annealed_log_z(rbm, rows, key, n_temperatures, n_chains)


@jax.jit
def log_partitions(rbms: RBM, key: Array, marginals: Array) -> Array:
    """log Z of each machine (leading axis)."""
    nothing = jnp.zeros((1, len(marginals)), marginals.dtype)

    def of_machine(rbm: RBM) -> Array:
        return log_z(rbm, Rows(nothing, nothing > 0, marginals), key, *_SAMPLING_OF_Z)[0]

    return jnp.asarray(jax.lax.map(of_machine, rbms))


@jax.jit
def log_probabilities(rbms: RBM, key: Array, rows: Rows, partitions: Array) -> Array:
    """log P(v_o) of each row under the mixture of the machines, whose log Z are `partitions`."""
    row_key = jax.random.split(key)[0]

    def by_machine(machine: tuple[RBM, Array]) -> Array:
        rbm, partition = machine
        return log_z(rbm, rows, row_key, *_SAMPLING_OF_ROWS) - partition

    each = jax.lax.map(by_machine, (rbms, partitions))
    return jax.nn.logsumexp(each, axis=0) - jnp.log(len(each))
