"""Binned units: a number as a distribution over the knots of its column."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.namespace_of import namespace_of


def interpolated(values: jax.Array, knots: jax.Array) -> jax.Array:
    """Numbers shared out between their two neighbouring knots.

    Outside the knots the nearest one takes all. The mean of the knots under the result is the
    number itself, within the knots. By NumPy if the numbers are NumPy's.

    Parameters
    ----------
    values : jax.Array of shape (n_rows, n_columns)
        Numbers.
    knots : jax.Array of shape (n_columns, n_knots)
        Increasing in every column.

    Returns
    -------
    jax.Array of shape (n_rows, n_columns, n_knots)
        Non-negative, of sum one over the knots.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> interpolated(jnp.array([[0.5, 9.0]]), jnp.array([[0.0, 2.0], [0.0, 2.0]])).tolist()
    [[[0.75, 0.25], [0.0, 1.0]]]
    """
    xp = namespace_of(values)
    within = xp.clip(values, knots[:, 0], knots[:, -1])[:, :, None]
    # A hat over every knot, which falls to nothing at its neighbours; at both ends a neighbour that
    # is never the nearer one.
    before = xp.concatenate([knots[:, :1] - 1.0, knots[:, :-1]], axis=1)
    behind = xp.concatenate([knots[:, 1:], knots[:, -1:] + 1.0], axis=1)
    rising, falling = (within - before) / (knots - before), (behind - within) / (behind - knots)
    shares: jax.Array = xp.maximum(xp.minimum(rising, falling), 0.0)
    return shares


def shares_of_knots(
    values: NDArray[np.floating[Any]], knots: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """What the numbers of one column put on each of its knots, in the mean; on the host.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Numbers.
    knots : ndarray of shape (n_knots,)
        Increasing.

    Returns
    -------
    ndarray of shape (n_knots,)
        The mean of :func:`interpolated`; zero if there are no numbers.

    Examples
    --------
    >>> shares_of_knots(np.array([0.5, 9.0]), np.array([0.0, 2.0]))
    array([0.375, 0.625])
    """
    place = np.interp(values, knots, np.arange(len(knots)))
    below = np.clip(place.astype(np.int64), 0, max(0, len(knots) - 2))
    above = place - below
    n_places = len(knots) + 1  # of a single knot, the one above it has no share
    shares = np.bincount(below, 1.0 - above, n_places) + np.bincount(below + 1, above, n_places)
    means: NDArray[np.float64] = shares[: len(knots)] / max(1, len(values))
    return means
