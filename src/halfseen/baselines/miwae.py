"""MIWAE: an importance-weighted autoencoder trained on what is observed, features and labels."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling, standardising
from halfseen.baselines._held_out_entries import (
    held_out_entries,
    held_out_error,
    validation_tables,
)
from halfseen.baselines._miwae_model import (
    Autoencoder,
    DecoderKind,
    Model,
    bound,
    encoder_input,
    log_importance_weights,
)
from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines._network_table import NetworkOutput, NetworkTable, minibatch_rows
from halfseen.baselines._perceptron import initial_perceptron

BLOCK = 10  # importance samples that are completed at once
CHECK_EVERY = 5  # epochs between looks at the held-out entries
BLOCKS_OF_A_CHECK = 2


class Numbers(NamedTuple):
    """Settings that change without a new compilation."""

    learning_rate: jax.Array | float
    weight_decay: jax.Array | float
    encoder_drop: jax.Array | float


@partial(jax.jit, static_argnames=("model",))
def trained_epoch(
    autoencoder: Autoencoder,
    optimiser_state: Any,
    table: NetworkTable,
    batches: jax.Array,
    key: jax.Array,
    numbers: Numbers,
    model: Model,
) -> tuple[Autoencoder, Any, jax.Array]:
    """One pass over the rows, in minibatches (n_batches, batch_size); also the mean bound."""
    n_columns = table.features.shape[1] + table.labels.shape[1]
    n_latent = autoencoder.decoder[0].weights.shape[0]
    batch_size = batches.shape[1]

    def loss(autoencoder: Autoencoder, rows: jax.Array, draws: jax.Array) -> jax.Array:
        batch = table.rows(rows)
        noise = draws[:, n_columns:].reshape(batch_size, model.n_samples, n_latent)
        # Any proposal gives a bound, so the encoder may see less than what the bound counts.
        threshold = jax.scipy.stats.norm.ppf(numbers.encoder_drop)
        inputs = jnp.where(draws[:, :n_columns] > threshold, encoder_input(batch), 0.0)
        log_weights, _ = log_importance_weights(
            autoencoder, batch, inputs, noise.swapaxes(0, 1), model
        )
        return -bound(log_weights).mean()

    def step(
        state: tuple[Autoencoder, Any], batch: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[Autoencoder, Any], jax.Array]:
        autoencoder, optimiser_state = state
        rows, key = batch
        draws = jax.random.normal(key, (batch_size, n_columns + model.n_samples * n_latent))
        value, gradient = jax.value_and_grad(loss)(autoencoder, rows, draws)
        update, optimiser_state = optax.adamw(
            numbers.learning_rate, weight_decay=numbers.weight_decay
        ).update(gradient, optimiser_state, autoencoder)
        return (optax.apply_updates(autoencoder, update), optimiser_state), -value

    (autoencoder, optimiser_state), bounds = jax.lax.scan(
        step, (autoencoder, optimiser_state), (batches, jax.random.split(key, len(batches)))
    )
    return autoencoder, optimiser_state, bounds.mean()


class Weighted(NamedTuple):
    """Self-normalised sums over the samples so far, relative to the largest weight so far."""

    largest: jax.Array  # (n_rows,), log
    weight: jax.Array  # (n_rows,)
    features: jax.Array  # (n_rows, n_features)
    labels: jax.Array  # (n_rows, n_labels)


@partial(jax.jit, static_argnames=("model",))
def imputed(
    autoencoder: Autoencoder, table: NetworkTable, key: jax.Array, n_blocks: int, model: Model
) -> NetworkOutput:
    """E[x | x_obs, y_obs] and p(y = 1 | x_obs, y_obs), weighted over n_blocks * BLOCK samples."""
    n_latent = autoencoder.decoder[0].weights.shape[0]
    inputs = encoder_input(table)
    n_rows = len(table.features)

    def add(block: jax.Array, sums: Weighted) -> Weighted:
        noise = jax.random.normal(jax.random.fold_in(key, block), (BLOCK, n_rows, n_latent))
        log_weights, row = log_importance_weights(autoencoder, table, inputs, noise, model)
        probability = (
            jax.nn.softmax(row.label_inputs) if model.classes else jax.nn.sigmoid(row.label_inputs)
        )
        largest = jnp.maximum(sums.largest, log_weights.max(axis=0))
        weights = jnp.exp(log_weights - largest)
        kept = jnp.exp(sums.largest - largest)
        return Weighted(
            largest,
            kept * sums.weight + weights.sum(axis=0),
            kept[:, None] * sums.features + jnp.einsum("sn,snd->nd", weights, row.location),
            kept[:, None] * sums.labels + jnp.einsum("sn,snl->nl", weights, probability),
        )

    nothing = Weighted(
        jnp.full(n_rows, -jnp.inf),
        jnp.zeros(n_rows),
        jnp.zeros_like(table.features),
        jnp.zeros_like(table.labels),
    )
    sums = jax.lax.fori_loop(0, n_blocks, add, nothing)
    return NetworkOutput(sums.features / sums.weight[:, None], sums.labels / sums.weight[:, None])


class MIWAE(NetworkBaseline):
    """Missing-data importance-weighted autoencoder, joint over features and labels.

    Codes z ~ N(0, I) are decoded by a perceptron to independent features (Gaussian or Student-t)
    and labels (Bernoulli, or one softmax for classes). Another perceptron reads a row, zero where
    it is missing, and proposes q(z | x_obs, y_obs). Trained is the bound, of K samples z_k ~ q,

        E log (1/K) sum_k w_k,    w_k = p(x_obs | z_k) p(y_obs | z_k) p(z_k) / q(z_k | x_obs, y_obs)

    on the log-likelihood of what is observed. A missing entry is completed by its expectation, and
    a label by its probability, over ``n_imputation_samples`` samples with weights w / sum w.

    The authors complete features; here labels are further columns, with 2y - 1 read by the encoder.
    Theirs are the rate of Adam and the minibatch; they train tables of a few columns for some 2000
    epochs with K = 20, a Student-t decoder and width 128, and complete with 10,000 samples. Here a
    tenth of the observed entries (from at most 1024 rows) is held out, and the epoch that does
    best on it counts. The encoder does not see a share ``encoder_drop`` of the observed entries
    while training: any proposal gives a valid bound, and it cannot learn the rows by heart.

    Cost: O(n_rows * n_epochs * n_samples * (n_columns + width) * width) time; O(n_rows * n_columns)
    memory besides 10 decoded samples of 1024 rows.

    Parameters
    ----------
    n_latent : int, default=20
        Length of a code.
    hidden : tuple of int, default=(256, 256)
        Widths of the hidden layers, of the encoder and of the decoder.
    decoder : {"gaussian", "student"}, default="gaussian"
        Distribution of a feature given the code.
    n_samples : int, default=5
        K, importance samples while training.
    n_imputation_samples : int, default=300
        Importance samples to complete a row with, rounded up to tens.
    learning_rate : float, default=0.001
        Of Adam.
    weight_decay : float, default=0.0
        Decay of all parameters (AdamW).
    encoder_drop : float in [0, 1), default=0.1
        Share of observed entries that the encoder does not see while training.
    batch_size : int, default=64
        Rows of a minibatch.
    n_epochs : int, default=100
        Most epochs.
    patience : int, default=30
        Epochs without a new best, after which training ends.
    held_out : float in [0, 1), default=0.1
        Share of observed entries held out for early stopping.
    random_state : int, default=0
        Seed.

    References
    ----------
    .. [1] Mattei & Frellsen (2019), "MIWAE: Deep generative modelling and imputation of incomplete
       data sets", ICML.
    .. [2] Ipsen, Mattei & Frellsen (2022), "How to deal with missing data in supervised deep
       learning?", ICLR.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.2, None], [1.0, None], [0.9, 1.1]] * 5
    >>> Y = [[0], [0], [1], [None]] * 5
    >>> miwae = MIWAE(n_latent=2, hidden=(8,), n_epochs=2, n_imputation_samples=10).fit(X, Y)
    >>> miwae.complete().features.shape, miwae.predict_scores([[1.0, None]]).shape
    ((20, 2), (1, 1))
    """

    method: ClassVar[str] = "MIWAE"
    grid: ClassVar[dict[str, list[Any]]] = {
        "n_latent": [10, 20, 50],
        "encoder_drop": [0.0, 0.1, 0.3],
        "decoder": ["gaussian", "student"],
    }

    def __init__(
        self,
        *,
        n_latent: int = 20,
        hidden: tuple[int, ...] = (256, 256),
        decoder: DecoderKind = "gaussian",
        n_samples: int = 5,
        n_imputation_samples: int = 300,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        encoder_drop: float = 0.1,
        batch_size: int = 64,
        n_epochs: int = 100,
        patience: int = 30,
        held_out: float = 0.1,
        random_state: int = 0,
    ) -> None:
        self.n_latent = n_latent
        self.hidden = hidden
        self.decoder = decoder
        self.n_samples = n_samples
        self.n_imputation_samples = n_imputation_samples
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.encoder_drop = encoder_drop
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.patience = patience
        self.held_out = held_out
        self.random_state = random_state

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.decoder not in ("gaussian", "student"):
            raise ValueError(f'decoder must be "gaussian" or "student", got {self.decoder!r}')

    def _scaling_of(self, X: NDArray[np.float64]) -> ColumnScaling:
        return standardising(X)

    def _model(self) -> Model:
        return Model(self.decoder, self.target_ == "classes", self.n_samples)

    def _start(self, generator: np.random.Generator, n_features: int, n_labels: int) -> Autoencoder:
        n_outputs = (3 if self.decoder == "student" else 2) * n_features + n_labels
        return Autoencoder(
            initial_perceptron(generator, (n_features + n_labels, *self.hidden, 2 * self.n_latent)),
            initial_perceptron(generator, (self.n_latent, *self.hidden, n_outputs)),
        )

    def _train(self, table: NetworkTable, generator: np.random.Generator, key: jax.Array) -> None:
        n_rows, n_features = table.features.shape
        model = self._model()
        held_out = held_out_entries(generator, table, self.held_out, model.classes)
        validation, shown_rows = validation_tables(table, held_out)
        autoencoder = self._start(generator, n_features, table.labels.shape[1])
        state = optax.adamw(self.learning_rate).init(autoencoder)
        numbers = Numbers(self.learning_rate, self.weight_decay, self.encoder_drop)
        batch_size = min(self.batch_size, n_rows)
        self.bound_: list[float] = []
        self._autoencoder, best, best_epoch = autoencoder, np.inf, 0
        for epoch in range(1, self.n_epochs + 1):
            autoencoder, state, mean_bound = trained_epoch(
                autoencoder,
                state,
                held_out.shown,
                jnp.asarray(minibatch_rows(generator, n_rows, batch_size)),
                jax.random.fold_in(key, epoch),
                numbers,
                model,
            )
            self.bound_.append(float(mean_bound))
            if epoch % CHECK_EVERY and epoch < self.n_epochs:
                continue
            said = imputed(autoencoder, shown_rows, key, BLOCKS_OF_A_CHECK, model)
            error = float(held_out_error(said, validation, shown_rows))
            # Not smaller but no larger: without a held-out entry the last epoch counts.
            if error <= best:
                self._autoencoder, best, best_epoch = autoencoder, error, epoch
            if epoch - best_epoch >= self.patience:
                break
        self.n_epochs_, self.held_out_error_ = len(self.bound_), best

    def _output(self, table: NetworkTable, key: jax.Array) -> NetworkOutput:
        n_blocks = -(-self.n_imputation_samples // BLOCK)
        said: NetworkOutput = imputed(self._autoencoder, table, key, n_blocks, self._model())
        return said
