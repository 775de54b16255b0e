"""What networks share: rows on the device, perceptrons, one training loop; the masked network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.random import Generator

from halfseen.baselines.baseline import Baseline, ColumnScale, Floats, observed_scale

_CHUNK = 1024  # rows that are completed at once, and at most that entries are held out from
_STEPS_AT_ONCE = 100  # minibatches of one compiled call, between looks at the held-out entries

Perceptron = tuple[tuple[jax.Array, jax.Array], ...]  # weights and bias of each layer
Settings = dict[str, Any]  # numbers by name, which may change without a new compilation


class Rows(NamedTuple):
    """Scaled features, then labels in {0, 1}; 0 where not observed."""

    values: jax.Array  # (n_rows, n_columns), float32
    observed: jax.Array  # (n_rows, n_columns), bool


class State(NamedTuple):
    """Parameters and the state of their optimiser."""

    parameters: Any
    optimiser_state: Any


def initial_perceptron(key: jax.Array, sizes: Sequence[int]) -> Perceptron:
    """Weights as by Glorot and Bengio (2010), bias zero, for the widths from input to output."""
    weights, keys = jax.nn.initializers.glorot_normal(), jax.random.split(key, len(sizes) - 1)
    return tuple(
        (weights(key, shape), jnp.zeros(shape[1]))
        for key, shape in zip(keys, pairwise(sizes), strict=True)
    )


def perceptron_output(
    perceptron: Perceptron, inputs: jax.Array, kept: Sequence[jax.Array] = ()
) -> jax.Array:
    """The linear output of rectified layers; with dropout, `kept` has a factor for each unit."""
    for place, (weights, bias) in enumerate(perceptron[:-1]):
        inputs = jax.nn.relu(inputs @ weights + bias)
        inputs = inputs * kept[place] if kept else inputs
    weights, bias = perceptron[-1]
    return inputs @ weights + bias


def descended(optimiser: optax.GradientTransformation, state: State, gradient: Any) -> State:
    """Parameters and optimiser after one step."""
    update, after = optimiser.update(gradient, state.optimiser_state, state.parameters)
    return State(optax.apply_updates(state.parameters, update), after)


@dataclass(frozen=True)
class Model:
    """The form of a network and how it is trained: a hashable value that fixes a compilation.

    Those derived from it have ``start(key)``, the state before training; ``step(state, rows, key,
    settings)``, that after one more minibatch; and ``output(state, rows, key, n_draws)``, features,
    scaled, and probabilities of labels, (n_rows, n_columns).
    """

    n_features: int
    n_labels: int
    classes: bool  # whether the labels of a row are one class

    @property
    def n_columns(self) -> int:
        """Features and labels."""
        return self.n_features + self.n_labels

    def parts(self, columns: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Those of features, and those of labels."""
        return columns[..., : self.n_features], columns[..., self.n_features :]

    def signed(self, rows: Rows) -> jax.Array:
        """Features and labels (2 y - 1), zero where not observed."""
        features, labels = self.parts(rows.values)
        both = jnp.concatenate([features, 2 * labels - 1], axis=-1)
        return jnp.where(rows.observed, both, 0.0)

    def probabilities(self, inputs: jax.Array) -> jax.Array:
        """Of labels, from what a last layer gives."""
        return jax.nn.softmax(inputs) if self.classes else jax.nn.sigmoid(inputs)

    def log_loss(self, inputs: jax.Array, labels: jax.Array) -> jax.Array:
        """Of each label; of classes, all of it stands at the class of the row."""
        if self.classes:
            return -labels * jax.nn.log_softmax(inputs)
        loss: jax.Array = optax.sigmoid_binary_cross_entropy(inputs, labels)
        return loss

    def by_column(self, of_features: jax.Array, of_labels: jax.Array) -> jax.Array:
        """Draws for each column; the labels of one class share the first."""
        if self.classes:
            of_labels = jnp.broadcast_to(of_labels[..., :1], of_labels.shape)
        return jnp.concatenate([of_features, of_labels], axis=-1)


@partial(jax.jit, static_argnames=("model", "phase"))
def trained(
    model: Any, state: Any, rows: Rows, batches: jax.Array, key: jax.Array, settings: Settings,
    phase: str,
) -> Any:  # fmt: skip
    """One step, the method `phase` of the model, for each minibatch of places of rows."""

    def step(state: Any, batch: tuple[jax.Array, jax.Array]) -> tuple[Any, None]:
        places, key = batch
        chosen = Rows(rows.values[places], rows.observed[places])
        return getattr(model, phase)(state, chosen, key, settings), None

    return jax.lax.scan(step, state, (batches, jax.random.split(key, len(batches))))[0]


