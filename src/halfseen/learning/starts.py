"""Random configurations from which chains and restarts begin."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from halfseen.machine.visible_layer import VisibleLayer


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
    means = _means(layer, marginals, log_variance, shape)
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
    shape = visible.shape[:-1]
    noise = layer.noise(key, shape, marginals.dtype)
    means = _means(layer, marginals, log_variance, shape)
    return layer.pinned_sample_from_mean(visible, observed, noise, means, log_variance)


def _means(
    layer: VisibleLayer, marginals: jax.Array, log_variance: jax.Array, shape: tuple[int, ...]
) -> jax.Array:
    # There and back again, frequencies of 0 and 1 are drawn slightly inwards.
    means = layer.mean_from_input(layer.input_from_mean(marginals, log_variance), log_variance)
    return jnp.broadcast_to(means, (*shape, layer.n_visible))


def uniform_marginals(layer: VisibleLayer) -> jax.Array:
    """Marginals of units that know nothing: 0, 1/2 and 1/size, of shape (n_visible,).

    Examples
    --------
    >>> uniform_marginals(VisibleLayer(1, 1, (4,))).tolist()
    [0.0, 0.5, 0.25, 0.25, 0.25, 0.25]
    """
    inputs = jnp.zeros((layer.n_visible,))
    return layer.mean_from_input(inputs, jnp.zeros((layer.n_gaussian,)))
