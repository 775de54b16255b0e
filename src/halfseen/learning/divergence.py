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
    """Learning ran away again and again, although its step was made smaller."""

    def __init__(self, learning_rate: float) -> None:
        smaller = learning_rate * SLOWER**MOST_ROLLBACKS
        super().__init__(
            f"training diverged {MOST_ROLLBACKS + 1} times, although each time it was rolled back "
            f"and the learning rate lowered from {learning_rate:g} down to {smaller:g}. "
            "Try a much smaller learning_rate, a finite clip_norm (for instance 10), a larger "
            "batch_size, or look for columns with extreme outliers"
        )


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
