"""A table handed to the device without a second copy of it."""

from __future__ import annotations

from typing import Any

import jax
from numpy.typing import NDArray


def lent_to_device(array: NDArray[Any]) -> jax.Array:
    """An array on the device; on a CPU the very same memory, if it begins where JAX needs it.

    The array must not be written to afterwards.

    Parameters
    ----------
    array : ndarray
        For instance from ``halfseen.tables.aligned_zeros``.

    Returns
    -------
    jax.Array

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import aligned_zeros
    >>> own = aligned_zeros((2, 2), np.float32)
    >>> lent_to_device(own).unsafe_buffer_pointer() == own.ctypes.data
    True
    """
    # Not by DLPack: what it lends is bound to its device, and so is all that is computed from it;
    # a program that takes its own results again would be compiled a second time.
    lent: jax.Array = jax.device_put(array, may_alias=True)
    return lent
