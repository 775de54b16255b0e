"""Numbers shared out over knots: a distribution whose mean is the number."""

from __future__ import annotations

import hypothesis.strategies as st
import jax
import numpy as np
from hypothesis import given, settings
from numpy.typing import NDArray

from halfseen.machine.binned_units import interpolated, shares_of_knots

Floats = NDArray[np.float32]

N_COLUMNS, N_KNOTS = 2, 4
compiled = jax.jit(interpolated)


@st.composite
def knots_of_columns(draw: st.DrawFn) -> Floats:
    gap = st.floats(0.015625, 4, width=32)
    gaps = draw(st.lists(gap, min_size=N_COLUMNS * N_KNOTS, max_size=N_COLUMNS * N_KNOTS))
    return (np.cumsum(np.reshape(gaps, (N_COLUMNS, N_KNOTS)), axis=1) - 4).astype(np.float32)


NUMBERS = st.lists(st.floats(-20, 20, width=32), min_size=N_COLUMNS, max_size=N_COLUMNS)


def shares_of(values: Floats, knots: Floats) -> Floats:
    return np.asarray(compiled(values, knots))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(numbers=NUMBERS, knots=knots_of_columns())
def test_shares_are_a_distribution_with_the_number_as_its_mean(
    numbers: list[float], knots: Floats
) -> None:
    values = np.array([numbers], np.float32)
    shares = shares_of(values, knots)
    assert shares.shape == (1, N_COLUMNS, N_KNOTS)
    assert np.all(shares >= 0)
    np.testing.assert_allclose(shares.sum(axis=2), 1.0, rtol=1e-6)
    within = np.clip(values, knots[:, 0], knots[:, -1])
    np.testing.assert_allclose((shares * knots).sum(axis=2), within, rtol=1e-5, atol=1e-5)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(numbers=NUMBERS, knots=knots_of_columns())
def test_only_the_two_neighbours_have_a_share(numbers: list[float], knots: Floats) -> None:
    shares = shares_of(np.array([numbers], np.float32), knots)[0]
    for number, own_knots, own in zip(numbers, knots, shares, strict=True):
        above = int(np.searchsorted(own_knots, number))
        allowed = {min(above, N_KNOTS - 1), max(above - 1, 0)}
        assert set(np.flatnonzero(own)) <= allowed


@settings(max_examples=50, deadline=None, derandomize=True)
@given(knots=knots_of_columns(), beyond=st.floats(0, 1e6, width=32))
def test_outside_the_nearest_knot_takes_all(knots: Floats, beyond: float) -> None:
    first, last = np.eye(N_KNOTS)[[0, -1]]
    for values, alone in ((knots[:, 0] - beyond, first), (knots[:, -1] + beyond, last)):
        np.testing.assert_array_equal(shares_of(values[None], knots)[0], [alone] * N_COLUMNS)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(knots=knots_of_columns(), chosen=st.integers(0, N_KNOTS - 1))
def test_a_number_on_a_knot_is_that_knot(knots: Floats, chosen: int) -> None:
    alone = np.eye(N_KNOTS)[chosen]
    np.testing.assert_array_equal(shares_of(knots[None, :, chosen], knots)[0], [alone] * N_COLUMNS)


def test_a_number_that_is_missing_leaves_its_neighbours_alone() -> None:
    knots = np.array([[-1, 0, 1, 2], [0, 1, 2, 3]], np.float32)
    shares = shares_of(np.array([[np.nan, 0.25]], np.float32), knots)
    np.testing.assert_array_equal(shares[0, 1], [0.75, 0.25, 0, 0])


def test_a_single_knot_takes_all() -> None:
    values = np.array([[-3.0, 8.0]], np.float32)
    np.testing.assert_array_equal(shares_of(values, np.ones((2, 1), np.float32)), [[[1], [1]]])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    knots=knots_of_columns(),
    values=st.lists(st.floats(-8, 16, width=32), max_size=5),
    n_knots=st.integers(1, N_KNOTS),
)
def test_shares_of_a_column_are_the_mean_of_those_of_its_numbers(
    knots: Floats, values: list[float], n_knots: int
) -> None:
    column = knots[0, :n_knots]
    rows = np.array(values, np.float32)
    one_by_one = np.asarray(interpolated(rows[:, None], column[None]))[:, 0]
    expected = one_by_one.mean(axis=0) if values else np.zeros(n_knots)
    np.testing.assert_allclose(shares_of_knots(rows, column), expected, atol=1e-4)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(numbers=NUMBERS, knots=knots_of_columns())
def test_numpy_shares_numbers_out_alike(numbers: list[float], knots: Floats) -> None:
    values = np.array([numbers], np.float32)
    shares = interpolated(values, knots)
    assert isinstance(shares, np.ndarray)
    np.testing.assert_allclose(shares, shares_of(values, knots), rtol=1e-5, atol=1e-6)
