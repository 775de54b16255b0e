"""One epoch by NumPy, for machines so small that a program takes longer to compile than to run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.clipped_adam import (
    Adam,
    Moments,
    Pace,
    clipped_adam,
    first_moments,
    paces,
)
from halfseen.learning.data_started_cd import DataStartedCD, drawn_noise_of_update
from halfseen.learning.epoch import EpochOrder, Rows, TrainingState
from halfseen.learning.objective import Batch, Beginning, Objective
from halfseen.learning.one_thread import one_thread
from halfseen.learning.optimiser import Optimiser, Packed, Rates, moved_within_bounds, packed
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

_MOST_ENTRIES = 9_000  # of the weights, and of the hidden units of a minibatch
_OWN_STREAM = 15_485_863


class HostAdam(NamedTuple):
    """What Adam holds of one machine."""

    n_taken: Any  # steps
    moments: Moments  # of packed parameters


def goes_on_host(
    layer: VisibleLayer,
    objective: Objective,
    optimiser: Optimiser,
    n_hidden: int,
    batch_size: int,
    n_machines: int,
) -> bool:
    """Whether a training is left to NumPy: a single small machine, on a CPU, trained as usual.

    An update of such a machine, of few rows, is some eighty small operations. NumPy takes twice as
    long over them as a program does, but the program would first be compiled, for two or three
    seconds of a core.

    Examples
    --------
    >>> usual = DataStartedCD(), Optimiser("adam", clip_norm=10.0)
    >>> goes_on_host(VisibleLayer(20, 3), *usual, n_hidden=92, batch_size=20, n_machines=1)
    True
    >>> goes_on_host(VisibleLayer(784, 10), *usual, n_hidden=200, batch_size=20, n_machines=1)
    False
    """
    is_usual = isinstance(objective, DataStartedCD) and objective.n_steps == 1
    is_small = n_hidden * max(layer.n_visible, batch_size) <= _MOST_ENTRIES
    has_adam = optimiser.name == "adam" and math.isfinite(optimiser.clip_norm)
    return n_machines == 1 and is_usual and is_small and has_adam and jax.default_backend() == "cpu"


def state_on_host(state: TrainingState) -> TrainingState:
    """A first state as it lies on the host, with what Adam holds there.

    Leaves have their replica axis, as elsewhere.
    """
    held: TrainingState = jax.device_get(state)
    machine = BoltzmannParameters(*(leaf[0] for leaf in held.parameters))
    adam = HostAdam(np.zeros((), np.int32), first_moments(packed(machine)))
    return held._replace(optimiser_state=jax.tree.map(lambda leaf: leaf[None], adam))


def is_on_host(state: TrainingState) -> bool:
    """Whether a state is one of :func:`state_on_host`, or has come of it."""
    return isinstance(state.optimiser_state, HostAdam)


def run_epoch_on_host(
    state: TrainingState,
    table: Rows,
    order: EpochOrder,
    rates: Rates,
    beginning: Beginning,
    seed: int,
    epoch: int,
    first_batch: int = 0,
    *,
    layer: VisibleLayer,
    objective: Objective,
    optimiser: Optimiser,
) -> tuple[TrainingState, NDArray[np.float32]]:
    """What :func:`halfseen.learning.epoch.run_epoch` does, for one machine.

    The random numbers depend on the seed, the number of the epoch and that of the minibatch, and
    are others than those of a program.

    Returns
    -------
    state : TrainingState
        After the epoch.
    gradient_norm : ndarray of shape (1,)
        Mean norm of the gradient over the minibatches.
    """
    assert isinstance(objective, DataStartedCD)
    visible, observed = _rows_in_order(table, order)
    beginning = jax.tree.map(np.asarray, beginning)
    own: TrainingState = jax.tree.map(lambda leaf: np.asarray(leaf)[0], state)
    parameters, held, memory = own.parameters, own.optimiser_state, own.memory
    n_hidden = len(parameters.hidden_bias)
    adam = Adam(clip_norm=optimiser.clip_norm)
    rate: Any = np.float32(rates.learning_rate * own.rate_scale)
    own_rates = rates._replace(learning_rate=rate)
    pace = paces(np.ones(order.n_batches, np.float32), int(held.n_taken), adam)
    moments, norm = held.moments, 0.0
    # A machine that runs away is noticed by its numbers, and not told as they overflow.
    with one_thread, np.errstate(all="ignore"):
        for index in range(order.n_batches):
            weight: Any = order.weight[index]
            n_counted = int(np.count_nonzero(weight))  # others, behind them, are padding
            rows = slice(0, n_counted)
            places: Any = order.rows[0, index, rows]
            batch = Batch(visible[index, rows], observed[index, rows], weight[rows], places)
            generator = _generator(seed, epoch, first_batch + index)
            noise = drawn_noise_of_update(generator, layer, n_hidden, n_counted)
            gradient, memory = objective.gradient_on_host(
                parameters, layer, batch, memory, beginning, noise
            )
            towards = packed(gradient)
            norm += math.sqrt(sum(float(np.vdot(leaf, leaf)) for leaf in towards))
            own_pace = Pace(*(numbers[index] for numbers in pace))
            direction, moments = clipped_adam(towards, moments, own_pace, adam)
            parameters = moved_within_bounds(parameters, Packed(*direction), own_rates)
    held = HostAdam(held.n_taken + np.int32(order.n_batches), moments)
    moved = TrainingState(parameters, held, memory, own.rate_scale)
    mean_norm = np.array([norm / order.n_batches], np.float32)
    return jax.tree.map(lambda leaf: np.asarray(leaf)[None], moved), mean_norm


def _generator(seed: int, epoch: int, batch: int) -> np.random.Generator:
    """Of one minibatch."""
    return np.random.Generator(np.random.SFC64([seed % 2**64, _OWN_STREAM, epoch, batch]))


def _rows_in_order(table: Rows, order: EpochOrder) -> tuple[Any, Any]:
    """Values and what is observed of the rows of every minibatch, zero where not observed."""
    places = order.rows[0, : order.n_batches]
    observed = np.asarray(table.observed)[places]
    return np.where(observed, np.asarray(table.visible)[places], np.float32(0)), observed
