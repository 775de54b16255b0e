"""The model of MIWAE: codes, decoded distributions, and importance weights of observed entries."""

from __future__ import annotations

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import optax

from halfseen.baselines._network_table import NetworkTable
from halfseen.baselines._perceptron import Perceptron, perceptron_output

DecoderKind = Literal["student", "gaussian"]
SMALLEST_SCALE = 1e-3  # of the decoder, in standard deviations of a column
SMALLEST_FREEDOM = 3.0  # degrees of freedom of the Student-t decoder


class Autoencoder(NamedTuple):
    """Two perceptrons: rows to the code, and codes to the distribution of a row."""

    encoder: Perceptron
    decoder: Perceptron


class Decoded(NamedTuple):
    """The distribution of a row given its code; leading axes (n_samples, n_rows)."""

    location: jax.Array  # (..., n_features)
    scale: jax.Array  # (..., n_features)
    freedom: jax.Array  # (..., n_features), infinite for a Gaussian
    label_inputs: jax.Array  # (..., n_labels)


class Model(NamedTuple):
    """What fixes the form of the model, and hence a compilation."""

    decoder: DecoderKind
    classes: bool
    n_samples: int


def encoder_input(table: NetworkTable) -> jax.Array:
    """Features and labels (2y - 1), zero where not observed."""
    return jnp.concatenate(
        [
            jnp.where(table.features_observed, table.features, 0.0),
            jnp.where(table.labels_observed, 2 * table.labels - 1, 0.0),
        ],
        axis=1,
    )


def decoded(decoder: Perceptron, codes: jax.Array, n_features: int, kind: DecoderKind) -> Decoded:
    """The distribution of features and labels for every code."""
    output = perceptron_output(decoder, codes)
    location = output[..., :n_features]
    scale = jax.nn.softplus(output[..., n_features : 2 * n_features]) + SMALLEST_SCALE
    if kind == "gaussian":
        return Decoded(
            location, scale, jnp.full_like(scale, jnp.inf), output[..., 2 * n_features :]
        )
    freedom = jax.nn.softplus(output[..., 2 * n_features : 3 * n_features]) + SMALLEST_FREEDOM
    return Decoded(location, scale, freedom, output[..., 3 * n_features :])


def log_gamma_half_step(a: jax.Array) -> jax.Array:
    """log Gamma(a + 1/2) - log Gamma(a) for a >= 1.5, to about 1e-5.

    The asymptotic series at a + 1, brought back by the recurrence; a tenth of the time of two
    log-gamma functions, which is most of what the Student-t decoder would cost.

    Examples
    --------
    >>> a = jnp.array(1.5)
    >>> abs(float(log_gamma_half_step(a) - (jax.lax.lgamma(a + 0.5) - jax.lax.lgamma(a)))) < 2e-5
    True
    """
    inverse = 1.0 / (a + 1.0)
    square = inverse**2
    series = inverse * (-1 / 8 + square * (1 / 192 - square / 640))
    return 0.5 * jnp.log(a + 1.0) + series - jnp.log1p(0.5 / a)


def log_density_of_features(row: Decoded, features: jax.Array, kind: DecoderKind) -> jax.Array:
    """log p(x | z) for every entry."""
    distance = (features - row.location) / row.scale
    if kind == "gaussian":
        return -0.5 * distance**2 - jnp.log(row.scale) - 0.5 * jnp.log(2 * jnp.pi)
    return (
        log_gamma_half_step(0.5 * row.freedom)
        - 0.5 * jnp.log(row.freedom * jnp.pi)
        - jnp.log(row.scale)
        - 0.5 * (row.freedom + 1) * jnp.log1p(distance**2 / row.freedom)
    )


def log_probability_of_labels(row: Decoded, labels: jax.Array, classes: bool) -> jax.Array:
    """log p(y | z) for every entry; for classes, all of it stands at the class of the row."""
    if classes:
        return labels * jax.nn.log_softmax(row.label_inputs)
    loss: jax.Array = optax.sigmoid_binary_cross_entropy(row.label_inputs, labels)
    return -loss


def log_importance_weights(
    autoencoder: Autoencoder,
    table: NetworkTable,
    inputs: jax.Array,
    noise: jax.Array,
    model: Model,
) -> tuple[jax.Array, Decoded]:
    """log p(x_obs, y_obs | z) p(z) / q(z | inputs) for every sample and row, and what was decoded.

    Parameters
    ----------
    autoencoder : Autoencoder
        The networks.
    table : NetworkTable
        Rows whose observed entries count.
    inputs : array of shape (n_rows, n_columns)
        What the encoder reads.
    noise : array of shape (n_samples, n_rows, n_latent)
        Standard normal draws.
    model : Model
        The form of the model.
    """
    mean, spread_input = jnp.split(perceptron_output(autoencoder.encoder, inputs), 2, axis=-1)
    spread = jax.nn.softplus(spread_input)
    codes = mean + spread * noise
    row = decoded(autoencoder.decoder, codes, table.features.shape[1], model.decoder)
    density = log_density_of_features(row, table.features, model.decoder)
    probability = log_probability_of_labels(row, table.labels, model.classes)
    log_ratio_of_codes = -0.5 * codes**2 + 0.5 * noise**2 + jnp.log(spread)
    return (
        jnp.where(table.features_observed, density, 0.0).sum(axis=-1)
        + jnp.where(table.labels_observed, probability, 0.0).sum(axis=-1)
        + log_ratio_of_codes.sum(axis=-1)
    ), row


def bound(log_weights: jax.Array) -> jax.Array:
    """log (1/K) sum_k w_k for every row, from log-weights of shape (n_samples, n_rows)."""
    return jax.nn.logsumexp(log_weights, axis=0) - jnp.log(len(log_weights))
