"""Random starts have the marginals they are given."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.starts import (
    drawn_visible,
    random_missing,
    random_visible,
    uniform_marginals,
)
from halfseen.machine.visible_layer import VisibleLayer
from learning.small import LAYER

MARGINALS = np.array([-0.5, 2.0, 0.2, 0.9, 0.1, 0.3, 0.6], np.float32)
VARIANCE = np.array([0.25, 4.0], np.float32)
N = 30_000


@cache
def drawn() -> NDArray[np.float32]:
    @jax.jit
    def draw(key: jax.Array) -> jax.Array:
        return random_visible(key, LAYER, jnp.asarray(MARGINALS), jnp.log(VARIANCE), (N,))

    return np.asarray(draw(jax.random.key(0)))


def test_means_and_variances() -> None:
    sample = drawn()
    variance = np.concatenate([VARIANCE, (MARGINALS * (1 - MARGINALS))[2:]])
    error = np.abs(sample.mean(axis=0) - MARGINALS)
    np.testing.assert_array_less(error, 4 * np.sqrt(variance / N))
    np.testing.assert_allclose(sample.var(axis=0), variance, rtol=0.05)


def test_every_row_is_a_configuration() -> None:
    sample = drawn()
    assert set(np.unique(sample[:, 2:])) == {0.0, 1.0}
    np.testing.assert_array_equal(sample[:, 4:].sum(axis=1), np.ones(N))


def test_units_are_independent() -> None:
    correlation = np.corrcoef(drawn()[:, :4].T)
    assert np.abs(correlation - np.eye(4)).max() < 0.03


def test_certain_marginals_are_drawn_slightly_inwards() -> None:
    """A unit that was never seen on may be on after all, but rarely."""
    layer, certain = VisibleLayer(0, 2), jnp.array([0.0, 1.0])

    @jax.jit
    def draw(key: jax.Array) -> jax.Array:
        return random_visible(key, layer, certain, jnp.zeros(0), (100_000,))

    on = np.asarray(draw(jax.random.key(0))).mean(axis=0)
    assert 0 < on[0] < 4e-4
    assert 1 - 4e-4 < on[1] < 1


def test_only_missing_entries_are_drawn() -> None:
    key, marginals, log_variance = jax.random.key(3), jnp.asarray(MARGINALS), jnp.log(VARIANCE)
    rng = np.random.default_rng(0)
    visible, observed = rng.normal(size=(50, 7)).astype(np.float32), rng.random((50, 7)) < 0.5
    observed[:, 4:] = observed[:, 4:5]
    found = random_missing(
        key, LAYER, marginals, log_variance, jnp.asarray(visible), jnp.asarray(observed)
    )
    elsewhere = random_visible(key, LAYER, marginals, log_variance, (50,))
    np.testing.assert_array_equal(found, np.where(observed, visible, elsewhere))


def test_shape_is_free() -> None:
    def draw(key: jax.Array) -> jax.Array:
        return random_visible(key, LAYER, jnp.asarray(MARGINALS), jnp.log(VARIANCE), (2, 3))

    assert jax.eval_shape(draw, jax.random.key(0)).shape == (2, 3, 7)


def test_uniform_marginals() -> None:
    np.testing.assert_allclose(
        uniform_marginals(VisibleLayer(1, 1, (2, 4))), [0, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]
    )


def test_numpy_draws_what_is_drawn_on_the_device() -> None:
    """The same means and variances of all kinds, and one unit of every group on."""
    sample = drawn_visible(np.random.default_rng(0), LAYER, MARGINALS, np.sqrt(VARIANCE), N)
    on_device = drawn()
    assert sample.dtype == np.float32
    spread = 5 * np.sqrt(on_device.var(axis=0) * 2 / N)
    np.testing.assert_array_less(np.abs(sample.mean(axis=0) - on_device.mean(axis=0)), spread)
    np.testing.assert_allclose(sample.var(axis=0), on_device.var(axis=0), rtol=0.06)
    np.testing.assert_array_equal(sample[:, 4:].sum(axis=1), np.ones(N))
    few = drawn_visible(np.random.default_rng(0), LAYER, MARGINALS, np.sqrt(VARIANCE), 5)
    np.testing.assert_array_equal(few, sample[:5])


def test_numpy_draws_certain_marginals_slightly_inwards() -> None:
    layer = VisibleLayer(0, 2, (2,))
    certain = np.array([0.0, 1.0, 0.0, 1.0])
    on = drawn_visible(np.random.default_rng(1), layer, certain, np.zeros(0), 200_000).mean(axis=0)
    assert np.all((on[[0, 2]] > 0) & (on[[0, 2]] < 3e-4))
    assert np.all((on[[1, 3]] > 1 - 3e-4) & (on[[1, 3]] < 1))
