"""When learning runs away: how it is noticed, and what the user is told."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.epoch import TrainingState

MOST_ROLLBACKS = 5
SLOWER = 0.25
_LARGEST_WEIGHT = 1e4
_LARGEST_LOSS = 1e4


def is_sound(state: TrainingState, loss: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Which machines have not run away, of shape (n_replicas,).

    Running away is: parameters, chains or centres that are not finite, weights without measure, or
    a monitored loss that is not a number or out of all proportion. It is looked at on the host,
    where nothing need be compiled.
    """
    sound = np.isfinite(loss) & (loss < _LARGEST_LOSS)
    for leaf in map(np.asarray, jax.tree.leaves((state.parameters, state.memory))):
        sound &= np.isfinite(leaf).all(axis=tuple(range(1, leaf.ndim)))
    weights = np.asarray(state.parameters.weights)
    largest = np.abs(weights).max(axis=(1, 2), initial=0.0)
    small: NDArray[np.bool_] = sound & (largest < _LARGEST_WEIGHT)
    return small
