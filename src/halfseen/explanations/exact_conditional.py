"""Exact conditional means of a small machine, by enumeration of its hidden configurations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.machine.visible_layer import VisibleLayer

MOST_HIDDEN_UNITS = 16


def exact_conditional(
    machine: FittedMachine, visible: NDArray[np.float32], observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """E[v | v_o] of every unit and row: ``sum_h P(h | v_o) <v | h>``, in double precision.

    Several machines are averaged, as their completions are.

    Parameters
    ----------
    machine : FittedMachine
        With at most 16 hidden units.
    visible, observed : ndarray of shape (n_rows, n_visible)
        The rows; what stands at missing entries is not read.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_visible)
        Observed entries at their values.

    Raises
    ------
    ValueError
        The machine has too many hidden units.

    Examples
    --------
    >>> from halfseen.machine.completion import CompletionSettings
    >>> zeros = np.zeros((1, 2), np.float32)
    >>> machine = FittedMachine(VisibleLayer(0, 2), np.zeros((1, 2, 3), np.float32), zeros,
    ...                         np.zeros((1, 3), np.float32), np.zeros((1, 0), np.float32), zeros,
    ...                         zeros[0], CompletionSettings(), 0)
    >>> exact_conditional(machine, zeros, np.array([[True, False]]))
    array([[0. , 0.5]])
    """
    n_machines, _, n_hidden = machine.weights.shape
    if n_hidden > MOST_HIDDEN_UNITS:
        raise ValueError(
            f'method="exact" enumerates the hidden units and is for at most {MOST_HIDDEN_UNITS} of '
            f'them; this machine has {n_hidden}: use method="model"'
        )
    held = np.where(observed, visible, 0.0).astype(np.float64)
    total = np.zeros_like(held)
    for index in range(n_machines):
        for row in range(len(held)):
            total[row] += _of_row(machine, index, held[row], observed[row])
    return np.where(observed, held, total / n_machines)


def _of_row(
    machine: FittedMachine, index: int, held: NDArray[np.float64], observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """One row at a time, so that no row's bits depend on its companions."""
    layer = machine.layer
    hidden = _configurations(machine.weights.shape[2])
    weights = machine.weights[index].astype(np.float64)
    inputs = hidden @ weights.T + machine.visible_bias[index].astype(np.float64)
    variance = np.exp(machine.log_variance[index].astype(np.float64))
    partition, means = _of_blocks(layer, inputs, variance)
    missing = ~observed[layer.first_unit_of_block]
    exponent = hidden @ machine.hidden_bias[index].astype(np.float64) + inputs @ held
    exponent += partition @ missing.astype(np.float64)
    weight = np.exp(exponent - exponent.max())
    mean: NDArray[np.float64] = (weight / weight.sum()) @ means
    return mean


def _configurations(n_hidden: int) -> NDArray[np.float64]:
    codes = np.arange(2**n_hidden)[:, None]
    return ((codes >> np.arange(n_hidden)) & 1).astype(np.float64)


def _of_blocks(
    layer: VisibleLayer, inputs: NDArray[np.float64], variance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log partition of every block and mean of every unit, of every hidden configuration."""
    n_gaussian, single = layer.n_gaussian, layer.n_gaussian + layer.n_bernoulli
    gaussian, bernoulli = inputs[:, :n_gaussian], inputs[:, n_gaussian:single]
    partitions = [0.5 * variance * gaussian**2, np.logaddexp(0.0, bernoulli)]
    means = [variance * gaussian, np.exp(-np.logaddexp(0.0, -bernoulli))]
    first = single
    for size in layer.group_sizes:
        group = inputs[:, first : first + size]
        log_total = np.logaddexp.reduce(group, axis=1, keepdims=True)
        partitions.append(log_total)
        means.append(np.exp(group - log_total))
        first += size
    return np.concatenate(partitions, axis=1), np.concatenate(means, axis=1)
