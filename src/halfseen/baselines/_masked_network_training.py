"""The training of the masked network: hide again, ask for what was hidden, look at the held-out."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from halfseen.baselines._held_out_entries import HeldOutEntries
from halfseen.baselines._network_table import NetworkOutput, NetworkTable
from halfseen.baselines._perceptron import (
    Perceptron,
    perceptron_output,
    perceptron_output_with_dropout,
)


class Numbers(NamedTuple):
    """Settings that change without a new compilation."""

    learning_rate: jax.Array | float
    weight_decay: jax.Array | float
    dropout: jax.Array | float
    feature_drop: jax.Array | float
    label_drop: jax.Array | float
    label_weight: jax.Array | float


class Training(NamedTuple):
    """All that changes while training; every leaf has a leading axis over the networks."""

    perceptron: Perceptron
    optimiser_state: Any
    best: Perceptron
    best_loss: jax.Array  # (n_networks,)
    epochs_since_best: jax.Array  # (n_networks,)


def network_input(table: NetworkTable) -> jax.Array:
    """[x * m, m, (2y - 1) * m_y, m_y], of shape (n_rows, 2 n_features + 2 n_labels)."""
    shown_x = table.features_observed.astype(jnp.float32)
    shown_y = table.labels_observed.astype(jnp.float32)
    return jnp.concatenate(
        [table.features * shown_x, shown_x, (2 * table.labels - 1) * shown_y, shown_y], axis=1
    )


def masked_losses(
    output: jax.Array,
    table: NetworkTable,
    asked_x: jax.Array,
    asked_y: jax.Array,
    classes: bool,
) -> tuple[jax.Array, jax.Array]:
    """Mean squared error and mean log-loss over the entries that were asked for; 0 if none was."""
    n_features = table.features.shape[1]
    error = jnp.where(asked_x, output[:, :n_features] - table.features, 0.0)
    squared = jnp.sum(error**2) / jnp.maximum(jnp.sum(asked_x), 1)
    inputs = output[:, n_features:]
    if classes:
        log_loss = -jnp.where(asked_y, table.labels * jax.nn.log_softmax(inputs), 0.0)
        # A row asks for all its classes together and counts as one.
        n_asked = jnp.sum(asked_y[:, 0])
    else:
        log_loss = jnp.where(asked_y, optax.sigmoid_binary_cross_entropy(inputs, table.labels), 0.0)
        n_asked = jnp.sum(asked_y)
    return squared, jnp.sum(log_loss) / jnp.maximum(n_asked, 1)


def hidden_again(
    table: NetworkTable, uniform: jax.Array, numbers: Numbers, classes: bool
) -> tuple[NetworkTable, jax.Array, jax.Array]:
    """A table with some observed entries hidden, each row at its own rate, and which these are.

    ``uniform`` of shape (n_rows, 2 + n_features + n_labels) holds draws from U(0, 1).
    """
    n_features = table.features.shape[1]
    rate_x = numbers.feature_drop * uniform[:, :1]
    rate_y = numbers.label_drop * uniform[:, 1:2]
    draws_x, draws_y = uniform[:, 2 : 2 + n_features], uniform[:, 2 + n_features :]
    drop_x = draws_x < rate_x
    drop_y = (draws_y[:, :1] if classes else draws_y) < rate_y
    shown = table._replace(
        features_observed=table.features_observed & ~drop_x,
        labels_observed=table.labels_observed & ~drop_y,
    )
    return shown, table.features_observed & drop_x, table.labels_observed & drop_y


@partial(jax.jit, static_argnames=("classes",))
def trained_epoch(
    training: Training,
    table: NetworkTable,
    held_out: HeldOutEntries,
    batches: jax.Array,
    key: jax.Array,
    numbers: Numbers,
    progress: jax.Array,
    classes: bool,
) -> Training:
    """One pass of every network over the rows in its own order, and a look at what it held out.

    Parameters
    ----------
    training : Training
        The networks so far.
    table : NetworkTable
        All that is observed.
    held_out : HeldOutEntries
        What each network sees of it: rows and marks of what is observed have a leading axis.
    batches : array of shape (n_networks, n_batches, batch_size)
        Places of rows.
    key : jax.Array
        Random key.
    numbers : Numbers
        Settings.
    progress : array of shape (2,)
        Share of the training that lies behind before and after this epoch.
    classes : bool
        Whether the labels are classes.
    """
    n_columns = table.features.shape[1] + table.labels.shape[1]
    n_batches, batch_size = batches.shape[1:]
    shares = progress[0] + (progress[1] - progress[0]) * jnp.arange(n_batches) / n_batches

    def one_network(
        training: Training, held_out: HeldOutEntries, batches: jax.Array, key: jax.Array
    ) -> Training:
        def loss(perceptron: Perceptron, rows: jax.Array, uniform: jax.Array) -> jax.Array:
            batch = held_out.shown.rows(rows)
            shown, asked_x, asked_y = hidden_again(
                batch, uniform[:, : n_columns + 2], numbers, classes
            )
            output = perceptron_output_with_dropout(
                perceptron, network_input(shown), uniform[:, n_columns + 2 :], numbers.dropout
            )
            squared, log_loss = masked_losses(output, batch, asked_x, asked_y, classes)
            return squared + numbers.label_weight * log_loss

        def step(
            state: tuple[Perceptron, Any], batch: tuple[jax.Array, jax.Array, jax.Array]
        ) -> tuple[tuple[Perceptron, Any], None]:
            perceptron, optimiser_state = state
            rows, key, share = batch
            n_hidden = sum(len(layer.bias) for layer in perceptron[:-1])
            uniform = jax.random.uniform(key, (batch_size, n_columns + 2 + n_hidden))
            gradient = jax.grad(loss)(perceptron, rows, uniform)
            rate = numbers.learning_rate * 0.5 * (1 + jnp.cos(jnp.pi * share))
            update, optimiser_state = optax.adamw(rate, weight_decay=numbers.weight_decay).update(
                gradient, optimiser_state, perceptron
            )
            return (optax.apply_updates(perceptron, update), optimiser_state), None

        (perceptron, optimiser_state), _ = jax.lax.scan(
            step,
            (training.perceptron, training.optimiser_state),
            (batches, jax.random.split(key, n_batches), shares),
        )
        validation, shown = table.rows(held_out.rows), held_out.shown.rows(held_out.rows)
        squared, log_loss = masked_losses(
            perceptron_output(perceptron, network_input(shown)),
            validation,
            validation.features_observed & ~shown.features_observed,
            validation.labels_observed & ~shown.labels_observed,
            classes,
        )
        held_out_loss = squared + numbers.label_weight * log_loss
        # Not smaller but no larger: without a held-out entry the last epoch counts.
        better = held_out_loss <= training.best_loss
        return Training(
            perceptron,
            optimiser_state,
            jax.tree.map(partial(jnp.where, better), perceptron, training.best),
            jnp.where(better, held_out_loss, training.best_loss),
            jnp.where(better, 0, training.epochs_since_best + 1),
        )

    # Only what is observed differs between the networks; the values are held once.
    axes = HeldOutEntries(NetworkTable(None, 0, None, 0), 0)  # type: ignore[arg-type]
    return jax.vmap(one_network, (0, axes, 0, 0))(
        training, held_out, batches, jax.random.split(key, len(batches))
    )


@partial(jax.jit, static_argnames=("classes",))
def ensemble_output(networks: Perceptron, table: NetworkTable, classes: bool) -> NetworkOutput:
    """The mean over the networks of the features and of the probabilities they say."""
    output = jax.vmap(perceptron_output, (0, None))(networks, network_input(table))
    n_features = table.features.shape[1]
    inputs = output[..., n_features:]
    probabilities = jax.nn.softmax(inputs) if classes else jax.nn.sigmoid(inputs)
    return NetworkOutput(output[..., :n_features].mean(axis=0), probabilities.mean(axis=0))
