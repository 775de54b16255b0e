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
    # There and back again, frequencies of 0 and 1 are drawn slightly inwards.
    means = layer.mean_from_input(layer.input_from_mean(marginals, log_variance), log_variance)
    return layer.sample_from_mean(
        noise, jnp.broadcast_to(means, (*shape, layer.n_visible)), log_variance
    )


def uniform_marginals(layer: VisibleLayer) -> jax.Array:
    """Marginals of units that know nothing: 0, 1/2 and 1/size, of shape (n_visible,).

    Examples
    --------
    >>> uniform_marginals(VisibleLayer(1, 1, (4,))).tolist()
    [0.0, 0.5, 0.25, 0.25, 0.25, 0.25]
    """
    inputs = jnp.zeros((layer.n_visible,))
    return layer.mean_from_input(inputs, jnp.zeros((layer.n_gaussian,)))
