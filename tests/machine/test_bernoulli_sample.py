"""Bits from uniform numbers, against the comparison with the sigmoid that they stand for."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from halfseen.machine.bernoulli_sample import bernoulli_sample

sample = jax.jit(bernoulli_sample)


def test_on_where_the_number_lies_below_the_sigmoid() -> None:
    rng = np.random.default_rng(0)
    inputs = rng.normal(scale=5.0, size=(200, 50)).astype(np.float32)
    uniform = rng.random((200, 50), np.float32)
    probability = expit(inputs.astype(float))
    # Single precision cannot tell on which side a number lies that is as near as this.
    clear = np.abs(uniform - probability) > 1e-6
    found = np.asarray(sample(uniform, inputs))
    assert found.dtype == np.float32
    assert np.mean(clear) > 0.99
    np.testing.assert_array_equal(found[clear], (uniform < probability)[clear])


def test_small_probabilities_are_kept() -> None:
    """Even steps through the quantiles near 0, where a probability of 1e-6 lies."""
    uniform = jnp.asarray((np.arange(1000) + 0.5) * 1e-8, jnp.float32)
    found = sample(uniform, jnp.full((1000,), np.log(1e-6), jnp.float32))
    assert float(jnp.sum(found)) == pytest.approx(100, abs=1)


@pytest.mark.parametrize(("value", "expected"), [(np.inf, 1.0), (-np.inf, 0.0), (200.0, 1.0)])
def test_certain_bits(value: float, expected: float) -> None:
    uniform = jnp.array([0.0, 0.5, 1 - 2.0**-24], jnp.float32)
    assert sample(uniform, jnp.full((3,), value, jnp.float32)).tolist() == [expected] * 3
