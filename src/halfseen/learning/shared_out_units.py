"""Hidden units shared out among the parts of a minibatch, so that each row has some of them alone.

Leaving half of the hidden units out of a row, after Hinton et al. (2012), "Improving neural
networks by preventing co-adaptation of feature detectors", keeps units from relying on each other,
but the products with those left out are made all the same. Where the same units are left out of
many rows they need not be: the rows of a minibatch are cut into parts, hidden units are shared out
among them, and every product is as much smaller as there are parts. Who goes with whom is drawn
anew every few steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.packed_parameters import Packed, packed, unpacked
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide

_STEPS_TOGETHER = 10  # a multiple of the steps that are given their rows at once
# A slope, and a gradient by the parameters, from parameters and the rows that are given.
SlopeAndGradient = Callable[[PredictiveParameters, Any], tuple[jax.Array, PredictiveParameters]]


def orders_of_units(
    seed: int, steps: NDArray[np.integer], n_hidden: int, n_parts: int
) -> NDArray[np.int32]:
    """For each of the steps the order to deal out hidden units in, as they stand before it.

    It is drawn anew for every tenth step; within ten of them units stay where they are. Who goes
    with whom hangs on seed and step alone, however many steps are taken at a time.

    Of shape (n_steps, n_hidden); of no units where one part has them all.

    Examples
    --------
    >>> orders_of_units(0, np.array([0, 5, 10]), 6, 2)
    array([[1, 2, 0, 5, 3, 4],
           [0, 1, 2, 3, 4, 5],
           [3, 5, 1, 4, 0, 2]], dtype=int32)
    """
    orders = np.empty((len(steps), n_hidden if n_parts > 1 else 0), np.int32)
    for order, step in zip(orders, steps.tolist(), strict=True):
        before, now = (_dealt(seed, at // _STEPS_TOGETHER, len(order)) for at in (step - 1, step))
        place = np.argsort(before)
        order[:] = place[now]
    return orders


def _dealt(seed: int, turn: int, n_hidden: int) -> NDArray[np.int64]:
    """Hidden units by the numbers they began with, in the order of one turn; as they began, of -1.

    Those of earlier turns are not asked for: it is drawn from the number of the turn.
    """
    if turn < 0:
        return np.arange(n_hidden)
    return np.random.default_rng([seed, 6, turn]).permutation(n_hidden)


def in_order(own: Packed, order: jax.Array) -> Packed:
    """A machine, or what belongs to its parameters, with its hidden units in another order.

    As they are, if the order is of none.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> own = Packed(Wide(jnp.array([[1.0], [2.0]]), jnp.ones((2, 0))), jnp.arange(4.0), None)
    >>> turned = in_order(own, jnp.array([1, 0]))
    >>> turned.weights.units.tolist(), turned.vectors.tolist()
    ([[2.0], [1.0]], [0.0, 2.0, 1.0, 3.0])
    """
    if not len(order):
        return own
    first = sum(part.shape[-1] for part in own.weights)
    biases = slice(first, first + len(order))
    return Packed(
        Wide(*(part[order] for part in own.weights)),
        own.vectors.at[biases].set(own.vectors[biases][order]),
        None if own.missing_weights is None else own.missing_weights[:, order],
    )


def gradient_of_parts(
    slope_and_gradient: SlopeAndGradient,
    own: Packed,
    start_bias: Wide,
    given: Any,
    n_parts: int,
) -> tuple[jax.Array, Packed]:
    """The slopes of all rows, and the gradient, if each part of the rows has its own hidden units.

    Parameters
    ----------
    slope_and_gradient : callable
        Of the parameters of a part and its rows.
    own, start_bias
        The parameters. Of hidden units the first are those of the first part, and so on.
    given : tree of jax.Array
        The rows, likewise.
    n_parts : int
        One, if all rows have all hidden units.

    Returns
    -------
    slopes : jax.Array of shape (n_rows, n_visible)
    gradient : Packed
    """
    whole = unpacked(own, start_bias)
    if n_parts == 1:
        slope, gradient = slope_and_gradient(whole, given)
        return slope, packed(gradient)

    def apart(leaf: jax.Array) -> jax.Array:
        return leaf.reshape(n_parts, len(leaf) // n_parts, *leaf.shape[1:])

    def of_units_apart(leaf: jax.Array) -> jax.Array:
        return apart(leaf.T).swapaxes(1, 2)

    def joined(leaf: jax.Array) -> jax.Array:
        return leaf.swapaxes(1, 2).reshape(n_parts * leaf.shape[2], leaf.shape[1]).T

    parts = whole._replace(
        weights=Wide(*map(of_units_apart, whole.weights)),
        hidden_bias=apart(whole.hidden_bias),
        missing_weights=jax.tree.map(of_units_apart, whole.missing_weights),
    )
    # What belongs to visible units is common to all parts.
    axes: Any = jax.tree.map(lambda _: None, whole)._replace(
        weights=0, hidden_bias=0, missing_weights=0
    )
    slopes, of_parts = jax.vmap(slope_and_gradient, in_axes=(axes, 0))(
        parts, jax.tree.map(apart, given)
    )
    summed = jax.tree.map(lambda leaf: leaf.sum(axis=0), of_parts)
    gradient = summed._replace(
        weights=Wide(*map(joined, of_parts.weights)),
        hidden_bias=of_parts.hidden_bias.reshape(-1),
        missing_weights=jax.tree.map(joined, of_parts.missing_weights),
    )
    return slopes.reshape(-1, slopes.shape[-1]), packed(gradient)
