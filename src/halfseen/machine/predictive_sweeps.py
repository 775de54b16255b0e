"""A machine trained to predict: a few mean-field sweeps from its prior's expectation.

The machine is the paper's, with two additions. A number has, beside its Gaussian unit of unit
variance, a softmax group over the knots of its column. And the input of every visible unit has a
term from the correlated prior: ``x_i = a_i + sum_j w_ij h_j + g_i base_i``, with ``base`` the
prior's conditional mean given what is observed in the row. Sweeps alternate eqs. (11)-(13) a fixed
number of times, so that they can be differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.binned_units import interpolated
from halfseen.machine.visible_layer import VisibleLayer


class PredictiveParameters(NamedTuple):
    """What is learned. Units are those of the layer, followed by the knots of every number."""

    weights: jax.Array  # (n_units, n_hidden)
    visible_bias: jax.Array  # (n_units,)
    hidden_bias: jax.Array  # (n_hidden,)
    gain: jax.Array  # (n_units,), of the prior's expectation
    start_bias: jax.Array  # (n_units,), the input of a missing unit before the first sweep
    missing_weights: jax.Array | None = None  # (n_visible, n_hidden), of mask units


@dataclass(frozen=True)
class PredictiveLayer:
    """The visible layer with a group of knots for every number.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    n_knots : int
        Knots of every number; 0 for none.
    """

    layer: VisibleLayer
    n_knots: int

    @property
    def n_units(self) -> int:
        """Units of the layer and knots together."""
        return self.layer.n_visible + self.layer.n_gaussian * self.n_knots

    @cached_property
    def unit_of_wide(self) -> NDArray[np.int64]:
        """Unit of the layer that each unit and each knot belongs to, of shape (n_units,)."""
        own = np.arange(self.layer.n_visible)
        return np.concatenate([own, np.repeat(np.arange(self.layer.n_gaussian), self.n_knots)])

    def widened(self, visible: jax.Array, knots: jax.Array) -> jax.Array:
        """Visible units followed by their numbers shared out over the knots."""
        if not self.n_knots:
            return visible
        shares = interpolated(visible[:, : self.layer.n_gaussian], knots)
        return jnp.concatenate([visible, shares.reshape(len(visible), -1)], axis=1)

    def knot_inputs(self, inputs: jax.Array) -> jax.Array:
        """The inputs of the knots, of shape (n_rows, n_gaussian, n_knots)."""
        shape = (len(inputs), self.layer.n_gaussian, self.n_knots)
        return inputs[:, self.layer.n_visible :].reshape(shape)

    def mean_from_input(self, inputs: jax.Array) -> jax.Array:
        """Mean of every unit and probability of every knot."""
        gaussian, bernoulli, softmax = self.layer.split(inputs[:, : self.layer.n_visible])
        parts = [gaussian, jax.nn.sigmoid(bernoulli)]
        if self.layer.group_sizes:
            parts.append(self.layer.groups.mean_from_input(softmax))
        if self.n_knots:
            shares = jax.nn.softmax(self.knot_inputs(inputs), axis=-1)
            parts.append(shares.reshape(len(inputs), -1))
        return jnp.concatenate(parts, axis=1)


def predicted_inputs(
    parameters: PredictiveParameters,
    wide: PredictiveLayer,
    units: jax.Array,
    shown: jax.Array,
    base: jax.Array,
    n_sweeps: int,
    kept_hidden: jax.Array | float = 1.0,
    hidden_push: jax.Array | float = 0.0,
) -> jax.Array:
    """Input of every unit after the last sweep, the shown ones pinned in between.

    Parameters
    ----------
    parameters : PredictiveParameters
        One machine.
    wide : PredictiveLayer
        Its visible layer.
    units, shown : jax.Array of shape (n_rows, n_units)
        Units and knots, and which of them are seen; what stands at the others is not read.
    base : jax.Array of shape (n_rows, n_units)
        What the prior expects, for a knot that of its number.
    n_sweeps : int
        Sweeps.
    kept_hidden : jax.Array of shape (n_rows, n_hidden), or 1
        Factor of every hidden unit, 0 for one that is left out of a row in training.
    hidden_push : jax.Array of shape (n_rows, n_hidden), or 0
        Input of the hidden units from mask units, which say what is missing in the row.

    Returns
    -------
    jax.Array of shape (n_rows, n_units)

    Examples
    --------
    >>> wide = PredictiveLayer(VisibleLayer(0, 2), 0)
    >>> machine = PredictiveParameters(
    ...     jnp.zeros((2, 1)), jnp.ones(2), jnp.zeros(1), jnp.ones(2), jnp.zeros(2))
    >>> predicted_inputs(machine, wide, jnp.ones((1, 2)), jnp.array([[True, False]]),
    ...                  jnp.array([[0.0, 0.5]]), n_sweeps=1).tolist()
    [[1.0, 1.5]]
    """
    push = parameters.gain * base
    visible = jnp.where(shown, units, wide.mean_from_input(parameters.start_bias + push))
    inputs = push
    hidden_bias = parameters.hidden_bias + hidden_push
    for sweep in range(n_sweeps):
        if sweep:
            visible = jnp.where(shown, units, wide.mean_from_input(inputs))
        hidden = kept_hidden * jax.nn.sigmoid(hidden_bias + visible @ parameters.weights)
        inputs = parameters.visible_bias + hidden @ parameters.weights.T + push
    return inputs
