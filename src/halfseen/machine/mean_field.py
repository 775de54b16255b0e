"""Completion by mean field: the self-consistent equations (11)-(13) with pinned entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.machine.conditionals import (
    hidden_input_from_visible,
    hidden_mean_from_visible,
    visible_mean_from_hidden,
)
from halfseen.machine.gibbs import pinned
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

_State = tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]
Sweep = Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]


class FixedPoint(NamedTuple):
    """Where the iteration of one row (and restart) came to rest; leading axes are kept."""

    visible_mean: jax.Array  # (..., n_visible), m and p of the paper; observed entries pinned
    hidden_mean: jax.Array  # (..., n_hidden), q of the paper
    free_energy: jax.Array  # (...,), an upper bound of -log Z_O for the first-order equations
    n_sweeps: jax.Array  # (...,), how many sweeps the row took


def iterate_to_rest(
    sweep: Sweep,
    visible_mean: jax.Array,
    hidden_mean: jax.Array,
    *,
    n_sweeps: int,
    tolerance: float,
    damping: float,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Repeat ``sweep`` until no visible mean of a row moves by more than ``tolerance``.

    A row that has come to rest is left alone, so its result does not depend on what its companions
    in the batch hold (its last bits may depend on their number: see :mod:`halfseen.machine.tiles`).

    Parameters
    ----------
    sweep : callable
        ``(visible_mean, hidden_mean) -> (visible_mean, hidden_mean)``.
    visible_mean, hidden_mean : jax.Array of shapes (..., n_visible) and (..., n_hidden)
        The start.
    n_sweeps : int
        The most sweeps a row gets.
    tolerance : float
        Largest movement that counts as rest; 0 gives every row all its sweeps, unless it stands
        still exactly.
    damping : float in [0, 1)
        Share of the old value that is kept in every sweep.

    Returns
    -------
    visible_mean, hidden_mean, n_sweeps : tuple of jax.Array
        The rest, and the sweeps each row took.
    """

    def going_on(state: _State) -> jax.Array:
        index, moving = state[0], state[1]
        return (index < n_sweeps) & jnp.any(moving)

    def body(state: _State) -> _State:
        index, moving, used, visible, hidden = state
        swept_visible, swept_hidden = sweep(visible, hidden)
        # In this form an entry that the sweep leaves alone, a pinned one, keeps its very bits.
        new_visible = swept_visible + damping * (visible - swept_visible)
        new_hidden = swept_hidden + damping * (hidden - swept_hidden)
        step = jnp.max(jnp.abs(new_visible - visible), axis=-1)
        visible = jnp.where(moving[..., None], new_visible, visible)
        hidden = jnp.where(moving[..., None], new_hidden, hidden)
        return index + 1, moving & (step > tolerance), used + moving, visible, hidden

    rows = visible_mean.shape[:-1]
    start = (
        jnp.zeros((), jnp.int32),
        jnp.ones(rows, bool),
        jnp.zeros(rows, jnp.int32),
        visible_mean,
        hidden_mean,
    )
    _, _, used, visible, hidden = jax.lax.while_loop(going_on, body, start)
    return visible, hidden, used


def mean_field_sweep(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> Sweep:
    """One pass of eq. (13), then of eqs. (11) and (12) for the missing entries."""

    def sweep(visible_mean: jax.Array, _: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden_mean = hidden_mean_from_visible(parameters, visible_mean)
        free_mean = visible_mean_from_hidden(parameters, layer, hidden_mean)
        return pinned(visible, observed, free_mean), hidden_mean

    return sweep


def swept_mean(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    start: jax.Array,
    n_sweeps: int,
) -> jax.Array:
    """The visible means that so many sweeps lead to, as :func:`mean_field` without a tolerance.

    By NumPy if the values are NumPy's.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> swept_mean(theta, layer, jnp.array([1.0, 9.0]), jnp.array([True, False]), jnp.zeros(2),
    ...            n_sweeps=10).tolist()
    [1.0, 0.5]
    """
    sweep = mean_field_sweep(parameters, layer, visible, observed)

    def again(_: int | jax.Array, visible_mean: jax.Array) -> jax.Array:
        return sweep(visible_mean, visible_mean)[0]

    reached = pinned(visible, observed, start)
    if not isinstance(reached, np.ndarray):
        last: jax.Array = jax.lax.fori_loop(0, n_sweeps, again, reached)
        return last
    for index in range(n_sweeps):
        reached = again(index, reached)
    return reached


def mean_field(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    start: jax.Array,
    *,
    n_sweeps: int,
    tolerance: float = 0.0,
    damping: float = 0.0,
) -> FixedPoint:
    """Solve eqs. (11)-(13) by iteration, the observed entries pinned.

    Parameters
    ----------
    parameters : BoltzmannParameters
        The machine.
    layer : VisibleLayer
        The kinds of its visible units.
    visible : jax.Array of shape (..., n_visible)
        Values; what stands at missing entries is not read.
    observed : jax.Array of bool, of shape (..., n_visible)
        True where the value was seen.
    start : jax.Array of shape (..., n_visible)
        First values of the missing entries.
    n_sweeps, tolerance, damping
        See :func:`iterate_to_rest`.

    Returns
    -------
    FixedPoint

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> rest = mean_field(theta, layer, jnp.array([1.0, 9.0]), jnp.array([True, False]),
    ...                   start=jnp.zeros(2), n_sweeps=10)
    >>> rest.visible_mean.tolist()
    [1.0, 0.5]
    """
    first = pinned(visible, observed, start)
    first, observed = jnp.broadcast_arrays(first, observed)
    sweep = mean_field_sweep(parameters, layer, visible, observed)
    visible_mean, _, used = iterate_to_rest(
        sweep,
        first,
        hidden_mean_from_visible(parameters, first),
        n_sweeps=n_sweeps,
        tolerance=tolerance,
        damping=damping,
    )
    hidden_mean = hidden_mean_from_visible(parameters, visible_mean)
    bound = mean_field_free_energy(parameters, layer, visible_mean, hidden_mean, observed)
    return FixedPoint(visible_mean, hidden_mean, bound, used)


def mean_field_free_energy(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible_mean: jax.Array,
    hidden_mean: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """<E> minus the entropies of what is not pinned: an upper bound of -log Z_O, of shape (...,).

    For any means, not only at a fixed point, ``-F <= log Z_O``.
    """
    log_variance = parameters.log_variance
    of_block = jnp.where(
        layer.observed_blocks(observed),
        layer.log_prior(visible_mean, log_variance),
        layer.relative_entropy(visible_mean, log_variance),
    )
    hidden_input = hidden_input_from_visible(parameters, visible_mean)
    hidden_entropy = jax.scipy.special.entr(hidden_mean) + jax.scipy.special.entr(1 - hidden_mean)
    return -(
        visible_mean @ parameters.visible_bias
        + jnp.sum(hidden_mean * hidden_input + hidden_entropy, axis=-1)
        + jnp.sum(of_block, axis=-1)
    )
