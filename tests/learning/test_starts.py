"""Random starts have the marginals they are given."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.starts import random_missing, random_visible, uniform_marginals
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
