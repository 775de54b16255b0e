"""Gibbs sampling: clamped to the observed entries, or free."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from halfseen.rbm.model import RBM


def gibbs_step(
    rbm: RBM, keys: jax.Array, visible: jax.Array, observed: jax.Array | None = None
) -> jax.Array:
    """v -> h -> v from two keys; observed entries keep their values."""
    hidden = rbm.sample_hidden_from_visible(keys[0], visible)
    sampled = rbm.sample_visible_from_hidden(keys[1], hidden)
    return sampled if observed is None else jnp.where(observed, visible, sampled)


def gibbs_chain(
    rbm: RBM, key: jax.Array, visible: jax.Array, observed: jax.Array | None, n_steps: int
) -> jax.Array:
    """Run `n_steps` steps from `visible`; observed entries are clamped, without `observed` none is.

    Examples
    --------
    >>> from halfseen.rbm.units import VisibleLayer
    >>> rbm = RBM(VisibleLayer(0, 2), jnp.zeros((2, 3)), 20 * jnp.ones(2), jnp.zeros(3))
    >>> observed = jnp.array([[True, False]])
    >>> gibbs_chain(rbm, jax.random.key(0), jnp.zeros((1, 2)), observed, 3).tolist()
    [[0.0, 1.0]]
    """
    keys = jax.random.split(key, (n_steps, 2))
    if n_steps == 1:  # compiles faster than a loop
        return gibbs_step(rbm, keys[0], visible, observed)

    def step(visible: jax.Array, keys: jax.Array) -> tuple[jax.Array, None]:
        return gibbs_step(rbm, keys, visible, observed), None

    return jax.lax.scan(step, visible, keys)[0]


def gibbs_average(
    rbm: RBM, key: jax.Array, visible: jax.Array, observed: jax.Array, n_steps: int
) -> jax.Array:
    """Mean of <v | h> over `n_steps` steps of clamped chains, after half as many of burn-in."""
    n_burn_in = n_steps // 2

    def step(
        carry: tuple[jax.Array, jax.Array], index: jax.Array
    ) -> tuple[tuple[jax.Array, jax.Array], None]:
        chain, total = carry
        hidden_key, visible_key = jax.random.split(jax.random.fold_in(key, index))
        hidden = rbm.sample_hidden_from_visible(hidden_key, chain)
        inputs = rbm.visible_input_from_hidden(hidden)
        sampled = rbm.layer.sample(visible_key, inputs, rbm.log_variance)
        mean = rbm.layer.mean(inputs, rbm.log_variance)
        total = jnp.where(index < n_burn_in, total, total + mean)
        return (jnp.where(observed, visible, sampled), total), None

    start = visible, jnp.zeros_like(visible)
    (_, total), _ = jax.lax.scan(step, start, jnp.arange(n_burn_in + n_steps))
    return jnp.where(observed, visible, total / n_steps)
