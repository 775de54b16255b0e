"""The loss of predictive training: how well what was just hidden is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.predictive_sweeps import PredictiveLayer, Wide

KNOT_WEIGHT = 0.3


@dataclass(frozen=True)
class PredictiveColumns:
    """Which units make up which column, features first and targets after them.

    Parameters
    ----------
    wide : PredictiveLayer
        The visible layer with its knots.
    column_of_unit : tuple of int
        Column of every unit of the layer.
    n_features, n_targets : int
        Numbers of columns.
    """

    wide: PredictiveLayer
    column_of_unit: tuple[int, ...]
    n_features: int
    n_targets: int

    @cached_property
    def column_of_wide(self) -> NDArray[np.int64]:
        """Column of every unit and knot."""
        return np.asarray(self.column_of_unit)[self.wide.unit_of_wide]

    @cached_property
    def _n_in_order(self) -> int:
        """Units before the first that is not a column's of the same number."""
        differs = np.asarray(self.column_of_unit) != np.arange(len(self.column_of_unit))
        return int(np.argmax(differs)) if differs.any() else len(differs)

    def by_unit(self, of_columns: jax.Array) -> jax.Array:
        """What belongs to columns, given to each of their units; (n_rows, n_visible).

        Units that stand in the order of the columns are taken as a whole, not one by one.
        """
        first = self._n_in_order
        rest = np.asarray(self.column_of_unit[first:], np.int64)
        return jnp.concatenate([of_columns[:, :first], of_columns[:, rest]], axis=1)

    @cached_property
    def is_target_unit(self) -> NDArray[np.bool_]:
        """Whether a unit of the layer belongs to a target."""
        is_target: NDArray[np.bool_] = np.asarray(self.column_of_unit) >= self.n_features
        return is_target


