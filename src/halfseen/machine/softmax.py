"""Shares in proportion to exponentials, by NumPy or by JAX."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.namespace_of import namespace_of

_SHORT = 16
_FARTHEST = 60.0  # of which the exponential, and its inverse, are far from the ends of float32


def softmax(heights: Any) -> Any:
    """exp(x_k) / sum_k exp(x_k) along the last axis, by NumPy if the heights are NumPy's.

    Examples
    --------
    >>> softmax(np.array([0.0, np.log(3.0), -np.inf])).round(2).tolist()
    [0.25, 0.75, 0.0]
    """
    if not isinstance(heights, np.ndarray):
        return jax.nn.softmax(heights, axis=-1)
    shares = heights - _over_last(np.maximum, heights)
    np.exp(shares, out=shares)
    shares /= _over_last(np.add, shares)
    return shares


def softmax_within_bounds(heights: Any) -> Any:
    """The same of heights that are taken for 60 or -60 beyond these bounds.

    The highest of them need not be looked for first, which is a fifth of the work.

    Examples
    --------
    >>> softmax_within_bounds(np.array([0.0, np.log(3.0), -900.0])).round(2).tolist()
    [0.25, 0.75, 0.0]
    """
    xp = namespace_of(heights)
    shares = xp.exp(xp.clip(heights, -_FARTHEST, _FARTHEST))
    if not isinstance(shares, np.ndarray):
        return shares / shares.sum(axis=-1, keepdims=True)
    shares /= _over_last(np.add, shares)
    return shares


def _over_last(operation: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
    """A reduction of the last axis, which stays as one of length one.

    One member of a short axis after the other: NumPy's own reductions take several times as long.
    """
    if values.shape[-1] > _SHORT:
        reduced: NDArray[Any] = operation.reduce(values, axis=-1, keepdims=True)
        return reduced
    so_far = values[..., :1].copy()
    for place in range(1, values.shape[-1]):
        operation(so_far, values[..., place : place + 1], out=so_far)
    return so_far
