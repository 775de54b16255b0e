"""Random configurations from which chains and restarts begin."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise


def random_visible(
    key: jax.Array,
    layer: VisibleLayer,
    marginals: jax.Array,
    log_variance: jax.Array,
    shape: tuple[int, ...],
) -> jax.Array:
    """Independent samples of every unit around its marginal, of shape (*shape, n_visible).

    Gaussian units are drawn from N(mean, sigma^2), the others with their marginal probabilities.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> random_visible(jax.random.key(0), layer, jnp.array([0.0, 1.0]), jnp.zeros(0), (1,)).tolist()
    [[0.0, 1.0]]
    """
    noise = layer.noise(key, shape, marginals.dtype)
    means = jnp.broadcast_to(layer.inner_means(marginals), (*shape, layer.n_visible))
    return layer.sample_from_mean(noise, means, log_variance)


def random_missing(
    key: jax.Array,
    layer: VisibleLayer,
    marginals: jax.Array,
    log_variance: jax.Array,
    visible: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """Observed entries as they are in ``visible``, all others as in :func:`random_visible`.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> observed = jnp.array([[True, False]])
    >>> random_missing(jax.random.key(0), layer, jnp.array([0.0, 1.0]), jnp.zeros(0),
    ...                jnp.ones((1, 2)), observed).tolist()
    [[1.0, 1.0]]
    """
    noise = layer.noise(key, visible.shape[:-1], marginals.dtype)
    return missing_from_noise(noise, layer, marginals, log_variance, visible, observed)


def missing_from_noise(
    noise: VisibleNoise,
    layer: VisibleLayer,
    marginals: jax.Array,
    log_variance: jax.Array,
    visible: jax.Array,
    observed: jax.Array,
) -> jax.Array:
    """The same from random numbers, by NumPy if the values are NumPy's."""
    xp = namespace_of(visible)
    means = xp.broadcast_to(layer.inner_means(marginals), visible.shape)
    return layer.pinned_sample_from_mean(visible, observed, noise, means, log_variance)


def drawn_visible(
    generator: np.random.Generator,
    layer: VisibleLayer,
    marginals: NDArray[np.floating[Any]],
    spread: NDArray[np.floating[Any]],
    n_rows: int,
) -> NDArray[np.float32]:
    """What :func:`random_visible` draws, of shape (n_rows, n_visible), by NumPy.

    For rows that are drawn once: to compile a program for them would take much longer. ``spread``
    is the standard deviation of the Gaussian units.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=0, group_sizes=(2,))
    >>> drawn_visible(np.random.default_rng(0), layer, np.array([0.5, 0.5]), np.zeros(0), 2)
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    numbers, chances, shares = layer.split(layer.inner_means(marginals))
    # Each kind has a generator of its own: the first rows of many are those of few.
    of_normal, of_uniform, of_group = generator.spawn(3)
    rows = np.zeros((n_rows, layer.n_visible), np.float32)
    number, bit, one_hot = layer.split(rows)
    number[:] = numbers + spread * of_normal.standard_normal(number.shape, np.float32)
    bit[:] = of_uniform.random(bit.shape) < chances
    places = of_group.random((n_rows, layer.n_groups))
    for group, first in enumerate(layer.groups.first_units if layer.group_sizes else ()):
        own = shares[first : first + layer.group_sizes[group]]
        summed_up = np.cumsum(own, dtype=np.float64)
        passed = np.searchsorted(summed_up[:-1], places[:, group] * summed_up[-1], side="right")
        one_hot[np.arange(n_rows), first + passed] = 1.0
    return rows


def uniform_marginals(layer: VisibleLayer) -> NDArray[np.float32]:
    """Marginals of units that know nothing: 0, 1/2 and 1/size, of shape (n_visible,).

    Examples
    --------
    >>> uniform_marginals(VisibleLayer(1, 1, (4,))).tolist()
    [0.0, 0.5, 0.25, 0.25, 0.25, 0.25]
    """
    sizes = np.asarray(layer.group_sizes, np.int64)
    parts = np.zeros(layer.n_gaussian), np.full(layer.n_bernoulli, 0.5), np.repeat(1 / sizes, sizes)
    return np.concatenate(parts).astype(np.float32)
