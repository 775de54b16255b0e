"""Adam with a clipped gradient, of which the numbers that hang on time are computed on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.namespace_of import namespace_of

_SMALLEST = 1e-8


class Adam(NamedTuple):
    """How much Adam remembers, and how long a gradient may be."""

    mean_decay: float = 0.9
    square_decay: float = 0.999
    clip_norm: float = 10.0


# Short memories: thousands of steps at most, of which the gradients soon differ from the first.
FORGETFUL = Adam(mean_decay=0.8, square_decay=0.95, clip_norm=5.0)


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


def paces(rate: NDArray[np.float32], first_step: int, adam: Adam = FORGETFUL) -> Pace:
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
        *((1.0 / (1.0 - decay**taken)).astype(np.float32) for decay in adam[:2]),
    )


def clipped_adam(
    gradient: Any, moments: Moments, pace: Pace, adam: Adam = FORGETFUL
) -> tuple[Any, Moments]:
    """The direction of a step, and what is remembered after it (Kingma and Ba, 2015).

    The gradient of all parameters together is first made no longer than it may be. Tests hold this
    against optax's ``clip_by_global_norm`` and ``scale_by_adam``. By NumPy if the gradient is.

    Examples
    --------
    >>> gradient = {"a": np.array([3.0, -4.0], np.float32)}
    >>> pace = jax.tree.map(lambda number: number[0], paces(np.ones(1, np.float32), 0))
    >>> clipped_adam(gradient, first_moments(gradient), pace)[0]["a"].tolist()
    [1.0, -1.0]
    """
    leaves, structure = jax.tree.flatten(gradient)
    means, squares = map(jax.tree.leaves, moments)
    xp = namespace_of(leaves[0])
    # A product takes one program, where squares and their sum take two or three; all but the
    # largest array are one.
    largest = max(leaves, key=lambda leaf: int(leaf.size))
    others = [leaf.reshape(-1) for leaf in leaves if leaf is not largest]
    parts = [largest, xp.concatenate(others)] if others else [largest]
    norm = xp.sqrt(sum(xp.vdot(part, part) for part in parts))
    clip = adam.clip_norm / xp.maximum(norm, adam.clip_norm)
    clipped = [clip * leaf for leaf in leaves]

    def moved(decay: float, old: list[Any], new: list[Any]) -> list[Any]:
        return [decay * before + (1.0 - decay) * now for before, now in zip(old, new, strict=True)]

    means = moved(adam.mean_decay, means, clipped)
    squares = moved(adam.square_decay, squares, [leaf * leaf for leaf in clipped])
    direction = [
        pace.of_mean * towards / (xp.sqrt(pace.of_square * size) + _SMALLEST)
        for towards, size in zip(means, squares, strict=True)
    ]
    shaped = [jax.tree.unflatten(structure, part) for part in (direction, means, squares)]
    return shaped[0], Moments(*shaped[1:])
