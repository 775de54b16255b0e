"""Completion by mean field: eqs. (11) to (13) with the observed entries clamped, and beyond.

With ``m`` the means of the visible units, ``q`` those of the hidden ones and ``x(q) = a + W q``,

    q_j = sigmoid(sum_i w_ij m_i + b_j),    m_i = <v_i> at input x_i(q) for missing entries,

is iterated from several random starts, and the results are averaged. The second order (TAP), which
the paper discards, adds the Onsager term ``1/2 sum_j q_j (1 - q_j) Var(sum_i w_ij v_i)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp

from halfseen.rbm.gibbs import gibbs_average
from halfseen.rbm.model import RBM
from halfseen.rbm.units import binary_entropy

Completion = Literal["mean_field", "tap", "gibbs"]
TOLERANCE = 1e-4
_TAP_DAMPING = 0.5
_Sweep = Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]
_State = tuple[jax.Array, jax.Array, jax.Array, jax.Array]


class FixedPoint(NamedTuple):
    """Means at which the iteration came to rest, with the leading axes of the rows."""

    visible_mean: jax.Array  # (..., n_visible), observed entries at their values
    hidden_mean: jax.Array  # (..., n_hidden)


def mean_field_sweep(rbm: RBM, visible: jax.Array, observed: jax.Array) -> _Sweep:
    """Eq. (13), then eqs. (11) and (12) for the missing entries."""

    def sweep(visible_mean: jax.Array, _: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden_mean = rbm.hidden_mean_from_visible(visible_mean)
        missing_mean = rbm.visible_mean_from_hidden(hidden_mean)
        return jnp.where(observed, visible, missing_mean), hidden_mean

    return sweep


def tap_sweep(rbm: RBM, visible: jax.Array, observed: jax.Array) -> _Sweep:
    """The same with the derivatives of the Onsager term in the inputs."""
    missing = jnp.where(observed, 0.0, 1.0)

    def onsager(visible_mean: jax.Array, hidden_mean: jax.Array) -> jax.Array:
        return jnp.sum(onsager_term(rbm, visible_mean, hidden_mean, missing))

    def sweep(visible_mean: jax.Array, hidden_mean: jax.Array) -> tuple[jax.Array, jax.Array]:
        reaction = jax.grad(onsager, argnums=1)(visible_mean, hidden_mean)
        hidden_mean = jax.nn.sigmoid(rbm.hidden_input_from_visible(visible_mean) + reaction)
        reaction = jax.grad(onsager, argnums=0)(visible_mean, hidden_mean)
        inputs = rbm.visible_input_from_hidden(hidden_mean) + reaction
        missing_mean = rbm.layer.mean(inputs, rbm.log_variance)
        return jnp.where(observed, visible, missing_mean), hidden_mean

    return sweep


def onsager_term(
    rbm: RBM, visible_mean: jax.Array, hidden_mean: jax.Array, missing: jax.Array
) -> jax.Array:
    """1/2 sum_j q_j (1 - q_j) Var(sum_i w_ij v_i), the variance that of the missing entries."""
    variance = rbm.layer.hidden_input_variance(visible_mean, missing, rbm.weights, rbm.log_variance)
    return 0.5 * jnp.sum(hidden_mean * (1 - hidden_mean) * variance, axis=-1)


def iterate(
    sweep: _Sweep,
    start: tuple[jax.Array, jax.Array],
    n_sweeps: int,
    tolerance: float = TOLERANCE,
    damping: float = 0.0,
) -> FixedPoint:
    """Repeat `sweep` until no visible mean of a row moves by more than `tolerance`.

    A row at rest stays as it is, whatever the other rows still do.
    """

    def goes_on(state: _State) -> jax.Array:
        return (state[0] < n_sweeps) & jnp.any(state[1])

    def body(state: _State) -> _State:
        index, moves, visible, hidden = state
        new_visible, new_hidden = sweep(visible, hidden)
        # In this form a clamped entry keeps its bits.
        new_visible = new_visible + damping * (visible - new_visible)
        new_hidden = new_hidden + damping * (hidden - new_hidden)
        change = jnp.max(jnp.abs(new_visible - visible), axis=-1)
        visible = jnp.where(moves[..., None], new_visible, visible)
        hidden = jnp.where(moves[..., None], new_hidden, hidden)
        return index + 1, moves & (change > tolerance), visible, hidden

    first = jnp.zeros((), jnp.int32), jnp.ones(start[0].shape[:-1], bool), *start
    return FixedPoint(*jax.lax.while_loop(goes_on, body, first)[2:])


def fixed_point(
    rbm: RBM,
    visible: jax.Array,
    observed: jax.Array,
    start: jax.Array,
    n_sweeps: int,
    *,
    second_order: bool = False,
    tolerance: float = TOLERANCE,
) -> FixedPoint:
    """Solve the mean-field or the TAP equations from `start`, the observed entries clamped.

    Examples
    --------
    >>> from halfseen.rbm.units import VisibleLayer
    >>> rbm = RBM(VisibleLayer(0, 2), jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3))
    >>> point = fixed_point(rbm, jnp.array([1.0, 9.0]), jnp.array([True, False]), jnp.zeros(2), 10)
    >>> point.visible_mean.tolist()
    [1.0, 0.5]
    """
    start = jnp.where(observed, visible, start)
    state = start, rbm.hidden_mean_from_visible(start)
    if second_order:
        sweep = tap_sweep(rbm, visible, observed)
        return iterate(sweep, state, n_sweeps, tolerance, _TAP_DAMPING)
    return iterate(mean_field_sweep(rbm, visible, observed), state, n_sweeps, tolerance)


def mean_field_free_energy(rbm: RBM, point: FixedPoint, observed: jax.Array) -> jax.Array:
    """<E> less the entropy of what is missing: an upper bound of -log Z_O, for any means."""
    visible_mean, hidden_mean = point
    of_visible = jnp.where(
        observed,
        rbm.layer.log_prior(visible_mean, rbm.log_variance),
        rbm.layer.entropy(visible_mean, rbm.log_variance),
    )
    entropy = jnp.sum(of_visible, axis=-1) + jnp.sum(binary_entropy(hidden_mean), axis=-1)
    return rbm.energy(visible_mean, hidden_mean) - entropy


def complete(
    rbm: RBM,
    visible: jax.Array,
    observed: jax.Array,
    starts: jax.Array,
    method: Completion,
    n_sweeps: int,
) -> jax.Array:
    """Expected values of the missing entries, averaged over restarts.

    `starts`, of shape (n_restarts, n_visible), are the same for every row. `n_sweeps` is the
    largest number of sweeps, or the number of Gibbs steps that are averaged.
    """

    def from_start(start: jax.Array, key: jax.Array) -> jax.Array:
        first = jnp.where(observed, visible, start)
        if method == "gibbs":
            # One key for all rows: a row is completed alike wherever it stands.
            each_row = jax.vmap(gibbs_average, in_axes=(None, None, 0, 0, None))
            return each_row(rbm, key, first, observed, n_sweeps)
        second_order = method == "tap"
        return fixed_point(
            rbm, first, observed, start, n_sweeps, second_order=second_order
        ).visible_mean

    keys = jax.random.split(jax.random.key(0), len(starts))
    means = jnp.mean(jax.vmap(from_start)(starts, keys), axis=0)
    return jnp.where(observed, visible, means)
