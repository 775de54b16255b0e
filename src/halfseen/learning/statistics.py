"""Sufficient statistics of the two terms of the gradient, and their contrast."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


class Statistics(NamedTuple):
    """Averages over rows of what the energy and the prior are linear in."""

    visible_hidden: jax.Array  # (n_visible, n_hidden), <v_i h_j>
    visible: jax.Array  # (n_visible,), <v_i>
    hidden: jax.Array  # (n_hidden,), <h_j>
    gaussian_square: jax.Array  # (n_gaussian,), <v_i^2>


class Offsets(NamedTuple):
    """Centres of the units; zeros leave the gradient as it is."""

    visible: jax.Array  # (n_visible,)
    hidden: jax.Array  # (n_hidden,)


def statistics_of(
    layer: VisibleLayer, visible: jax.Array, hidden_mean: jax.Array, weight: jax.Array
) -> Statistics:
    """Statistics of rows with weights that sum to one.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    visible : jax.Array of shape (n_rows, n_visible)
        Rows with their missing entries filled by the chain.
    hidden_mean : jax.Array of shape (n_rows, n_hidden)
        p(h_j | v) of these rows.
    weight : jax.Array of shape (n_rows,)
        What each row counts; 0 for padding.

    Returns
    -------
    Statistics
    """
    weighted = visible * weight[:, None]
    gaussian = visible[:, : layer.n_gaussian]
    return Statistics(
        visible_hidden=weighted.T @ hidden_mean,
        visible=jnp.sum(weighted, axis=0),
        hidden=weight @ hidden_mean,
        gaussian_square=weight @ gaussian**2,
    )


def contrast(
    positive: Statistics,
    negative: Statistics,
    parameters: BoltzmannParameters,
    offsets: Offsets,
) -> BoltzmannParameters:
    """Gradient of log P(v_o), positive minus negative term, in the centred parametrisation.

    With offsets mu and lambda the weights' gradient is <(v - mu)(h - lambda)> in both terms; the
    biases follow from the change of parameters (Melchior, Fischer and Wiskott 2016). With offsets
    of zero it is the plain gradient.
    """
    difference = jax.tree.map(jnp.subtract, positive, negative)
    weights = (
        difference.visible_hidden
        - jnp.outer(offsets.visible, difference.hidden)
        - jnp.outer(difference.visible, offsets.hidden)
    )
    return BoltzmannParameters(
        weights=weights,
        visible_bias=difference.visible - weights @ offsets.hidden,
        hidden_bias=difference.hidden - offsets.visible @ weights,
        log_variance=0.5 * jnp.exp(-parameters.log_variance) * difference.gaussian_square,
    )


def moved_offsets(offsets: Offsets, positive: Statistics, rate: float) -> Offsets:
    """Offsets moved by ``rate`` towards the means of the positive term."""
    return Offsets(
        visible=(1 - rate) * offsets.visible + rate * positive.visible,
        hidden=(1 - rate) * offsets.hidden + rate * positive.hidden,
    )
