"""A machine trained to predict: a few mean-field sweeps from its prior's expectation.

The machine is the paper's, with two additions. A number has, beside its Gaussian unit of unit
variance, a softmax group over the knots of its column. And the input of every visible unit has a
term from the correlated prior: ``x_i = a_i + sum_j w_ij h_j + g_i base_i``, with ``base`` the
prior's conditional mean given what is observed in the row. Sweeps alternate eqs. (11)-(13) a fixed
number of times; the last of them is differentiated, from where those before have led.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.binned_units import interpolated
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.sigmoid import sigmoid
from halfseen.machine.softmax import softmax_within_bounds
from halfseen.machine.visible_layer import VisibleLayer


class Wide(NamedTuple):
    """What belongs to the units of the layer, and what belongs to the knots of its numbers.

    The two are kept apart, rather than side by side in one array, because every product and every
    activation then runs over one kind of unit without a seam.
    """

    units: Any  # (..., n_visible) of a row, (n_visible, ...) of a parameter
    knots: Any  # (..., n_gaussian n_knots), likewise


class PredictiveParameters(NamedTuple):
    """What is learned."""

    weights: Wide  # (n_units, n_hidden)
    visible_bias: Wide
    hidden_bias: Any  # (n_hidden,)
    gain: Wide  # of the prior's expectation
    start_bias: Wide  # the input of a missing unit before the first sweep; not learned
    missing_weights: Any = None  # (n_visible, n_hidden), of mask units


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

    def apart(self, joined: Any, axis: int = -1) -> Wide:
        """Units and knots that stand one after the other along an axis, taken apart."""
        before = (slice(None),) * (axis % joined.ndim)
        n_visible = self.layer.n_visible
        return Wide(
            joined[(*before, slice(None, n_visible))], joined[(*before, slice(n_visible, None))]
        )

    def widened(self, visible: jax.Array, knots: jax.Array) -> Wide:
        """Visible units, and their numbers shared out over the knots."""
        if not self.n_knots:
            return Wide(visible, visible[:, :0])
        shares = interpolated(visible[:, : self.layer.n_gaussian], knots)
        return Wide(visible, shares.reshape(len(visible), -1))

    def seen(self, shown: jax.Array) -> Wide:
        """Which units are seen; of a number, its knots are too."""
        return Wide(shown, self.of_each_knot(shown))

    def of_each_knot(self, of_units: jax.Array) -> jax.Array:
        """What belongs to a number, given to each of its knots; (n_rows, n_gaussian n_knots)."""
        numbers = of_units[:, : self.layer.n_gaussian, None]
        shape = (*numbers.shape[:2], self.n_knots)
        spread: jax.Array = namespace_of(of_units).broadcast_to(numbers, shape)
        return spread.reshape(len(of_units), shape[1] * shape[2])

    def by_number(self, of_knots: jax.Array) -> jax.Array:
        """What belongs to knots, of shape (n_rows, n_gaussian, n_knots)."""
        return of_knots.reshape(len(of_knots), self.layer.n_gaussian, self.n_knots)

    def mean_from_input(self, inputs: Wide) -> Wide:
        """Mean of every unit and probability of every knot."""
        layer = self.layer
        first_group = layer.n_gaussian + layer.n_bernoulli
        means, knots = inputs
        # Kinds are written into their places: in a concatenation they would not be vectorised.
        if layer.n_bernoulli:
            binary = slice(layer.n_gaussian, first_group)
            means = _written(means, binary, sigmoid(inputs.units[:, binary]))
        if layer.group_sizes:
            shares = layer.groups.mean_from_input(inputs.units[:, first_group:])
            means = _written(means, slice(first_group, None), shares)
        if self.n_knots:
            knots = softmax_within_bounds(self.by_number(knots)).reshape(knots.shape)
        return Wide(means, knots)

    def expected(self, base: jax.Array) -> Wide:
        """What the prior expects, of every unit and again of each of its knots."""
        return Wide(base, self.of_each_knot(base))

    def pinned(self, shown: Wide, units: Wide, inputs: Wide) -> Wide:
        """Shown units as they are, the others at their mean."""
        where = namespace_of(inputs.units).where
        return Wide(*map(where, shown, units, self.mean_from_input(inputs)))


class LastSweep(NamedTuple):
    """The last sweep over some rows: what it starts from, and what it leads to."""

    visible: Wide  # shown units as they are, the others where the sweeps before have led them
    on: jax.Array  # (n_rows, n_hidden), mean of every hidden unit
    hidden: jax.Array  # the same, times the factor of those that are kept
    inputs: Wide  # of every visible unit


def last_sweep(
    parameters: PredictiveParameters,
    wide: PredictiveLayer,
    units: Wide,
    seen: Wide,
    base: jax.Array,
    n_sweeps: int,
    kept_hidden: jax.Array | float = 1.0,
    hidden_push: jax.Array | float = 0.0,
) -> LastSweep:
    """Sweeps from the prior's expectation, the shown units pinned in between.

    By NumPy if the units are NumPy's.

    Parameters
    ----------
    parameters : PredictiveParameters
        One machine.
    wide : PredictiveLayer
        Its visible layer.
    units : Wide
        Units and knots of the rows; what stands at those that are not shown is not read.
    seen : Wide
        Which units are shown, of :meth:`PredictiveLayer.seen`.
    base : jax.Array of shape (n_rows, n_visible)
        What the prior expects.
    n_sweeps : int
        Sweeps, at least one.
    kept_hidden : jax.Array of shape (n_rows, n_hidden), or 1
        Factor of every hidden unit, 0 for one that is left out of a row in training.
    hidden_push : jax.Array of shape (n_rows, n_hidden), or 0
        Input of the hidden units from mask units, which say what is missing in the row.

    Returns
    -------
    LastSweep

    Examples
    --------
    >>> wide = PredictiveLayer(VisibleLayer(0, 2), 0)
    >>> machine = PredictiveParameters(
    ...     wide.apart(jnp.zeros((2, 1)), 0), wide.apart(jnp.ones(2)), jnp.zeros(1),
    ...     wide.apart(jnp.ones(2)), wide.apart(jnp.zeros(2)))
    >>> rows = Wide(jnp.ones((1, 2)), jnp.zeros((1, 0)))
    >>> seen = wide.seen(jnp.array([[True, False]]))
    >>> base = jnp.array([[0.0, 0.5]])
    >>> last_sweep(machine, wide, rows, seen, base, n_sweeps=1).inputs.units.tolist()
    [[1.0, 1.5]]
    """
    push = _combined(operator.mul, parameters.gain, wide.expected(base))
    inputs = _combined(operator.add, parameters.start_bias, push)
    weights, hidden_bias = parameters.weights, parameters.hidden_bias + hidden_push
    for _ in range(n_sweeps):
        visible = wide.pinned(seen, units, inputs)
        field = hidden_bias + visible.units @ weights.units + visible.knots @ weights.knots
        on = sigmoid(field)
        hidden = kept_hidden * on
        # Left to itself XLA makes one library call of product, sum and the largest of each group,
        # which takes three times as long as the product alone.
        of_knots = hidden @ weights.knots.T
        if wide.n_knots and not isinstance(of_knots, np.ndarray):
            of_knots = jax.lax.optimization_barrier(of_knots)  # type: ignore[no-untyped-call]
        inputs = Wide(
            parameters.visible_bias.units + hidden @ weights.units.T + push.units,
            parameters.visible_bias.knots + of_knots + push.knots,
        )
    return LastSweep(visible, on, hidden, inputs)


def sweep_gradient(
    parameters: PredictiveParameters,
    wide: PredictiveLayer,
    sweep: LastSweep,
    slope: Wide,
    base: jax.Array,
    missing: jax.Array,
) -> PredictiveParameters:
    """The derivative of a loss by the parameters, through the last sweep alone.

    What the sweeps before it have led to is given. That costs two fifths less than a derivative
    through two sweeps, and learns as well: weights that make the last sweep right from where it
    starts make the one before it right, too.

    Both ways in which weights have a say, as ``S^T h`` from hidden to visible units and as
    ``v^T d`` back, are one product of twice as many rows, which is faster than two and a sum.

    Parameters
    ----------
    parameters : PredictiveParameters
        One machine.
    wide : PredictiveLayer
        Its visible layer.
    sweep : LastSweep
        Of :func:`last_sweep`.
    slope : Wide
        Derivative of the loss by the inputs of the visible units.
    base : jax.Array of shape (n_rows, n_visible)
        What the prior expects.
    missing : jax.Array of shape (n_rows, n_visible)
        What mask units say; not read by a machine that has none.

    Returns
    -------
    PredictiveParameters
        Zero for the biases of the start, which are not learned.
    """
    weights = parameters.weights
    expected = wide.expected(base)
    back = slope.units @ weights.units + slope.knots @ weights.knots
    of_field = back * sweep.hidden * (1.0 - sweep.on)
    of_rows = jnp.concatenate([sweep.hidden, of_field])

    def of_weights(slopes: jax.Array, visible: jax.Array) -> jax.Array:
        return (of_rows.T @ jnp.concatenate([slopes, visible])).T

    # All sums over rows are one product: each by itself would be two programs.
    of_gain = _combined(operator.mul, slope, expected)
    summed = jnp.ones(len(base)) @ jnp.concatenate([*slope, of_field, *of_gain], axis=1)
    ends = np.cumsum([part.shape[1] for part in (*slope, of_field, slope.units)])
    of_units, of_knots, of_hidden, *of_gains = jnp.split(summed, ends)
    return PredictiveParameters(
        weights=Wide(*map(of_weights, slope, sweep.visible)),
        visible_bias=Wide(of_units, of_knots),
        hidden_bias=of_hidden,
        gain=Wide(*of_gains),
        start_bias=Wide(*map(jnp.zeros_like, parameters.start_bias)),
        missing_weights=None if parameters.missing_weights is None else missing.T @ of_field,
    )


def _combined(operation: Callable[[Any, Any], Any], one: Wide, other: Wide) -> Wide:
    return Wide(operation(one.units, other.units), operation(one.knots, other.knots))


def _written(rows: Any, place: slice, values: Any) -> Any:
    """A copy of rows in which these values stand at some places."""
    if not isinstance(rows, np.ndarray):
        return rows.at[:, place].set(values)
    changed = rows.copy()
    changed[:, place] = values
    return changed
