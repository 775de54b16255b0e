"""When learning runs away: how it is noticed, and what the user is told."""

from __future__ import annotations

import jax
import jax.numpy as jnp

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


@jax.jit
def is_sound(state: TrainingState, loss: jax.Array) -> jax.Array:
    """Which machines have not run away, of shape (n_replicas,).

    Running away is: parameters, chains or centres that are not finite, weights without measure, or
    a monitored loss that is not a number or out of all proportion.
    """

    def one(state: TrainingState) -> jax.Array:
        leaves = jax.tree.leaves((state.parameters, state.memory))
        finite = jnp.array([jnp.all(jnp.isfinite(leaf)) for leaf in leaves])
        small = jnp.max(jnp.abs(state.parameters.weights), initial=0.0) < _LARGEST_WEIGHT
        return jnp.all(finite) & small

    return jax.vmap(one)(state) & jnp.isfinite(loss) & (loss < _LARGEST_LOSS)
