"""Gibbs sampling: clamped to the observed entries, or free."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array

from halfseen.rbm.model import RBM, Rows


def gibbs_chain(
    rbm: RBM, key: Array, visible: Array, observed: Array | None, n_steps: int
) -> Array:
    """Run `n_steps` steps v -> h -> v; observed entries keep their values, if there are any."""

    def step(visible: Array, keys: Array) -> tuple[Array, None]:
        hidden = rbm.sample_hidden_from_visible(keys[0], visible)
        sampled = rbm.sample_visible_from_hidden(keys[1], hidden)
        return sampled if observed is None else jnp.where(observed, visible, sampled), None

    keys = jax.random.split(key, (n_steps, 2))
    if n_steps == 1:  # compiles faster than a loop
        return step(visible, keys[0])[0]
    return jax.lax.scan(step, visible, keys)[0]


def gibbs_average(rbm: RBM, key: Array, visible: Array, observed: Array, n_steps: int) -> Array:
    """Mean of <v | h> over `n_steps` steps of a clamped chain, after half as many of burn-in."""
    burn_in_key, average_key = jax.random.split(key)
    start = gibbs_chain(rbm, burn_in_key, visible, observed, n_steps // 2)

    def step(state: tuple[Array, Array], keys: Array) -> tuple[tuple[Array, Array], None]:
        chain, total = state
        hidden = rbm.sample_hidden_from_visible(keys[0], chain)
        sampled = rbm.sample_visible_from_hidden(keys[1], hidden)
        total = total + rbm.visible_mean_from_hidden(hidden)
        return (jnp.where(observed, visible, sampled), total), None

    keys = jax.random.split(average_key, (n_steps, 2))
    (_, total), _ = jax.lax.scan(step, (start, jnp.zeros_like(start)), keys)
    return jnp.where(observed, visible, total / n_steps)


@partial(jax.jit, static_argnames="n_steps")
def draw_rows(rbm: RBM, key: Array, rows: Rows, positions: Array, n_steps: int) -> Array:
    """Missing entries by clamped chains, the random numbers of a row those of its position."""

    def of_row(visible: Array, observed: Array, position: Array) -> Array:
        start_key, chain_key = jax.random.split(jax.random.fold_in(key, position))
        random = rbm.random_visible(start_key, rows.marginals, 1)[0]
        start = jnp.where(observed, visible, random)
        return gibbs_chain(rbm, chain_key, start, observed, n_steps)

    return jax.vmap(of_row)(rows.visible, rows.observed, positions)
