"""Steps, against the same steps by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.learning.optimiser import Optimiser, Rates, schedule_factor
from halfseen.machine.parameters import BoltzmannParameters

pytestmark = pytest.mark.usefixtures("double_precision")

SHAPES = ((3, 2), (3,), (2,), (2,))
RATES = Rates(0.1, 0.0, -100.0, 100.0)
N_STEPS = 4


def random_tree(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    leaves: list[Any] = [rng.normal(size=shape) for shape in SHAPES]
    return BoltzmannParameters(*leaves)


def trodden(
    optimiser: Optimiser, rates: Rates, first: BoltzmannParameters, scale: float = 1.0
) -> Iterator[Any]:
    """Parameters after each of some steps with random gradients."""
    state = optimiser.first_state(first)
    step = jax.jit(optimiser.step)
    parameters = first
    for index in range(N_STEPS):
        gradient = jax.tree.map(lambda leaf: scale * leaf, random_tree(100 + index))
        parameters, state = step(parameters, gradient, state, rates)
        yield jax.device_get(parameters)


def assert_close(found: BoltzmannParameters, expected: BoltzmannParameters) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_plain_ascent() -> None:
    expected = first = random_tree(0)
    for index, found in enumerate(trodden(Optimiser("sgd"), RATES, first)):
        expected = jax.tree.map(lambda p, g: p + 0.1 * g, expected, random_tree(100 + index))
        assert_close(found, expected)


def test_momentum() -> None:
    expected = first = random_tree(0)
    velocity = jax.tree.map(np.zeros_like, first)
    for index, found in enumerate(trodden(Optimiser("sgd", momentum=0.9), RATES, first)):
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, random_tree(100 + index))
        expected = jax.tree.map(lambda p, v: p + 0.1 * v, expected, velocity)
        assert_close(found, expected)


def test_adam() -> None:
    expected = first = random_tree(0)
    mean = square = jax.tree.map(np.zeros_like, first)
    for index, found in enumerate(trodden(Optimiser("adam"), RATES, first)):
        gradient = random_tree(100 + index)
        t = index + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, gradient)
        expected = jax.tree.map(
            lambda p, m, s, t=t: (
                p + 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-8)
            ),
            expected,
            mean,
            square,
        )
        assert_close(found, expected)


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_only_the_weights_decay(name: str) -> None:
    first = random_tree(0)
    optimiser = Optimiser(name)  # type: ignore[arg-type]
    plain = next(trodden(optimiser, RATES, first))
    decayed = next(trodden(optimiser, RATES._replace(weight_decay=0.3), first))
    expected = plain._replace(weights=plain.weights - 0.1 * 0.3 * first.weights)
    assert_close(decayed, expected)


def norm(tree: BoltzmannParameters) -> float:
    return math.sqrt(sum(float(np.sum(leaf**2)) for leaf in tree))


def test_long_gradients_are_clipped_as_a_whole() -> None:
    first, gradient = random_tree(0), random_tree(100)
    clipped = next(trodden(Optimiser("sgd", clip_norm=0.5), RATES, first, scale=1000.0))
    moved = jax.tree.map(np.subtract, clipped, first)
    assert norm(moved) == pytest.approx(0.1 * 0.5)
    assert_close(moved, jax.tree.map(lambda g: 0.1 * 0.5 * g / norm(gradient), gradient))


def test_short_gradients_are_left_alone() -> None:
    first = random_tree(0)
    plain = next(trodden(Optimiser("sgd"), RATES, first))
    assert_close(next(trodden(Optimiser("sgd", clip_norm=1e3), RATES, first)), plain)


def test_variances_stay_within_their_bounds() -> None:
    first = random_tree(0)._replace(log_variance=np.array([-0.2, 0.3]))
    rates = RATES._replace(lowest_log_variance=-0.25, highest_log_variance=0.35)
    unbounded = [tree.log_variance for tree in trodden(Optimiser("sgd"), RATES, first, 50.0)]
    bounded = [tree.log_variance for tree in trodden(Optimiser("sgd"), rates, first, 50.0)]
    assert np.min(unbounded) < -0.25
    assert np.max(unbounded) > 0.35
    assert np.min(bounded) == -0.25
    assert np.max(bounded) == 0.35


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_a_fixed_variance_stays_the_same_number(name: str) -> None:
    value = math.log(0.7)
    first = random_tree(0)._replace(log_variance=np.full(2, value))
    rates = RATES._replace(lowest_log_variance=value, highest_log_variance=value)
    for found in trodden(Optimiser(name), rates, first):  # type: ignore[arg-type]
        np.testing.assert_array_equal(found.log_variance, first.log_variance)


def test_constant_schedule() -> None:
    assert [schedule_factor("constant", epoch, 10) for epoch in range(12)] == [1.0] * 12


def test_cosine_schedule_warms_up_and_falls() -> None:
    factors = np.array([schedule_factor("cosine", epoch, 100) for epoch in range(100)])
    assert np.argmax(factors) == 4
    assert np.all(np.diff(factors[:5]) > 0)
    assert np.all(np.diff(factors[4:]) < 0)
    assert factors[0] == pytest.approx(0.2)
    assert factors[50] == pytest.approx(0.01 + 0.99 / 2)
    assert 0.01 < factors[-1] < 0.011


@given(st.integers(1, 10_000), st.data())
def test_factors_are_positive_and_at_most_one(n_epochs: int, data: st.DataObject) -> None:
    epoch = data.draw(st.integers(0, 2 * n_epochs))
    assert 0 < schedule_factor("cosine", epoch, n_epochs) <= 1
