"""Arrays that begin where a device can take them over without a copy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_BYTES = 64  # JAX takes over memory that begins at a multiple of this


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros whose memory begins at a multiple of 64 bytes.

    Examples
    --------
    >>> aligned_zeros((3, 5), np.float32).ctypes.data % 64
    0
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + _BYTES, np.uint8)
    first = -raw.ctypes.data % _BYTES
    return raw[first : first + n_bytes].view(dtype).reshape(shape)