@partial(jax.jit, static_argnames="model")
def predicted(model: Any, state: Any, rows: Rows, key: jax.Array, n_draws: int) -> Any:
    """The output of a network, compiled."""
    return model.output(state, rows, key, n_draws)


@partial(jax.jit, static_argnames="n_features")
def held_out_error(found: jax.Array, rows: Rows, shown: jax.Array, n_features: int) -> jax.Array:
    """Unexplained share of the variance of held-out features, plus the same of held-out labels.

    2 for a network that predicts column means, 0 if nothing was held out.
    """
    held_out = rows.observed & ~shown
    mean = rows.values.sum(axis=0) / jnp.maximum(rows.observed.sum(axis=0), 1)
    error = jnp.where(held_out, (found - rows.values) ** 2, 0.0).sum(axis=0)
    spread = jnp.where(held_out, (mean - rows.values) ** 2, 0.0).sum(axis=0)
    of_features, of_labels = (
        error[part].sum() / jnp.maximum(spread[part].sum(), 1e-12)
        for part in (slice(n_features), slice(n_features, None))
    )
    return of_features + of_labels


def unit_interval_scale(X: Floats) -> ColumnScale:
    """Smallest observed entry of each column to 0, largest to 1."""
    observed = ~np.isnan(X)
    lowest = np.where(observed, X, np.inf).min(axis=0)
    highest = np.where(observed, X, -np.inf).max(axis=0)
    seen = observed.any(axis=0)
    return ColumnScale(np.where(seen, lowest, 0.0), np.where(seen, highest - lowest, 0.0))


def standard_scale(X: Floats) -> ColumnScale:
    """Mean 0 and variance 1; spread 0 of a constant, which comes back whatever is predicted."""
    mean, spread = observed_scale(X)
    return ColumnScale(mean, np.where(unit_interval_scale(X).spread > 0, spread, 0.0))


