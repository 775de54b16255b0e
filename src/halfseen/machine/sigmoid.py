"""The logistic function, by NumPy or by JAX."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np


def sigmoid(inputs: Any) -> Any:
    """1 / (1 + exp(-x)) of every input, by NumPy if they are NumPy's.

    Examples
    --------
    >>> sigmoid(np.array([0.0, np.inf])).tolist()
    [0.5, 1.0]
    """
    if not isinstance(inputs, np.ndarray):
        return jax.nn.sigmoid(inputs)
    shares = np.exp(-inputs)
    shares += 1
    return np.reciprocal(shares, out=shares)
