"""Shares in proportion to exponentials: NumPy's and JAX's are the same."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.special import softmax as reference

from halfseen.machine.softmax import softmax, softmax_within_bounds


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


@pytest.mark.parametrize("length", [1, 4, 12, 20])
def test_within_bounds_it_is_the_same(length: int) -> None:
    heights = 8 * np.random.default_rng(length).normal(size=(3, 4, length)).astype(np.float32)
    shares = softmax_within_bounds(heights)
    np.testing.assert_allclose(shares, reference(heights, axis=-1), atol=1e-6)
    compiled = np.asarray(jax.jit(softmax_within_bounds)(heights))
    np.testing.assert_allclose(compiled, shares, atol=1e-6)


def test_beyond_its_bounds_it_stays_a_distribution() -> None:
    heights = np.array([[3e38, 0.0], [-3e38, -3e38], [-3e38, 3e38]], np.float32)
    for shares in (softmax_within_bounds(heights), jax.jit(softmax_within_bounds)(heights)):
        np.testing.assert_allclose(shares, [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-6)