class Network(Baseline):
    """A network that is trained on a table and then completes rows, old or new.

    A tenth of the observed entries (from at most 1024 rows) is held out. After every hundred
    minibatches it is predicted, and the network that did best on it counts. A label that was never
    observed scores 0.5, and a feature that was never observed is 0.

    Parameters
    ----------
    batch_size, n_steps, patience : int
        Rows of a minibatch; most minibatches; and how many without a new best end training.
    held_out : float in [0, 1), default=0.1
        Share of observed entries held out for early stopping.
    random_state : int, default=0
        Seed.
    """

    _model: ClassVar[
        Any
    ]  # class of the form, which takes parameters of its own from those of the network

    batch_size: int = 128
    n_steps: int = 3000
    patience: int = 600
    held_out: float = 0.1
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        for name, value in self.get_params().items():
            if name.startswith(("n_", "batch_size", "patience")) and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")
            if name in ("held_out", "dropout", "encoder_drop") and not 0 <= value < 1:
                raise ValueError(f"{name} is a share, at least 0 and below 1, got {value!r}")
        own = {field.name: getattr(self, field.name) for field in fields(self._model)[3:]}
        hashable = {name: tuple(v) if isinstance(v, list) else v for name, v in own.items()}
        self.model_ = self._model(X.shape[1], Y.shape[1], self.target_ == "classes", **hashable)
        self.scale_ = self._scale(X)
        self._label_seen = ~np.isnan(Y).all(axis=0)
        self._key = jax.random.key(self.random_state)
        generator = np.random.default_rng(self.random_state)
        state = jax.jit(self.model_.start)(jax.random.fold_in(self._key, 0))
        self._train(state, *self._held_out_rows(self._rows(X, Y), generator), generator)

    @staticmethod
    def _scale(X: Floats) -> ColumnScale:
        return standard_scale(X)

    def _draws(self) -> tuple[int, int]:
        """Draws of noise for a prediction of held-out entries, and for the result."""
        return 1, 1

    def _rows(self, X: Floats, Y: Floats) -> Rows:
        divisor = np.where(self.scale_.spread > 0, self.scale_.spread, 1.0)
        table = np.hstack([(X - self.scale_.offset) / divisor, Y])
        return Rows(jnp.asarray(np.nan_to_num(table), jnp.float32), jnp.asarray(~np.isnan(table)))

    def _held_out_rows(self, rows: Rows, generator: Generator) -> tuple[Rows, Rows, jax.Array]:
        """What is trained on; rows with all that is observed, and what of it is shown."""
        n_rows, n_columns = rows.values.shape
        places = generator.permutation(n_rows)[:_CHUNK]
        held_out = generator.random((len(places), n_columns)) < self.held_out
        if self.model_.classes:
            held_out[:, self.model_.n_features :] = held_out[:, self.model_.n_features, None]
        observed = np.array(rows.observed)
        observed[places] &= ~held_out
        values = np.where(observed, rows.values, 0.0)
        # Filled up with rows of nothing to the shape of a chunk of rows to complete.
        padding = ((0, _CHUNK - len(places)), (0, 0))
        judged = Rows(*(jnp.pad(part[places], padding) for part in rows))
        shown = jnp.pad(jnp.asarray(observed[places]), padding)
        return Rows(jnp.asarray(values), jnp.asarray(observed)), judged, shown

    def _train(
        self, state: Any, rows: Rows, judged: Rows, shown: jax.Array, generator: Generator
    ) -> None:
        asked = Rows(jnp.where(shown, judged.values, 0.0), shown)
        self.held_out_error_, best_step, self.n_steps_ = np.inf, 0, 0
        while self.n_steps_ < self.n_steps and self.n_steps_ - best_step < self.patience:
            n_now = min(_STEPS_AT_ONCE, self.n_steps - self.n_steps_)
            state = self._trained(state, rows, generator, "step", self.n_steps_, n_now)
            self.n_steps_ += n_now
            found = predicted(self.model_, state, asked, self._key, self._draws()[0])
            error = float(held_out_error(found, judged, shown, self.model_.n_features))
            # Not smaller but no larger: without a held-out entry the last step counts.
            if error <= self.held_out_error_ or self.n_steps_ == n_now:
                self.state_, self.held_out_error_, best_step = state, error, self.n_steps_

    def _trained(
        self, state: Any, rows: Rows, generator: Generator, phase: str, n_done: int, n_now: int
    ) -> Any:
        n_rows = len(rows.values)
        size = min(self.batch_size, n_rows)
        batches = np.stack([generator.choice(n_rows, size, replace=False) for _ in range(n_now)])
        key = jax.random.fold_in(jax.random.fold_in(self._key, len(phase)), n_done)
        parameters = self.get_params().items()
        settings = {name: float(v) for name, v in parameters if isinstance(v, int | float)}
        return trained(self.model_, state, rows, jnp.asarray(batches), key, settings, phase)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        """Features in raw units and scores, a chunk of rows at a time, with one compilation."""
        found, key = [], jax.random.fold_in(self._key, 1)
        for start in range(0, len(X), _CHUNK):
            x, y = X[start : start + _CHUNK], Y[start : start + _CHUNK]
            padding = ((0, _CHUNK - len(x)), (0, 0))
            rows = self._rows(*(np.pad(part, padding, constant_values=np.nan) for part in (x, y)))
            of_rows = predicted(self.model_, self.state_, rows, key, self._draws()[1])
            found.append(np.asarray(of_rows, dtype=np.float64)[: len(x)])
        features, scores = np.split(np.concatenate(found), [X.shape[1]], axis=1)
        return self.scale_.restored(features), np.where(self._label_seen, scores, 0.5)


