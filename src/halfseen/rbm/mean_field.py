"""Completion by mean field: eqs. (11) to (13) with the observed entries clamped, and beyond.

With ``m`` the means of the visible units, ``q`` those of the hidden ones and ``x(q) = a + W q``,

    q_j = sigmoid(sum_i w_ij m_i + b_j),    m_i = <v_i> at input x_i(q) for missing entries,

is iterated from several random starts, and the results are averaged. The second order (TAP), which
the paper discards, adds the Onsager term ``1/2 sum_j q_j (1 - q_j) Var(sum_i w_ij v_i)``.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from halfseen.rbm.gibbs import gibbs_average
from halfseen.rbm.model import RBM, Rows
from halfseen.rbm.units import binary_entropy

Completion = Literal["mean_field", "tap", "gibbs"]
_TAP_DAMPING = 0.5


class FixedPoint(NamedTuple):
    """Means at which the iteration ends, with the leading axes of the rows."""

    visible_mean: Array  # (..., n_visible), observed entries at their values
    hidden_mean: Array  # (..., n_hidden)


def fixed_point(rbm: RBM, rows: Rows, start: Array, n_sweeps: int, tap: bool = False) -> FixedPoint:
    """Iterate the mean-field or the TAP equations from `start`, the observed entries clamped."""
    visible, observed, _ = rows
    missing = jnp.where(observed, 0.0, 1.0)
    damping = _TAP_DAMPING if tap else 0.0

    def onsager(visible_mean: Array, hidden_mean: Array) -> Array:
        return jnp.sum(onsager_term(rbm, visible_mean, hidden_mean, missing))

    def reaction(of: int, visible_mean: Array, hidden_mean: Array) -> Any:
        """Derivative of the Onsager term in the visible means (0) or in the hidden ones (1)."""
        return jax.grad(onsager, of)(visible_mean, hidden_mean) if tap else 0.0

    def sweep(_: int, means: FixedPoint) -> FixedPoint:
        visible_mean, hidden_mean = means
        inputs = rbm.hidden_input_from_visible(visible_mean)
        new_hidden = jax.nn.sigmoid(inputs + reaction(1, visible_mean, hidden_mean))
        inputs = rbm.visible_input_from_hidden(new_hidden) + reaction(0, visible_mean, new_hidden)
        new_visible = jnp.where(observed, visible, rbm.layer.mean(inputs, rbm.log_variance))
        # In this form a clamped entry keeps its bits.
        new_visible = new_visible + damping * (visible_mean - new_visible)
        return FixedPoint(new_visible, new_hidden + damping * (hidden_mean - new_hidden))

    start = jnp.where(observed, visible, start)
    first = FixedPoint(start, rbm.hidden_mean_from_visible(start))
    end: FixedPoint = jax.lax.fori_loop(0, n_sweeps, sweep, first)
    return end


def onsager_term(rbm: RBM, visible_mean: Array, hidden_mean: Array, missing: Array) -> Array:
    """1/2 sum_j q_j (1 - q_j) Var(sum_i w_ij v_i), the variance that of the missing entries."""
    variance = rbm.layer.hidden_input_variance(visible_mean, missing, rbm.weights, rbm.log_variance)
    return 0.5 * jnp.sum(hidden_mean * (1 - hidden_mean) * variance, axis=-1)


def mean_field_free_energy(rbm: RBM, point: FixedPoint, observed: Array) -> Array:
    """<E> less the entropy of what is missing: an upper bound of -log Z_O, for any means."""
    visible_mean, hidden_mean = point
    of_visible = jnp.where(
        observed,
        rbm.layer.log_prior(visible_mean, rbm.log_variance),
        rbm.layer.entropy(visible_mean, rbm.log_variance),
    )
    entropy = jnp.sum(of_visible, axis=-1) + jnp.sum(binary_entropy(hidden_mean), axis=-1)
    return rbm.energy(visible_mean, hidden_mean) - entropy


def complete(rbm: RBM, rows: Rows, starts: Array, method: Completion, n_sweeps: int) -> Array:
    """Expected values of the missing entries, averaged over `starts`, (n_restarts, n_visible)."""
    visible, observed, _ = rows

    def from_start(start: Array, key: Array) -> Array:
        if method == "gibbs":
            # One key for all rows: a row is completed alike wherever it stands.
            each_row = jax.vmap(gibbs_average, in_axes=(None, None, 0, 0, None))
            first = jnp.where(observed, visible, start)
            return each_row(rbm, key, first, observed, n_sweeps)
        return fixed_point(rbm, rows, start, n_sweeps, tap=method == "tap").visible_mean

    keys = jax.random.split(jax.random.key(0), len(starts))
    means = jnp.mean(jax.vmap(from_start)(starts, keys), axis=0)
    return jnp.where(observed, visible, means)


@partial(jax.jit, static_argnames=("n_restarts", "method", "n_sweeps"))
def complete_rows(
    rbms: RBM, key: Array, rows: Rows, n_restarts: int, method: Completion, n_sweeps: int
) -> Array:
    """Completion by each machine (leading axis), averaged."""

    def by_machine(rbm: RBM) -> Array:
        starts = rbm.random_visible(key, rows.marginals, n_restarts)
        return complete(rbm, rows, starts, method, n_sweeps)

    means = jnp.mean(jax.lax.map(by_machine, rbms), axis=0)
    return jnp.where(rows.observed, rows.visible, means)
