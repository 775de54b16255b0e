"""AdamW over all parameters as one vector."""

from __future__ import annotations

import jax
import optax


def adamw(
    learning_rate: jax.Array | float, weight_decay: jax.Array | float
) -> optax.GradientTransformation:
    """AdamW; without decay it is Adam.

    Both numbers may be traced, so that a schedule or a tuner does not compile anew. The parameters
    are one vector to it: one kernel to compile instead of several for every layer.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> parameters = {"w": jnp.ones(2)}
    >>> step = adamw(0.1, 0.0)
    >>> update, _ = step.update({"w": jnp.ones(2)}, step.init(parameters), parameters)
    >>> [round(float(value), 3) for value in update["w"]]
    [-0.1, -0.1]
    """
    return optax.flatten(optax.adamw(learning_rate, weight_decay=weight_decay))
