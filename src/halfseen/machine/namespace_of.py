"""NumPy or JAX, whichever made an array."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np


def namespace_of(array: Any) -> Any:
    """The functions that go with an array.

    What is asked once is computed by NumPy, with the same lines that JAX compiles elsewhere.

    Examples
    --------
    >>> namespace_of(np.ones(2)).__name__, namespace_of(jnp.ones(2)).__name__
    ('numpy', 'jax.numpy')
    """
    return np if isinstance(array, np.ndarray) else jnp
