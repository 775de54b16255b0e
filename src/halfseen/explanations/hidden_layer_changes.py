"""How far columns move each other through the hidden layer of a machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.explanations.column_states import ColumnState
from halfseen.tables import Schema


def hidden_layer_changes(
    schema: Schema,
    machine: FittedMachine,
    states: Sequence[ColumnState],
    targets: Sequence[ColumnState],
) -> NDArray[np.float64]:
    """Change of every target when a source goes from low to high, all else at its average.

    The hidden units are summed out exactly; the formulas stand at :func:`couplings`.

    Parameters
    ----------
    schema : Schema
        The columns.
    machine : FittedMachine
        One or more likelihood-trained machines; their changes are averaged.
    states, targets : sequence of ColumnState
        Sources and targets.

    Returns
    -------
    ndarray of float64, shape (n_targets, n_states)
        Log-odds, for numbers standard deviations; meaningless within one column.
    """
    changes = np.zeros((len(targets), len(states)))
    for index in range(len(machine.weights)):
        changes += _of_machine(schema, machine, index, states, targets)
    return changes / len(machine.weights)


def _of_machine(
    schema: Schema,
    machine: FittedMachine,
    index: int,
    states: Sequence[ColumnState],
    targets: Sequence[ColumnState],
) -> NDArray[np.float64]:
    weights = machine.weights[index].astype(np.float64)
    bias = machine.visible_bias[index].astype(np.float64)
    variance = np.exp(machine.log_variance[index].astype(np.float64))
    average = schema.marginals
    usual = machine.hidden_bias[index].astype(np.float64) + average @ weights
    ends = [np.stack([_shift(weights, average, s.units, s.low) for s in states])]
    ends.append(np.stack([_shift(weights, average, s.units, s.high) for s in states]))
    changes = np.zeros((len(targets), len(states)))
    for t, target in enumerate(targets):
        # The average of the target itself takes no part in what is expected of it.
        without = usual - average[target.units] @ weights[target.units]
        low, high = (_level(target, weights, bias, variance, without + end) for end in ends)
        changes[t] = high - low
    return changes


def _shift(
    weights: NDArray[np.float64],
    average: NDArray[np.float64],
    units: slice,
    state: NDArray[np.float64],
) -> NDArray[np.float64]:
    shift: NDArray[np.float64] = (state - average[units]) @ weights[units]
    return shift


def _level(
    target: ColumnState,
    weights: NDArray[np.float64],
    bias: NDArray[np.float64],
    variance: NDArray[np.float64],
    inputs: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Log-odds or mean of the target, given inputs of the hidden units, (n_states, n_hidden)."""
    own = weights[target.units]
    if target.is_number:
        unit = target.units.start
        activation = np.exp(-np.logaddexp(0.0, -inputs))
        mean: NDArray[np.float64] = variance[unit] * (bias[unit] + activation @ own[0])
        return mean
    of_state: list[NDArray[np.float64]] = [
        bias[target.units.start + code] + np.logaddexp(0.0, inputs + own[code]).sum(axis=1)
        for code in range(len(own))
    ]
    if target.category is None:
        of_state.append(np.logaddexp(0.0, inputs).sum(axis=1))
    if len(of_state) == 1:
        return np.zeros(len(inputs))
    others = [level for code, level in enumerate(of_state) if code != target.code]
    odds: NDArray[np.float64] = of_state[target.code] - np.logaddexp.reduce(others, axis=0)
    return odds
