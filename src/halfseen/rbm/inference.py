"""Completion, draws, samples and log-probabilities of rows, by one machine or several.

Machines stand along the leading axis of each array of an `RBM`. Every function works row by row: no
result depends on the other rows. Random numbers are the same for all rows, or those of a row's
position.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from halfseen.rbm.gibbs import gibbs_chain
from halfseen.rbm.likelihood import Estimate, log_partition, log_probability
from halfseen.rbm.mean_field import Completion, complete
from halfseen.rbm.model import RBM
from halfseen.rbm.training import random_visible

_DRAW_STEPS = 100  # Gibbs steps of a draw of missing entries
_SAMPLE_STEPS = 500  # Gibbs steps of a new row


@partial(jax.jit, static_argnames=("n_restarts", "method", "n_sweeps"))
def complete_rows(
    rbms: RBM,
    key: jax.Array,
    marginals: jax.Array,
    visible: jax.Array,
    observed: jax.Array,
    *,
    n_restarts: int,
    method: Completion,
    n_sweeps: int,
) -> jax.Array:
    """Completion by each machine, averaged."""

    def by_machine(rbm: RBM) -> jax.Array:
        starts = random_visible(rbm, key, marginals, n_restarts)
        return complete(rbm, visible, observed, starts, method, n_sweeps)

    means = jnp.mean(jax.lax.map(by_machine, rbms), axis=0)
    return jnp.where(observed, visible, means)


@jax.jit
def draw_rows(
    rbm: RBM,
    key: jax.Array,
    marginals: jax.Array,
    visible: jax.Array,
    observed: jax.Array,
    positions: jax.Array,
) -> jax.Array:
    """Missing entries by clamped chains, the random numbers of a row those of its position."""

    def of_row(visible: jax.Array, observed: jax.Array, position: jax.Array) -> jax.Array:
        start_key, chain_key = jax.random.split(jax.random.fold_in(key, position))
        random = random_visible(rbm, start_key, marginals, 1)[0]
        start = jnp.where(observed, visible, random)
        return gibbs_chain(rbm, chain_key, start, observed, _DRAW_STEPS)

    return jax.vmap(of_row)(visible, observed, positions)


@jax.jit
def sample_rows(rbms: RBM, key: jax.Array, marginals: jax.Array, positions: jax.Array) -> jax.Array:
    """Free chains, each by one of the machines."""
    n_machines = len(rbms.hidden_bias)

    def of_row(position: jax.Array) -> jax.Array:
        rbm = jax.tree.map(lambda leaf: leaf[position % n_machines], rbms)
        start_key, chain_key = jax.random.split(jax.random.fold_in(key, position))
        start = random_visible(rbm, start_key, marginals, 1)[0]
        return gibbs_chain(rbm, chain_key, start, None, _SAMPLE_STEPS)

    return jax.vmap(of_row)(positions)


@jax.jit
def log_partitions(rbms: RBM, key: jax.Array, marginals: jax.Array) -> Estimate:
    """log Z of each machine."""

    def of_machine(rbm: RBM) -> Estimate:
        base_bias = rbm.layer.inputs_from_mean(marginals, rbm.log_variance)
        return log_partition(rbm, key, base_bias)

    found: Estimate = jax.lax.map(of_machine, rbms)
    return found


@jax.jit
def log_probabilities(
    rbms: RBM,
    key: jax.Array,
    marginals: jax.Array,
    log_z: Estimate,
    visible: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """log P(v_o) of each row under the mixture of the machines."""

    def by_machine(machine: tuple[RBM, Estimate]) -> jax.Array:
        rbm, log_z = machine
        base_bias = rbm.layer.inputs_from_mean(marginals, rbm.log_variance)
        return log_probability(rbm, visible, observed, key, base_bias, log_z).value

    each = jax.lax.map(by_machine, (rbms, log_z))
    return jax.nn.logsumexp(each, axis=0) - jnp.log(len(each))
