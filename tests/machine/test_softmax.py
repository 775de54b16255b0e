"""Shares in proportion to exponentials: NumPy's and JAX's are the same."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.special import softmax as reference

from halfseen.machine.softmax import softmax


@pytest.mark.parametrize("length", [1, 2, 5, 16, 17, 40])
def test_short_and_long_axes(length: int) -> None:
    heights = 8 * np.random.default_rng(length).normal(size=(3, 4, length)).astype(np.float32)
    shares = softmax(heights)
    assert isinstance(shares, np.ndarray)
    assert shares.dtype == np.float32
    np.testing.assert_allclose(shares, reference(heights, axis=-1), atol=1e-6)
    np.testing.assert_allclose(shares, np.asarray(jax.jit(softmax)(heights)), atol=1e-6)


def test_heights_beyond_the_exponential_and_empty_seats() -> None:
    heights = np.array([[1000.0, 1000.0, -np.inf], [-1000.0, -1001.0, -np.inf]])
    shares = softmax(heights)
    np.testing.assert_allclose(shares[0], [0.5, 0.5, 0.0])
    np.testing.assert_allclose(shares[1], reference(heights[1]))
    assert heights[0, 0] == 1000.0  # what was given stays as it is
