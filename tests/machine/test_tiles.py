"""Tiles: how rows are cut, and that the cut does not change a bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from halfseen.machine.annealed import annealed_log_observed
from halfseen.machine.mean_field import mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.tiles import TILE_ROWS, in_tiles
from halfseen.machine.visible_layer import VisibleLayer

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

LAYER = VisibleLayer(n_gaussian=7, n_bernoulli=13, group_sizes=(4, 3))
N_HIDDEN = 11


def rows(n: int, seed: int) -> tuple[Floats, Bools]:
    rng = np.random.default_rng(seed)
    groups = [np.eye(size)[rng.integers(size, size=n)] for size in LAYER.group_sizes]
    parts = [rng.normal(size=(n, 7)), rng.integers(0, 2, size=(n, 13)), *groups]
    visible = np.concatenate(parts, axis=1).astype(np.float32)
    of_block = rng.random((n, LAYER.n_blocks)) < 0.5
    widths = [1] * 20 + list(LAYER.group_sizes)
    return visible, np.repeat(of_block, widths, axis=1)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(n=st.integers(0, 3 * TILE_ROWS + 1), width=st.integers(1, 3))
def test_every_row_comes_back_once_and_in_order(n: int, width: int) -> None:
    values = np.arange(n * width, dtype=np.float32).reshape(n, width)
    seen = np.arange(n * width).reshape(n, width) % 3 == 0
    done: list[int] = []

    def of_tile(visible: Floats, observed: Bools) -> Floats:
        assert visible.shape == observed.shape == (TILE_ROWS, width)
        assert visible.dtype == np.dtype(np.float32)
        assert observed.dtype == np.dtype(np.bool_)
        return np.where(observed, visible, -1.0).astype(np.float32)

    found = in_tiles(of_tile, values, seen, done.append)
    np.testing.assert_array_equal(found, np.where(seen, values, -1.0))
    assert done[-1] == n
    assert done == sorted(set(done))


def test_the_last_tile_is_filled_with_rows_of_which_nothing_is_observed() -> None:
    tiles: list[Bools] = []

    def of_tile(visible: Floats, observed: Bools) -> Floats:
        assert np.all(visible[5:] == 0)
        tiles.append(observed)
        return visible

    in_tiles(of_tile, np.ones((5, 2), np.float32), np.ones((5, 2), bool))
    assert tiles[0].sum() == 10
    assert np.all(tiles[0][:5])


@cache
def compiled_tile() -> Callable[[Floats, Bools], jax.Array]:
    """What is computed row by row, in single precision and fully optimised, as in use."""
    rng = np.random.default_rng(0)
    n_visible = LAYER.n_visible
    theta = BoltzmannParameters(
        weights=jnp.asarray(0.3 * rng.normal(size=(n_visible, N_HIDDEN)), jnp.float32),
        visible_bias=jnp.asarray(rng.normal(size=n_visible), jnp.float32),
        hidden_bias=jnp.asarray(rng.normal(size=N_HIDDEN), jnp.float32),
        log_variance=jnp.zeros(7, jnp.float32),
    )
    start = jnp.full((n_visible,), 0.3, jnp.float32)

    @jax.jit
    def of_tile(visible: jax.Array, observed: jax.Array) -> jax.Array:
        machine_and_rows = (theta, LAYER, visible, observed)
        first = mean_field(*machine_and_rows, start, n_sweeps=50, tolerance=1e-4)
        annealed = annealed_log_observed(
            *machine_and_rows,
            jax.random.key(0),
            base_bias=theta.visible_bias,
            n_temperatures=10,
            n_chains=3,
        )
        numbers = jnp.stack([first.free_energy, *annealed], axis=-1)
        return jnp.concatenate([first.visible_mean, numbers], axis=-1)

    return of_tile


def results(visible: Floats, observed: Bools) -> Floats:
    return in_tiles(lambda v, o: np.asarray(compiled_tile()(v, o)), visible, observed)


@pytest.mark.as_in_use
def test_bits_depend_neither_on_companions_nor_on_position() -> None:
    visible, observed = rows(TILE_ROWS + 37, 1)
    plain = results(visible, observed)
    assert np.all(np.isfinite(plain))
    order = np.random.default_rng(2).permutation(len(visible))
    np.testing.assert_array_equal(results(visible[order], observed[order]), plain[order])
    for row in (0, 1, 101, TILE_ROWS - 1, TILE_ROWS + 36):
        alone = results(visible[row : row + 1], observed[row : row + 1])
        np.testing.assert_array_equal(alone[0], plain[row])
