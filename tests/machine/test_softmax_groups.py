"""The arrangement of softmax groups, of equal and unequal sizes, in single precision as in use."""

from __future__ import annotations

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from exact.compiled import precision
from halfseen.machine.softmax_groups import SoftmaxGroups, softmax_groups

# The largest number that single precision has below 1.
ALMOST_ONE = float(np.nextafter(np.float32(1.0), np.float32(0.0)))

SIZES = [(2, 5, 3), (3, 3), (1, 2)]


def pieces(sizes: tuple[int, ...], units: np.ndarray) -> list[np.ndarray]:
    return np.split(np.asarray(units), np.cumsum(sizes)[:-1], axis=-1)


@pytest.mark.parametrize("sizes", SIZES)
def test_seats_and_back(sizes: tuple[int, ...]) -> None:
    groups = SoftmaxGroups(sizes)
    units = np.arange(2.0 * sum(sizes)).reshape(2, -1)
    seats, back = jax.jit(
        lambda x: (groups.seated(x, -7.0), groups.unseated(groups.seated(x, -7.0)))
    )(units)
    seats = np.asarray(seats)
    assert seats.shape == (2, len(sizes), max(sizes))
    np.testing.assert_array_equal(back, units)
    for index, piece in enumerate(pieces(sizes, units)):
        np.testing.assert_array_equal(seats[:, index, : sizes[index]], piece)
        assert np.all(seats[:, index, sizes[index] :] == -7.0)


@pytest.mark.parametrize("sizes", SIZES)
def test_each_group_by_itself(sizes: tuple[int, ...]) -> None:
    groups = SoftmaxGroups(sizes)
    inputs = np.random.default_rng(0).normal(scale=2.0, size=(5, sum(sizes)))
    means, sums, log_partition = jax.jit(
        lambda x: (groups.mean_from_input(x), groups.group_sum(x), groups.log_partition(x))
    )(inputs)
    for index, piece in enumerate(pieces(sizes, inputs)):
        weight = np.exp(piece)
        total = weight.sum(axis=-1)
        mean = pieces(sizes, means)[index]
        np.testing.assert_allclose(mean, weight / total[:, None], rtol=1e-5)
        np.testing.assert_allclose(log_partition[:, index], np.log(total), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(sums[:, index], piece.sum(axis=-1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sizes", SIZES)
def test_even_quantiles_give_the_probabilities(sizes: tuple[int, ...]) -> None:
    n = 10_000
    groups = SoftmaxGroups(sizes)
    inputs = np.random.default_rng(1).normal(size=sum(sizes))
    uniform = np.repeat(((np.arange(n) + 0.5) / n)[:, None], len(sizes), axis=1)
    sample = np.asarray(jax.jit(groups.sample_from_input)(inputs, uniform))
    expected = [np.exp(piece) / np.exp(piece).sum() for piece in pieces(sizes, inputs)]
    np.testing.assert_allclose(sample.mean(axis=0), np.concatenate(expected), atol=2 / n)


SAMPLE = jax.jit(softmax_groups((3, 2)).sample_from_input)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    inputs=st.lists(st.floats(-80, 80, width=32), min_size=5, max_size=5),
    uniform=st.lists(
        st.one_of(st.floats(0, 1, exclude_max=True, width=32), st.just(ALMOST_ONE)),
        min_size=2,
        max_size=2,
    ),
)
def test_exactly_one_unit_of_each_group_is_on(inputs: list[float], uniform: list[float]) -> None:
    sample = np.asarray(SAMPLE(jnp.array(inputs), jnp.array(uniform)))
    assert set(sample.tolist()) <= {0.0, 1.0}
    assert sample[:3].sum() == 1.0
    assert sample[3:].sum() == 1.0


def test_impossible_units_are_never_drawn() -> None:
    inputs = jnp.array([-1e6, 0.0, -1e6, -1e6, 0.0])
    for uniform in (0.0, 0.5, ALMOST_ONE):
        sample = SAMPLE(inputs, jnp.array([uniform, uniform]))
        assert sample.tolist() == [0.0, 1.0, 0.0, 0.0, 1.0]


def test_double_precision_after_single_in_one_process() -> None:
    """The arrangement outlives a switch of precision; so must its positions."""
    groups = SoftmaxGroups((2, 5, 3))
    inputs = np.arange(10.0)
    expected = [np.exp(piece) / np.exp(piece).sum() for piece in pieces(groups.sizes, inputs)]
    # Kept, as compiled functions are in use: it holds on to what it was compiled with.
    in_single = jax.jit(lambda x: groups.mean_from_input(x))
    single = in_single(inputs)
    with precision(double=True):
        double = jax.jit(lambda x: groups.mean_from_input(x))(inputs)
    assert (single.dtype, double.dtype) == (jnp.float32, jnp.float64)
    np.testing.assert_allclose(single, np.concatenate(expected), rtol=1e-5)
    np.testing.assert_allclose(double, np.concatenate(expected), rtol=1e-12)


def test_positions() -> None:
    groups = softmax_groups((2, 3))
    assert groups is softmax_groups((2, 3))
    assert (groups.n_units, groups.widest) == (5, 3)
    assert groups.first_units.tolist() == [0, 2]
    assert groups.group_of_unit.tolist() == [0, 0, 1, 1, 1]
