"""Hidden units shared out among the parts of a minibatch, so that each row has some of them alone.

Leaving half of the hidden units out of a row, after Hinton et al. (2012), "Improving neural
networks by preventing co-adaptation of feature detectors", keeps units from relying on each other,
but the products with those left out are made all the same. Where the same units are left out of
many rows they need not be: the rows of a minibatch are cut into parts, hidden units are shared out
among them, and every product is as much smaller as there are parts. Who goes with whom is drawn
anew every few steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.packed_parameters import Packed, packed, unpacked
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide

_STEPS_TOGETHER = 10  # a multiple of the steps that are given their rows at once


class SharedOut(NamedTuple):
    """Packed parameters of one machine, or their gradient, with the weights of each part apart."""

    weights: tuple[Wide, ...]  # (n_hidden / n_parts, n_units), of every part
    vectors: Any  # biases of visible and hidden units, and gains; units as they are dealt out
    missing_weights: tuple[Any, ...]  # (n_visible, n_hidden / n_parts), of every part; or None


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


def shared_out(own: Packed, order: jax.Array, n_parts: int) -> SharedOut:
    """The hidden units in this order, dealt out to the parts; as they are, if there is but one.

    Examples
    --------
    >>> own = Packed(Wide(jnp.array([[1.0], [2.0]]), jnp.ones((2, 0))), jnp.arange(4.0), None)
    >>> parts = shared_out(own, jnp.array([1, 0]), 2)
    >>> parts.weights[0].units.tolist(), parts.vectors.tolist()
    ([[2.0]], [0.0, 2.0, 1.0, 3.0])
    """
    missing = own.missing_weights
    if n_parts == 1:
        return SharedOut((own.weights,), own.vectors, (missing,))
    units = _place_of_hidden_bias(own.weights, len(order))
    dealt = order.reshape(n_parts, -1)
    return SharedOut(
        tuple(Wide(*(part[own_units] for part in own.weights)) for own_units in dealt),
        own.vectors.at[units].set(own.vectors[units][order]),
        tuple(None if missing is None else missing[:, own_units] for own_units in dealt),
    )


def together(parts: SharedOut) -> Packed:
    """All hidden units again, in the order in which they were dealt out.

    Examples
    --------
    >>> own = Packed(Wide(jnp.array([[1.0], [2.0]]), jnp.ones((2, 0))), jnp.arange(4.0), None)
    >>> together(shared_out(own, jnp.array([1, 0]), 2)).weights.units.tolist()
    [[2.0], [1.0]]
    """
    if len(parts.weights) == 1:
        return Packed(parts.weights[0], parts.vectors, parts.missing_weights[0])
    missing = parts.missing_weights
    return Packed(
        Wide(*map(jnp.concatenate, zip(*parts.weights, strict=True))),
        parts.vectors,
        None if missing[0] is None else jnp.concatenate(missing, axis=1),
    )


def parameters_of_parts(parts: SharedOut, start_bias: Wide) -> list[PredictiveParameters]:
    """What every part of the rows is swept with: its own hidden units, and all visible ones."""
    n_parts = len(parts.weights)
    whole = Packed(parts.weights[0], parts.vectors, parts.missing_weights[0])
    if n_parts == 1:
        return [unpacked(whole, start_bias)]
    n_own = parts.weights[0].units.shape[0]
    units = _place_of_hidden_bias(parts.weights[0], n_parts * n_own)
    before, biases, after = jnp.split(parts.vectors, (units.start, units.stop))
    return [
        unpacked(Packed(weights, jnp.concatenate([before, bias, after]), missing), start_bias)
        for weights, bias, missing in zip(
            parts.weights, jnp.split(biases, n_parts), parts.missing_weights, strict=True
        )
    ]


def gradient_of_parts(gradients: Sequence[PredictiveParameters]) -> SharedOut:
    """The gradient by all that was shared out, from those by what every part was swept with."""
    own = [packed(gradient) for gradient in gradients]
    weights, vectors, missing = zip(*own, strict=True)
    if len(own) == 1:
        return SharedOut(weights, vectors[0], missing)
    units = _place_of_hidden_bias(weights[0], weights[0].units.shape[0])
    pieces = [jnp.split(of_part, (units.start, units.stop)) for of_part in vectors]
    before, biases, after = zip(*pieces, strict=True)
    return SharedOut(weights, jnp.concatenate([sum(before), *biases, sum(after)]), missing)


def _place_of_hidden_bias(weights: Wide, n_hidden: int) -> slice:
    """Where biases of so many hidden units stand among vectors: after those of visible ones."""
    first = sum(part.shape[-1] for part in weights)
    return slice(first, first + n_hidden)