def block_losses(
    wide: PredictiveLayer, inputs: Wide, units: Wide
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Squared error of numbers, cross-entropy of their knots, of Bernoulli units and of groups.

    Each of shape (n_rows, number of such blocks); without knots theirs is zero.
    """
    layer = wide.layer
    gaussian, bernoulli, softmax = layer.split(inputs.units)
    number, binary, one_hot = layer.split(units.units)
    squared = (gaussian - number) ** 2
    knots = jnp.zeros_like(squared)
    if wide.n_knots:
        shares = wide.by_number(units.knots)
        knots = -jnp.sum(shares * jax.nn.log_softmax(wide.by_number(inputs.knots)), axis=-1)
    of_bernoulli = jax.nn.softplus(bernoulli) - binary * bernoulli
    of_groups = jnp.zeros((len(softmax), 0), softmax.dtype)
    if layer.group_sizes:
        of_groups = layer.groups.log_partition(softmax) - layer.groups.group_sum(softmax * one_hot)
    return squared, knots, of_bernoulli, of_groups


def predictive_loss(
    columns: PredictiveColumns,
    inputs: Wide,
    units: Wide,
    judged: jax.Array,
    label_weight: jax.Array,
) -> jax.Array:
    """Mean loss of the judged features plus the weighted mean loss of the judged labels.

    This is what training descends, along :func:`predictive_loss_slope`, which is all that it needs
    of it; tests hold the one against the other.

    Parameters
    ----------
    columns : PredictiveColumns
        Which units are whose.
    inputs : Wide
        What the machine says.
    units : Wide
        The truth.
    judged : jax.Array of bool, of shape (n_rows, n_visible)
        What was hidden from the machine and is known to us; other units are not read.
    label_weight : jax.Array, scalar
        Weight of the labels.

    Returns
    -------
    jax.Array, scalar

    Examples
    --------
    >>> from halfseen.machine.visible_layer import VisibleLayer
    >>> columns = PredictiveColumns(PredictiveLayer(VisibleLayer(2, 0), 0), (0, 1), 1, 1)
    >>> said, truth = (
    ...     columns.wide.apart(jnp.array(rows)) for rows in ([[1.0, 3.0]], [[0.0, 1.0]]))
    >>> float(predictive_loss(columns, said, truth, jnp.ones((1, 2), bool), jnp.array(0.5)))
    3.0
    """
    layer = columns.wide.layer
    # Of a NaN that is only left out of the sum, the gradient would still be NaN.
    units = Wide(
        jnp.where(judged, units.units, 0.0),
        jnp.where(columns.wide.of_each_knot(judged), units.knots, 0.0),
    )
    squared, knots, of_bernoulli, of_groups = block_losses(columns.wide, inputs, units)
    losses = jnp.concatenate([squared + KNOT_WEIGHT * knots, of_bernoulli, of_groups], axis=1)
    counted = layer.observed_blocks(judged)
    weight = weight_of_units(columns, judged, label_weight)[layer.first_unit_of_block]
    return jnp.sum(jnp.where(counted, losses, 0.0) * weight)


def predictive_loss_slope(wide: PredictiveLayer, inputs: Wide, units: Wide, counted: Wide) -> Wide:
    """The derivative of :func:`predictive_loss` by the inputs.

    Of every kind of unit it is the mean less the truth, times what the entry counts
    (:func:`what_counts`). Left to be derived from the loss it would be put together from slices of
    the units, which takes several times as long.

    Examples
    --------
    >>> from halfseen.machine.visible_layer import VisibleLayer
    >>> columns = PredictiveColumns(PredictiveLayer(VisibleLayer(2, 0), 0), (0, 1), 1, 1)
    >>> said, truth = (
    ...     columns.wide.apart(jnp.array(rows)) for rows in ([[1.0, 3.0]], [[0.0, 1.0]]))
    >>> counted = what_counts(columns, jnp.ones((1, 1, 2), bool), jnp.array(0.5))
    >>> counted = Wide(*(part[0] for part in counted))
    >>> predictive_loss_slope(columns.wide, said, truth, counted).units.tolist()
    [[2.0, 2.0]]
    """
    means = wide.mean_from_input(inputs)
    # What is not judged may be anything, for instance NaN.
    return Wide(
        *(
            jnp.where(weight > 0, weight * (mean - truth), 0.0)
            for mean, truth, weight in zip(means, units, counted, strict=True)
        )
    )


def what_counts(columns: PredictiveColumns, judged: jax.Array, label_weight: jax.Array) -> Wide:
    """What the entries of rows count in the slope of the loss, nothing where they are not judged.

    Parameters
    ----------
    columns : PredictiveColumns
        Which units are whose.
    judged : jax.Array of bool, of shape (n_steps, n_rows, n_visible)
        What is judged in the rows of some steps.
    label_weight : jax.Array, scalar
        Weight of the labels.

    Returns
    -------
    Wide
        Of shape (n_steps, n_rows, n_visible) and (n_steps, n_rows, n_gaussian n_knots). The slope
        of a squared error is twice the distance, that of all other losses the distance itself.
    """
    wide, n_visible = columns.wide, judged.shape[-1]
    steepness = np.where(np.arange(n_visible) < wide.layer.n_gaussian, 2.0, 1.0)
    weight = jnp.where(judged, weight_of_units(columns, judged, label_weight)[..., None, :], 0.0)
    of_knots = wide.of_each_knot(KNOT_WEIGHT * weight.reshape(-1, n_visible))
    return Wide(steepness * weight, of_knots.reshape(*judged.shape[:-1], -1))


def weight_of_units(
    columns: PredictiveColumns, judged: jax.Array, label_weight: jax.Array
) -> jax.Array:
    """What a judged entry of every unit counts in the loss, of shape (..., n_visible).

    Judged features have a weight of one together, judged labels that of the labels. ``judged`` is
    of shape (..., n_rows, n_visible).

    Examples
    --------
    >>> from halfseen.machine.visible_layer import VisibleLayer
    >>> columns = PredictiveColumns(PredictiveLayer(VisibleLayer(2, 0), 0), (0, 1), 1, 1)
    >>> weight_of_units(columns, jnp.ones((4, 2), bool), jnp.array(2.0)).tolist()
    [0.25, 0.5]
    """
    # A block counts by its first unit.
    is_first = np.zeros(columns.wide.layer.n_visible, bool)
    is_first[columns.wide.layer.first_unit_of_block] = True
    is_target = columns.is_target_unit
    kinds = np.stack([is_first & ~is_target, is_first & is_target], axis=1)
    # Counted by one product: sums are programs of their own, of two steps each.
    of_entries = np.tile(kinds, (judged.shape[-2], 1)).astype(float)
    flat = judged.reshape(*judged.shape[:-2], -1).astype(float)
    counts = jnp.maximum(flat @ of_entries, 1.0)[..., None, :]
    return jnp.where(is_target, label_weight / counts[..., 1], 1.0 / counts[..., 0])
