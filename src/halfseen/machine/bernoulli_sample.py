"""A bit that is on with a probability given by its input."""

from __future__ import annotations

import jax

from halfseen.machine.namespace_of import namespace_of


def bernoulli_sample(uniform: jax.Array, inputs: jax.Array) -> jax.Array:
    """1 where a uniform number lies below sigmoid(input), else 0.

    ``u < 1 / (1 + e^-x)`` is asked as ``u (1 + e^-x) < 1``, because a division takes as long as the
    rest. An input of minus infinity is never on, not even for a number of 0.

    Parameters
    ----------
    uniform : jax.Array
        Numbers in [0, 1) that broadcast against ``inputs``.
    inputs : jax.Array
        Log odds.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> bernoulli_sample(jnp.array([0.7, 0.8]), jnp.log(3.0)).tolist()
    [1.0, 0.0]
    >>> bernoulli_sample(jnp.array([0.0, 0.999]), jnp.array([-jnp.inf, jnp.inf])).tolist()
    [0.0, 1.0]
    """
    inverse: jax.Array = 1 + namespace_of(inputs).exp(-inputs)
    return (uniform * inverse < 1).astype(inputs.dtype)
