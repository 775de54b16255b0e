"""MIWAE: an importance-weighted autoencoder trained on what is observed, features and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from halfseen.baselines.networks import (
    Model,
    Network,
    Perceptron,
    Rows,
    Settings,
    State,
    descended,
    initial_perceptron,
    perceptron_output,
)

_SMALLEST_SCALE = 1e-3  # of the decoder, in standard deviations of a column
_BLOCK = 10  # importance samples that are completed at once

# Largest log-weight so far, and sums of weights and of weighted columns relative to it.
Weighted = tuple[jax.Array, jax.Array, jax.Array]


class Autoencoder(NamedTuple):
    """Two perceptrons: rows to the code, and codes to the distribution of a row."""

    encoder: Perceptron
    decoder: Perceptron


class Decoded(NamedTuple):
    """The distribution of a row given its code; leading axes (n_samples, n_rows)."""

    location: jax.Array  # (..., n_features)
    scale: jax.Array  # (..., n_features)
    labels: jax.Array  # (..., n_labels), before the sigmoid or softmax


@dataclass(frozen=True)
class MiwaeModel(Model):
    """Codes, decoded distributions, and importance weights of observed entries."""

    hidden: tuple[int, ...]
    n_latent: int
    n_samples: int

    def start(self, key: jax.Array) -> State:
        """Both perceptrons before training."""
        to_code = (self.n_columns, *self.hidden, 2 * self.n_latent)
        from_code = (self.n_latent, *self.hidden, 2 * self.n_features + self.n_labels)
        sizes = zip(jax.random.split(key), (to_code, from_code), strict=True)
        parameters = Autoencoder(*(initial_perceptron(*of_part) for of_part in sizes))
        return State(parameters, optax.adamw(0.0).init(parameters))

    def decoded(self, decoder: Perceptron, codes: jax.Array) -> Decoded:
        """The distribution of features and labels for every code."""
        d = self.n_features
        location, scale, labels = jnp.split(perceptron_output(decoder, codes), [d, 2 * d], axis=-1)
        return Decoded(location, jax.nn.softplus(scale) + _SMALLEST_SCALE, labels)

    def log_density(self, row: Decoded, features: jax.Array) -> jax.Array:
        """log p(x | z) for every feature."""
        distance = (features - row.location) / row.scale
        return -0.5 * distance**2 - jnp.log(row.scale) - 0.5 * jnp.log(2 * jnp.pi)

    def log_weights(
        self, autoencoder: Autoencoder, rows: Rows, inputs: jax.Array, noise: jax.Array
    ) -> tuple[jax.Array, Decoded]:
        """log p(x_obs, y_obs | z) p(z) / q(z | inputs) of samples, and what was decoded."""
        mean, spread = jnp.split(perceptron_output(autoencoder.encoder, inputs), 2, axis=-1)
        spread = jax.nn.softplus(spread)
        codes = mean + spread * noise
        row, (features, labels) = self.decoded(autoencoder.decoder, codes), self.parts(rows.values)
        of_features, of_labels = self.log_density(row, features), -self.log_loss(row.labels, labels)
        log_ratio_of_codes = -0.5 * codes**2 + 0.5 * noise**2 + jnp.log(spread)
        seen_x, seen_y = self.parts(rows.observed)
        return (
            jnp.where(seen_x, of_features, 0.0).sum(axis=-1)
            + jnp.where(seen_y, of_labels, 0.0).sum(axis=-1)
            + log_ratio_of_codes.sum(axis=-1)
        ), row

    def step(self, state: State, rows: Rows, key: jax.Array, settings: Settings) -> State:
        """One step up the bound."""
        mask_key, noise_key = jax.random.split(key)
        noise = jax.random.normal(noise_key, (self.n_samples, len(rows.values), self.n_latent))
        kept = jax.random.uniform(mask_key, rows.values.shape) >= settings["encoder_drop"]

        def loss(autoencoder: Autoencoder) -> jax.Array:
            # Any proposal gives a bound, so the encoder may see less than what the bound counts.
            inputs = jnp.where(kept, self.signed(rows), 0.0)
            return -bound(self.log_weights(autoencoder, rows, inputs, noise)[0]).mean()

        optimiser = optax.adamw(settings["learning_rate"], weight_decay=settings["weight_decay"])
        return descended(optimiser, state, jax.grad(loss)(state.parameters))

    def output(self, state: State, rows: Rows, key: jax.Array, n_draws: int) -> jax.Array:
        """E[x | x_obs, y_obs] and p(y = 1 | x_obs, y_obs), over weighted samples, by tens."""
        inputs, n_rows = self.signed(rows), len(rows.values)

        def add(block: jax.Array, sums: Weighted) -> Weighted:
            before, weight, columns = sums
            noise = jax.random.normal(
                jax.random.fold_in(key, block), (_BLOCK, n_rows, self.n_latent)
            )
            log_weights, row = self.log_weights(state.parameters, rows, inputs, noise)
            found = jnp.concatenate([row.location, self.probabilities(row.labels)], axis=-1)
            largest = jnp.maximum(before, log_weights.max(axis=0))
            weights, kept = jnp.exp(log_weights - largest), jnp.exp(before - largest)
            added = jnp.einsum("sn,snd->nd", weights, found)
            return largest, kept * weight + weights.sum(axis=0), kept[:, None] * columns + added

        nothing = jnp.full(n_rows, -jnp.inf), jnp.zeros(n_rows), jnp.zeros_like(rows.values)
        _, weight, columns = jax.lax.fori_loop(0, (n_draws + _BLOCK - 1) // _BLOCK, add, nothing)
        return jnp.asarray(columns / weight[:, None])


def bound(log_weights: jax.Array) -> jax.Array:
    """log (1/K) sum_k w_k for every row, from log-weights of shape (n_samples, n_rows)."""
    return jax.nn.logsumexp(log_weights, axis=0) - jnp.log(len(log_weights))


class MIWAE(Network):
    """Missing-data importance-weighted autoencoder, joint over features and labels.

    Codes z ~ N(0, I) are decoded by a perceptron to independent Gaussian features and labels
    (Bernoulli, or one softmax for classes). Another perceptron reads a row, zero where it is
    missing, and proposes q(z | x_obs, y_obs). Trained is the bound, of K samples z_k ~ q,

        E log (1/K) sum_k w_k,    w_k = p(x_obs | z_k) p(y_obs | z_k) p(z_k) / q(z_k | x_obs, y_obs)

    on the log-likelihood of what is observed. A missing entry is completed by its expectation over
    ``n_imputation_samples`` samples with weights w / sum w.

    The authors complete features, train for some 2000 epochs with K = 20, and decode to Student-t.
    Here labels are further columns, training is shorter and stops early, and the encoder does not
    see a share ``encoder_drop`` of the observed entries. P.-A. Mattei, J. Frellsen, "MIWAE: Deep
    generative modelling and imputation of incomplete data sets", ICML 2019.

    Parameters
    ----------
    n_latent, hidden : int and tuple of int, default=20, (256, 256)
        Length of a code, and widths of the hidden layers of encoder and decoder.
    n_samples, n_imputation_samples : int, default=5, 300
        K, importance samples while training; and to complete a row with, rounded up to tens.
    learning_rate, weight_decay, encoder_drop : float, default=0.001, 0.0, 0.1
        Of AdamW; share of observed entries that the encoder does not see while training.
    batch_size, n_steps, patience, held_out, random_state
        As in :class:`Network`.

    Examples
    --------
    >>> miwae = MIWAE(hidden=(8,), n_steps=10).fit([[0.0], [0.2], [1.0]], [[0], [0], [1]])
    >>> miwae.predict_scores([[1.0], [None]]).shape
    (2, 1)
    """

    method = "MIWAE"
    grid = {"n_latent": [10, 20, 50], "encoder_drop": [0.0, 0.1, 0.3]}
    while_tuning = {"n_imputation_samples": 50, "n_steps": 2000}
    _model = MiwaeModel

    n_latent: int = 20
    hidden: tuple[int, ...] = (256, 256)
    n_samples: int = 5
    n_imputation_samples: int = 300
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    encoder_drop: float = 0.1
    batch_size: int = 64
    n_steps: int = 4000
    patience: int = 1000

    def _draws(self) -> tuple[int, int]:
        return 2 * _BLOCK, self.n_imputation_samples
