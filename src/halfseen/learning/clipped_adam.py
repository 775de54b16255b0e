"""Adam with a clipped gradient, of which the numbers that hang on time are computed on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

# Short memories: thousands of steps at most, of which the gradients soon differ from the first.
MEAN_DECAY, SQUARE_DECAY = 0.8, 0.95
CLIP_NORM = 5.0
_SMALLEST = 1e-8


class Moments(NamedTuple):
    """What Adam remembers: trees like the parameters."""

    mean: Any  # of the gradients
    square: Any  # of their squares


class Pace(NamedTuple):
    """Numbers of steps; of one step scalars."""

    rate: Any  # factor of the learning rate
    of_mean: Any  # what makes up for the zeros that the mean began with
    of_square: Any  # the same of the squares


def first_moments(parameters: Any) -> Moments:
    """Nothing is remembered yet; in NumPy.

    Examples
    --------
    >>> first_moments({"a": np.ones(2, np.float32)}).mean["a"]
    array([0., 0.], dtype=float32)
    """

    def zeros() -> Any:
        return jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), parameters)

    return Moments(zeros(), zeros())


def paces(rate: NDArray[np.float32], first_step: int) -> Pace:
    """The numbers of steps from one on, of which so many have been taken before.

    That is arithmetic on single numbers, of which each would be a program of its own on a device.

    Examples
    --------
    >>> paces(np.ones(2, np.float32), 0).of_mean.round(3)
    array([5.   , 2.778], dtype=float32)
    """
    taken = first_step + 1.0 + np.arange(len(rate))
    return Pace(
        rate.astype(np.float32),
        *((1.0 / (1.0 - decay**taken)).astype(np.float32) for decay in (MEAN_DECAY, SQUARE_DECAY)),
    )


def clipped_adam(gradient: Any, moments: Moments, pace: Pace) -> tuple[Any, Moments]:
    """The direction of a step, and what is remembered after it (Kingma and Ba, 2015).

    The gradient of all parameters together is first made no longer than 5. Tests hold this against
    optax's ``clip_by_global_norm`` and ``scale_by_adam``.

    Examples
    --------
    >>> gradient = {"a": np.array([3.0, -4.0], np.float32)}
    >>> pace = jax.tree.map(lambda number: number[0], paces(np.ones(1, np.float32), 0))
    >>> clipped_adam(gradient, first_moments(gradient), pace)[0]["a"].tolist()
    [1.0, -1.0]
    """
    norm = jnp.sqrt(sum(jnp.sum(leaf * leaf) for leaf in jax.tree.leaves(gradient)))
    clip = CLIP_NORM / jnp.maximum(norm, CLIP_NORM)

    def moved(decay: float, old: jax.Array, new: jax.Array) -> jax.Array:
        return decay * old + (1.0 - decay) * new

    mean = jax.tree.map(lambda old, new: moved(MEAN_DECAY, old, clip * new), moments.mean, gradient)
    square = jax.tree.map(
        lambda old, new: moved(SQUARE_DECAY, old, (clip * new) ** 2), moments.square, gradient
    )
    direction = jax.tree.map(
        lambda towards, size: (
            pace.of_mean * towards / (jnp.sqrt(pace.of_square * size) + _SMALLEST)
        ),
        mean,
        square,
    )
    return direction, Moments(mean, square)