@dataclass(frozen=True)
class MaskedModel(Model):
    """Denoising perceptrons side by side."""

    hidden: tuple[int, ...]
    n_networks: int
    n_steps: int

    def start(self, key: jax.Array) -> State:
        """Networks of different weights."""
        sizes = (2 * self.n_columns, *self.hidden, self.n_columns)
        keys = jax.random.split(key, self.n_networks)
        networks = jax.vmap(partial(initial_perceptron, sizes=sizes))(keys)
        return State(networks, self._optimiser(0.0, 0.0).init(networks))

    def _optimiser(self, rate: Any, weight_decay: Any) -> optax.GradientTransformation:
        def falling(n_done: jax.Array) -> jax.Array:
            share = 0.5 * (1 + jnp.cos(jnp.pi * n_done / self.n_steps))
            return jnp.asarray(share * rate)

        return optax.adamw(falling, weight_decay=weight_decay)

    def inputs(self, rows: Rows) -> jax.Array:
        """[x * m, m, (2 y - 1) * m_y, m_y]: unknown, 0 and 1 are three different inputs."""
        return jnp.concatenate([self.signed(rows), rows.observed.astype(jnp.float32)], axis=-1)

    def masked(self, rows: Rows, uniform: jax.Array, settings: Settings) -> Rows:
        """Rows with some observed entries masked, each row at rates of its own."""
        rate_x = settings["feature_drop"] * uniform[..., :1]
        rate_y = settings["label_drop"] * uniform[..., 1:2]
        draws_x, draws_y = self.parts(uniform[..., 2:])
        dropped = self.by_column(draws_x < rate_x, draws_y < rate_y)
        return Rows(rows.values, rows.observed & ~dropped)

    def loss(
        self, output: jax.Array, rows: Rows, asked: jax.Array, label_weight: jax.Array | float
    ) -> jax.Array:
        """Mean squared error and weighted mean log-loss over the entries asked for."""
        (of_x, of_y), (x, y), (asked_x, asked_y) = map(self.parts, (output, rows.values, asked))
        squared = jnp.where(asked_x, (of_x - x) ** 2, 0.0)
        of_labels = jnp.where(asked_y, self.log_loss(of_y, y), 0.0)
        n_labels = jnp.maximum(asked_y.sum(), 1) / (self.n_labels if self.classes else 1)
        of_features = squared.sum() / jnp.maximum(asked_x.sum(), 1)
        return of_features + label_weight * of_labels.sum() / n_labels

    def step(self, state: State, rows: Rows, key: jax.Array, settings: Settings) -> State:
        """Mask again, and ask every network for exactly what was masked."""
        n_draws = 2 + self.n_columns + sum(self.hidden)
        uniform = jax.random.uniform(key, (self.n_networks, len(rows.values), n_draws))

        def loss(network: Perceptron, uniform: jax.Array) -> jax.Array:
            shown = self.masked(rows, uniform[:, : 2 + self.n_columns], settings)
            kept = uniform[:, 2 + self.n_columns :] >= settings["dropout"]
            factors = jnp.split(kept / (1 - settings["dropout"]), np.cumsum(self.hidden)[:-1], 1)
            output = perceptron_output(network, self.inputs(shown), factors)
            asked = rows.observed & ~shown.observed
            return self.loss(output, rows, asked, settings["label_weight"])

        gradient = jax.grad(lambda networks: jax.vmap(loss)(networks, uniform).sum())
        optimiser = self._optimiser(settings["learning_rate"], settings["weight_decay"])
        return descended(optimiser, state, gradient(state.parameters))

    def output(self, state: State, rows: Rows, key: jax.Array, n_draws: int) -> jax.Array:
        """The mean over the networks, of probabilities for labels."""
        output = jax.vmap(perceptron_output, (0, None))(state.parameters, self.inputs(rows))
        features, labels = self.parts(output)
        return jnp.concatenate([features, self.probabilities(labels)], axis=-1).mean(axis=0)


class MaskedNetwork(Network):
    """Masked multi-layer network over features and labels together, an ensemble of three.

    A perceptron reads ``[x * m, m, (2y - 1) * m_y, m_y]``, where m marks what is observed, and
    gives every feature and the probability of every label. Observed entries of each row are masked
    at rates r_x ~ U(0, ``feature_drop``) and r_y ~ U(0, ``label_drop``), and the network predicts
    these alone, by squared error and ``label_weight`` times cross-entropy. P. Vincent, H.
    Larochelle, Y. Bengio, P.-A. Manzagol, "Extracting and composing robust features with denoising
    autoencoders", ICML 2008.

    Parameters
    ----------
    hidden, n_networks : tuple of int and int, default=(256, 256), 3
        Widths of the hidden layers, and size of the ensemble.
    dropout, feature_drop, label_drop : float, default=0.2, 0.5, 1.0
        Share of hidden units silenced while training; largest rates at which observed features and
        labels are masked.
    label_weight : float, default=1.0
        Weight of the labels in the loss.
    learning_rate, weight_decay : float, default=0.001, 0.01
        Of AdamW, the rate at the beginning of a cosine schedule.
    batch_size, n_steps, patience, held_out, random_state
        As in :class:`Network`.

    Examples
    --------
    >>> network = MaskedNetwork(hidden=(8,), n_steps=10).fit([[0.0], [0.2], [1.0]], [[0], [0], [1]])
    >>> network.predict_scores([[1.0], [None]]).shape
    (2, 1)
    """

    method = "Masked network"
    grid = {
        "dropout": [0.1, 0.3, 0.5],
        "label_weight": [0.3, 1.0, 3.0],
        "weight_decay": [0.01, 0.1],
    }
    while_tuning = {"n_networks": 1}
    _model = MaskedModel

    hidden: tuple[int, ...] = (256, 256)
    n_networks: int = 3
    dropout: float = 0.2
    feature_drop: float = 0.5
    label_drop: float = 1.0
    label_weight: float = 1.0
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
