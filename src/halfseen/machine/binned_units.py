"""Binned units: a number as a distribution over the knots of its column."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def interpolated(values: jax.Array, knots: jax.Array) -> jax.Array:
    """Numbers shared out between their two neighbouring knots.

    Outside the knots the nearest one takes all. The mean of the knots under the result is the
    number itself, within the knots.

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
    >>> interpolated(jnp.array([[0.5, 9.0]]), jnp.array([[0.0, 2.0], [0.0, 2.0]])).tolist()
    [[[0.75, 0.25], [0.0, 1.0]]]
    """
    gaps = knots[:, 1:] - knots[:, :-1]
    within = jnp.clip(values, knots[:, 0], knots[:, -1])[:, :, None]
    passed = jnp.clip((within - knots[:, :-1]) / gaps, 0.0, 1.0)  # share of every gap left behind
    ones, zeros = jnp.ones_like(within), jnp.zeros_like(within)
    return jnp.concatenate([ones, passed], axis=2) - jnp.concatenate([passed, zeros], axis=2)
