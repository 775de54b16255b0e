"""Memory that a device can take over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.tables import aligned_zeros


@pytest.mark.parametrize("dtype", [np.float32, bool])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (2, 5, 3)])
def test_zeros_of_any_shape(shape: tuple[int, ...], dtype: Any) -> None:
    for _ in range(5):
        array = aligned_zeros(shape, dtype)
        assert (array.shape, array.dtype) == (shape, np.dtype(dtype))
        assert not array.any()
        assert array.ctypes.data % 64 == 0 or not array.size
        assert array.flags.writeable
        assert array.flags.c_contiguous
