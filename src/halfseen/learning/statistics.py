"""Sufficient statistics of the two terms of the gradient, and their contrast."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


class Statistics(NamedTuple):
    """Averages over rows of what the energy and the prior are linear in."""

    hidden_visible: jax.Array  # (n_hidden, n_visible), <h_j v_i>
    visible: jax.Array  # (n_visible,), <v_i>
    hidden: jax.Array  # (n_hidden,), <h_j>
    gaussian_square: jax.Array  # (n_gaussian,), <v_i^2>


class Offsets(NamedTuple):
    """Centres of the units; zeros leave the gradient as it is."""

    visible: jax.Array  # (n_visible,)
    hidden: jax.Array  # (n_hidden,)


class Contrast(NamedTuple):
    """What the gradient needs of the two terms."""

    difference: Statistics  # positive minus negative
    positive_means: Offsets  # <v_i> and <h_j> of the positive term, which the centres follow


def statistics_of(
    layer: VisibleLayer, visible: jax.Array, hidden_mean: jax.Array, weight: jax.Array
) -> Statistics:
    """Statistics of weighted rows.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    visible : jax.Array of shape (n_rows, n_visible)
        Rows with their missing entries filled by the chain.
    hidden_mean : jax.Array of shape (n_rows, n_hidden)
        p(h_j | v) of these rows.
    weight : jax.Array of shape (n_rows,)
        What each row counts; 0 for padding. Of rows that count less than nothing the statistics
        are subtracted.

    Returns
    -------
    Statistics
    """
    weighted = hidden_mean * weight[:, None]
    # This product is nearly twice as fast as its transpose; left to itself XLA would take that.
    hidden_visible = weighted.T @ visible
    if not isinstance(hidden_visible, np.ndarray):
        hidden_visible = jax.lax.optimization_barrier(hidden_visible)  # type: ignore[no-untyped-call]
    return Statistics(
        hidden_visible=hidden_visible,
        visible=weight @ visible,
        hidden=weighted.sum(axis=0),
        # Of all units, if any is Gaussian: cut out before, these would be computed a second time.
        gaussian_square=(weight @ visible**2)[: layer.n_gaussian],
    )


def contrast(positive: Statistics, negative: Statistics) -> Contrast:
    """The contrast of two terms that are known one by one."""
    difference = jax.tree.map(jnp.subtract, positive, negative)
    return Contrast(difference, Offsets(positive.visible, positive.hidden))


def plain_gradient(difference: Statistics, parameters: BoltzmannParameters) -> BoltzmannParameters:
    """Gradient of log P(v_o)."""
    variance = namespace_of(parameters.log_variance).exp(parameters.log_variance)
    return BoltzmannParameters(
        weights=difference.hidden_visible.T,
        visible_bias=difference.visible,
        hidden_bias=difference.hidden,
        log_variance=0.5 * difference.gaussian_square / variance,
    )


def centred_gradient(
    difference: Statistics, parameters: BoltzmannParameters, offsets: Offsets
) -> BoltzmannParameters:
    """The gradient in the centred parametrisation; with offsets of zero, the plain one.

    With offsets mu and lambda the weights' gradient is <(v - mu)(h - lambda)> in both terms; the
    biases follow from the change of parameters (Melchior, Fischer and Wiskott 2016).
    """
    plain = plain_gradient(difference, parameters)
    weights = (
        plain.weights
        - offsets.visible[:, None] * plain.hidden_bias
        - plain.visible_bias[:, None] * offsets.hidden
    )
    return plain._replace(
        weights=weights,
        visible_bias=plain.visible_bias - weights @ offsets.hidden,
        hidden_bias=plain.hidden_bias - offsets.visible @ weights,
    )


def moved_offsets(offsets: Offsets, means: Offsets, rate: float) -> Offsets:
    """Offsets moved by ``rate`` towards the means of the positive term."""
    return Offsets(
        visible=(1 - rate) * offsets.visible + rate * means.visible,
        hidden=(1 - rate) * offsets.hidden + rate * means.hidden,
    )
