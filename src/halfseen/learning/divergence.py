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


class DivergenceError(RuntimeError):
    """Learning ran away, and making its step smaller did not help.

    The facts are kept in ``args``, so that the error survives the way back from a worker process.

    Parameters
    ----------
    learning_rate : float
        The learning rate that was asked for.
    n_rollbacks : int
        How often training was rolled back and went on with a smaller step before it gave up.

    Examples
    --------
    >>> print(DivergenceError(0.5, n_rollbacks=0))
    training diverged with a learning rate of 0.5. Try a much smaller learning_rate, a finite
    clip_norm (for instance 10), a larger batch_size, or look for columns with extreme outliers
    """

    def __init__(self, learning_rate: float, n_rollbacks: int = MOST_ROLLBACKS) -> None:
        super().__init__(learning_rate, n_rollbacks)

    def __str__(self) -> str:
        learning_rate, n_rollbacks = self.args
        happened = f"training diverged with a learning rate of {learning_rate:g}"
        if n_rollbacks:
            smaller = learning_rate * SLOWER**n_rollbacks
            happened = (
                f"training diverged {n_rollbacks + 1} times, although each time it was rolled back "
                f"and the learning rate lowered from {learning_rate:g} down to {smaller:g}"
            )
        return (
            f"{happened}. Try a much smaller learning_rate, a finite clip_norm (for instance 10), "
            "a larger batch_size, or look for columns with extreme outliers"
        )


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
