"""What is lent is the same memory where that is possible, and the same values everywhere."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from halfseen.learning.lent_to_device import lent_to_device
from halfseen.tables import aligned_zeros


@pytest.mark.parametrize("dtype", [np.float32, bool])
def test_no_copy(dtype: Any) -> None:
    own = aligned_zeros((3, 5), dtype)
    own[1, 2] = 1
    lent = lent_to_device(own)
    assert lent.unsafe_buffer_pointer() == own.ctypes.data
    assert lent.dtype == own.dtype
    assert (np.asarray(lent) == own).all()


def test_memory_that_cannot_be_lent_is_copied() -> None:
    own = np.arange(40, dtype=np.float32)[1:].reshape(13, 3)
    turned = np.asfortranarray(own)
    fixed = aligned_zeros((2, 2), np.float32)
    fixed.setflags(write=False)
    for array in (own, turned, fixed):
        assert (np.asarray(lent_to_device(array)) == array).all()


def test_what_is_lent_is_not_bound_to_its_device() -> None:
    # What is computed from a bound array is bound, too, and a program that takes its own results
    # again is compiled for both.
    lent = lent_to_device(aligned_zeros((3, 2), np.float32))
    again = jax.jit(lambda state, table: state + table.sum())
    state = jax.device_put(np.zeros(2, np.float32))
    for _ in range(3):
        state = again(state, lent)
    assert again._cache_size() == 1
