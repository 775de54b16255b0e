"""The masked network: a denoising perceptron that is asked for what was hidden from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling, standardising
from halfseen.baselines._held_out_entries import HeldOutEntries, held_out_entries
from halfseen.baselines._masked_network_training import (
    Numbers,
    Training,
    ensemble_output,
    trained_epoch,
)
from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines._network_table import NetworkOutput, NetworkTable, minibatch_rows
from halfseen.baselines._perceptron import initial_perceptron


def side_by_side(arrays: Sequence[Any]) -> jax.Array:
    """Arrays of one shape with a new leading axis, on the device."""
    return jnp.asarray(np.stack(arrays))


class MaskedNetwork(NetworkBaseline):
    """Masked multi-layer network over features and labels together, an ensemble of three.

    A perceptron reads ``[x * m, m, (2y - 1) * m_y, m_y]``, where m marks what is observed, and
    gives every feature and the probability of every label. For each row of each minibatch, a rate
    r_x ~ U(0, ``feature_drop``) and a rate r_y ~ U(0, ``label_drop``) are drawn; observed entries
    are hidden at these rates, and the network is asked for these entries D alone:

        mean_{D_x} (x_hat - x)^2 + label_weight * mean_{D_y} cross-entropy(y, p)

    with the features standardised. It trains with AdamW and a cosine schedule. Each network of the
    ensemble holds a tenth of the observed entries out (its own choice, from at most 1024 rows) and
    is the one of the epoch that did best on them.

    Cost: O(n_rows * n_epochs * n_networks * (n_columns + width) * width) time and O(n_rows *
    n_columns) memory.

    Parameters
    ----------
    hidden : tuple of int, default=(256, 256)
        Widths of the hidden layers.
    n_networks : int, default=3
        Size of the ensemble; the networks are trained side by side.
    dropout : float in [0, 1), default=0.2
        Share of hidden units silenced while training.
    feature_drop, label_drop : float in (0, 1], default=0.5, 1.0
        Largest rate at which observed features and labels are hidden while training.
    label_weight : float, default=1.0
        Weight of the labels in the loss.
    learning_rate : float, default=0.001
        Of AdamW, at the beginning.
    weight_decay : float, default=0.01
        Of AdamW.
    batch_size : int, default=128
        Rows of a minibatch.
    n_epochs : int, default=150
        Length of the schedule, and most epochs.
    patience : int, default=30
        Epochs without a new best of any network, after which training ends.
    held_out : float in [0, 1), default=0.1
        Share of observed entries held out for early stopping.
    random_state : int, default=0
        Seed.

    References
    ----------
    .. [1] Vincent, Larochelle, Bengio & Manzagol (2008), "Extracting and composing robust features
       with denoising autoencoders", ICML.
    .. [2] Du, Melis & Wang (2024), "ReMasker: Imputing tabular data with masked autoencoding",
       ICLR.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.2, None], [1.0, None], [0.9, 1.1]] * 5
    >>> Y = [[0], [0], [1], [None]] * 5
    >>> network = MaskedNetwork(hidden=(8,), n_networks=1, n_epochs=2).fit(X, Y)
    >>> network.complete().features.shape, network.predict_scores([[1.0, None]]).shape
    ((20, 2), (1, 1))
    """

    method: ClassVar[str] = "masked network"
    grid: ClassVar[dict[str, list[Any]]] = {
        "dropout": [0.1, 0.3, 0.5],
        "label_weight": [0.3, 1.0, 3.0],
        "weight_decay": [0.01, 0.1],
    }

    def __init__(
        self,
        *,
        hidden: tuple[int, ...] = (256, 256),
        n_networks: int = 3,
        dropout: float = 0.2,
        feature_drop: float = 0.5,
        label_drop: float = 1.0,
        label_weight: float = 1.0,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.01,
        batch_size: int = 128,
        n_epochs: int = 150,
        patience: int = 30,
        held_out: float = 0.1,
        random_state: int = 0,
    ) -> None:
        self.hidden = hidden
        self.n_networks = n_networks
        self.dropout = dropout
        self.feature_drop = feature_drop
        self.label_drop = label_drop
        self.label_weight = label_weight
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.patience = patience
        self.held_out = held_out
        self.random_state = random_state

    def _scaling_of(self, X: NDArray[np.float64]) -> ColumnScaling:
        return standardising(X)

    def _train(self, table: NetworkTable, generator: np.random.Generator, key: jax.Array) -> None:
        classes = self.target_ == "classes"
        n_rows, n_labels = table.labels.shape
        n_columns = table.features.shape[1] + n_labels
        sizes = (2 * n_columns, *self.hidden, n_columns)
        networks = jax.tree.map(
            lambda *leaves: side_by_side(leaves),
            *(initial_perceptron(generator, sizes) for _ in range(self.n_networks)),
        )
        held_out = [
            held_out_entries(generator, table, self.held_out, classes)
            for _ in range(self.n_networks)
        ]
        stacked = HeldOutEntries(
            table._replace(
                features_observed=side_by_side([held.shown.features_observed for held in held_out]),
                labels_observed=side_by_side([held.shown.labels_observed for held in held_out]),
            ),
            side_by_side([held.rows for held in held_out]),
        )
        training = Training(
            networks,
            jax.jit(jax.vmap(optax.adamw(self.learning_rate).init))(networks),
            networks,
            jnp.asarray(np.full(self.n_networks, np.inf, np.float32)),
            jnp.asarray(np.zeros(self.n_networks, np.int32)),
        )
        numbers = Numbers(
            self.learning_rate,
            self.weight_decay,
            self.dropout,
            self.feature_drop,
            self.label_drop,
            self.label_weight,
        )
        batch_size = min(self.batch_size, n_rows)
        self.n_epochs_ = 0
        for epoch in range(self.n_epochs):
            batches = [
                minibatch_rows(generator, n_rows, batch_size) for _ in range(self.n_networks)
            ]
            training = trained_epoch(
                training,
                table,
                stacked,
                side_by_side(batches),
                jax.random.fold_in(key, epoch),
                numbers,
                jnp.asarray(np.array([epoch, epoch + 1], np.float32) / self.n_epochs),
                classes,
            )
            self.n_epochs_ = epoch + 1
            if int(np.asarray(training.epochs_since_best).min()) >= self.patience:
                break
        self._networks = training.best
        self.held_out_loss_ = float(np.asarray(training.best_loss).mean())

    def _output(self, table: NetworkTable, key: jax.Array) -> NetworkOutput:
        said: NetworkOutput = ensemble_output(self._networks, table, self.target_ == "classes")
        return said
