"""Networks that play against others: GAIN, and MisGAN fully connected and convolutional."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.random import Generator

from halfseen.baselines.baseline import ColumnScale, Floats
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
    unit_interval_scale,
)

_LARGEST_NOISE = 0.01  # what GAIN fills missing entries with before the generator reads them
_TEMPERATURE = 0.66  # of MisGAN's mask generator, a stretched sigmoid that reaches 0 and 1
_STRETCH = 0.1
_ADAM = {"b1": 0.5, "b2": 0.9}  # moments, as usual with a gradient penalty
_GENERATOR_KERNEL, _CRITIC_KERNEL = 3, 5  # pixels, height and width


class Pair(NamedTuple):
    """A generator and the network that it plays against."""

    generator: Any
    critic: Any


def completed(rows: Rows, found: jax.Array) -> jax.Array:
    """What is observed, and else what was found."""
    return jnp.where(rows.observed, rows.values, found)


@dataclass(frozen=True)
class GainModel(Model):
    """A generator of rows and a discriminator; each reads a row and as many numbers again."""

    def start(self, key: jax.Array) -> Pair:
        """Both players, perceptrons as wide as there are columns."""
        sizes = (2 * self.n_columns, self.n_columns, self.n_columns, self.n_columns)
        players = (initial_perceptron(part, sizes) for part in jax.random.split(key))
        return Pair(*(State(player, optax.adam(0.0).init(player)) for player in players))

    def generated(self, generator: Perceptron, rows: Rows, noise: jax.Array) -> jax.Array:
        """G([x * m + z * (1 - m), m]) for all columns, in [0, 1]; `noise` z is in (0, 1)."""
        read = completed(rows, _LARGEST_NOISE * noise)
        inputs = jnp.concatenate([read, rows.observed.astype(jnp.float32)], axis=1)
        return jax.nn.sigmoid(perceptron_output(generator, inputs))

    def discriminator_loss(
        self, discriminator: Perceptron, row: jax.Array, rows: Rows, hint: jax.Array
    ) -> jax.Array:
        """Cross-entropy of the guess which entries of a completed row were observed."""
        inputs = perceptron_output(discriminator, jnp.concatenate([row, hint], axis=1))
        return jnp.mean(optax.sigmoid_binary_cross_entropy(inputs, rows.observed * 1.0))

    def generator_loss(
        self, generator: Perceptron, discriminator: Perceptron, rows: Rows, noise: jax.Array,
        hint: jax.Array, alpha: jax.Array | float,
    ) -> jax.Array:  # fmt: skip
        """How badly missing entries pass for observed, plus alpha times the squared error."""
        found = self.generated(generator, rows, noise)
        read = jnp.concatenate([completed(rows, found), hint], axis=1)
        passed = jax.nn.log_sigmoid(perceptron_output(discriminator, read))
        detected = jnp.where(rows.observed, 0.0, -passed).mean()
        squared = jnp.where(rows.observed, (found - rows.values) ** 2, 0.0).sum()
        return detected + alpha * squared / jnp.maximum(rows.observed.sum(), 1)

    def step(self, state: Pair, rows: Rows, key: jax.Array, settings: Settings) -> Pair:
        """One step of the discriminator and then one of the generator."""
        generator, critic = state
        noise, uniform = jax.random.uniform(key, (2, *rows.values.shape))
        hint = (rows.observed & (uniform < settings["hint_rate"])).astype(jnp.float32)
        adam = optax.adam(settings["learning_rate"])
        row = completed(rows, self.generated(generator.parameters, rows, noise))
        gradient = jax.grad(self.discriminator_loss)(critic.parameters, row, rows, hint)
        critic = descended(adam, critic, gradient)
        gradient = jax.grad(self.generator_loss)(
            generator.parameters, critic.parameters, rows, noise, hint, settings["alpha"]
        )
        return Pair(descended(adam, generator, gradient), critic)

    def output(self, state: Pair, rows: Rows, key: jax.Array, n_draws: int) -> jax.Array:
        """One forward pass; the scores of classes are divided by their sum."""
        noise = jax.random.uniform(key, rows.values.shape)
        features, scores = self.parts(self.generated(state.generator.parameters, rows, noise))
        if self.classes:
            scores = scores / jnp.maximum(scores.sum(axis=1, keepdims=True), 1e-12)
        return jnp.concatenate([features, scores], axis=1)


class GAIN(Network):
    """Generative adversarial imputation nets, with the labels as further columns.

    A generator G reads [x * m + z * (1 - m), m], with z ~ U(0, 0.01) and columns scaled to [0, 1],
    and predicts all columns; x_hat takes what is missing from it. A discriminator D reads x_hat and
    a hint h = m * b, b ~ Bernoulli(``hint_rate``), and guesses m. In turn, on every minibatch,

        min_D  mean -[m log D + (1 - m) log(1 - D)]
        min_G  mean -(1 - m) log D + alpha * mean_{m = 1} (G - x)^2

    Settings are the authors'; early stopping is added. Scores are no probabilities. J. Yoon, J.
    Jordon, M. van der Schaar, "GAIN: Missing data imputation using generative adversarial nets",
    ICML 2018.

    Parameters
    ----------
    hint_rate, alpha, learning_rate : float, default=0.9, 100.0, 0.001
        How much of m the discriminator is shown; weight of the squared error; rate of both Adams.
    batch_size, n_steps, patience, held_out, random_state
        As in :class:`Network`.

    Examples
    --------
    >>> gain = GAIN(n_steps=10).fit([[0.0, 0.1], [0.2, None], [1.0, 1.1]], [[0], [0], [1]])
    >>> gain.predict_scores([[1.0, None]]).shape
    (1, 1)
    """

    method = "GAIN"
    gives_probabilities = False
    grid = {"alpha": [10.0, 100.0, 1000.0], "learning_rate": [0.0003, 0.001]}
    _model = GainModel
    _scale = staticmethod(unit_interval_scale)

    hint_rate: float = 0.9
    alpha: float = 100.0
    learning_rate: float = 1e-3
    n_steps: int = 10_000
    patience: int = 1_000


class Players(NamedTuple):
    """Generators of rows and of masks, side by side; and the imputer."""

    generators: Pair
    imputer: Pair
    n_done: Any  # minibatches


@dataclass(frozen=True)
class MisganModel(Model):
    """Generators of rows and masks and an imputer, each against its critic; fully connected."""

    n_latent: int
    n_critic: int

    def new_generator(self, key: jax.Array) -> Any:
        """Two hidden layers, 256 and 512 wide."""
        return initial_perceptron(key, (self.n_latent, 256, 512, self.n_columns))

    def new_critic(self, key: jax.Array) -> Any:
        """Three hidden layers, 512, 256 and 128 wide."""
        return initial_perceptron(key, (self.n_columns, 512, 256, 128, 1))

    def generated(self, generator: Any, latent: jax.Array) -> jax.Array:
        """Inputs of all columns (n_rows, n_columns) from latent numbers (n_rows, n_latent)."""
        return perceptron_output(generator, latent)

    def criticised(self, critic: Any, columns: jax.Array) -> jax.Array:
        """One number for each row of (n_rows, n_columns)."""
        return perceptron_output(critic, columns)[:, 0]

    def start(self, key: jax.Array) -> Players:
        """All players before training."""
        keys, init = jax.random.split(key, 6), optax.adam(0.0, **_ADAM).init
        players = (
            (jax.vmap(self.new_generator)(keys[:2]), jax.vmap(self.new_critic)(keys[2:4])),
            (initial_perceptron(keys[4], (self.n_columns,) * 5), self.new_critic(keys[5])),
        )
        generators, imputer = (Pair(*(State(one, init(one)) for one in pair)) for pair in players)
        return Players(generators, imputer, jnp.zeros((), int))

    def row(self, inputs: jax.Array) -> jax.Array:
        """Columns in [0, 1]: a sigmoid each, and one softmax for classes."""
        features, labels = self.parts(inputs)
        return jnp.concatenate([jax.nn.sigmoid(features), self.probabilities(labels)], axis=1)

    def mask(self, inputs: jax.Array) -> jax.Array:
        """Nearly binary masks with a gradient; those of classes are one and the same."""
        inputs = self.by_column(*self.parts(inputs)) / _TEMPERATURE
        stretched = jax.nn.sigmoid(inputs) * (1 + 2 * _STRETCH) - _STRETCH
        return jnp.clip(stretched, 0.0, 1.0)

    def imputed(self, imputer: Perceptron, rows: Rows, noise: jax.Array) -> jax.Array:
        """All columns, in [0, 1]; the imputer reads `noise` where an entry is missing."""
        return self.row(perceptron_output(imputer, completed(rows, noise)))

    def critic_loss(
        self, critic: Any, real: jax.Array, fake: jax.Array, share: jax.Array | float,
        penalty: jax.Array | float,
    ) -> jax.Array:  # fmt: skip
        """-(E D(real) - E D(fake)) + penalty * E (|grad D| - 1)^2, a `share` of the way between."""
        between = share * real + (1 - share) * fake
        slope = jax.grad(lambda columns: self.criticised(critic, columns).sum())(between)
        # The square root has no gradient at 0.
        steepness = jnp.sqrt((slope**2).sum(axis=1) + 1e-12)
        distance = self.criticised(critic, real).mean() - self.criticised(critic, fake).mean()
        return penalty * ((steepness - 1) ** 2).mean() - distance

    def _stepped(
        self, pair: Pair, n_done: jax.Array, rate: jax.Array, critic_gradient: Any,
        generator_loss: Callable[[Any, Any], jax.Array],
    ) -> Pair:  # fmt: skip
        """A step of the critic, and every `n_critic` minibatches one of the generator."""
        adam = optax.adam(rate, **_ADAM)
        critic = descended(adam, pair.critic, critic_gradient)

        def generator_step(generator: State) -> State:
            slope = jax.grad(generator_loss)(generator.parameters, critic.parameters)
            return descended(adam, generator, slope)

        is_time = (n_done + 1) % self.n_critic == 0
        generator = jax.lax.cond(is_time, generator_step, lambda same: same, pair.generator)
        return Pair(generator, critic)

    def _rows_and_masks(self, generators: Any, latent: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Generated from latent numbers of shape (2, n_rows, n_latent)."""
        inputs = jax.vmap(self.generated)(generators, latent)
        return self.row(inputs[0]), self.mask(inputs[1])

    def generator_step(
        self, state: Players, rows: Rows, key: jax.Array, settings: Settings
    ) -> Players:
        """Critics see masked rows and masks; rows and masks are generated."""
        pair, _, n_done = state
        latent_key, share_key = jax.random.split(key)
        latent = jax.random.normal(latent_key, (2, len(rows.values), self.n_latent))
        share = jax.random.uniform(share_key, (2, len(rows.values), 1))
        row, mask = self._rows_and_masks(pair.generator.parameters, latent)
        real = jnp.stack([rows.values, rows.observed.astype(jnp.float32)])
        fake = jnp.stack([row * mask, mask])
        slope = jax.vmap(jax.grad(self.critic_loss), (0, 0, 0, 0, None))
        gradient = slope(pair.critic.parameters, real, fake, share, settings["penalty"])

        def loss(generators: Any, critics: Any) -> jax.Array:
            row, mask = self._rows_and_masks(generators, latent)
            # The mask generator sees the critic of the rows a little, alpha.
            alpha = settings["alpha"]
            weight = alpha * mask + (1 - alpha) * jax.lax.stop_gradient(mask)
            seen = jnp.stack([row * weight, mask])
            return -jax.vmap(self.criticised)(critics, seen).mean(axis=1).sum()

        pair = self._stepped(pair, n_done, settings["learning_rate"], gradient, loss)
        return state._replace(generators=pair, n_done=n_done + 1)

    def step(self, state: Players, rows: Rows, key: jax.Array, settings: Settings) -> Players:
        """The imputer against rows of the generator, which stays as it is."""
        generators, pair, n_done = state
        latent_key, uniform_key = jax.random.split(key)
        uniform = jax.random.uniform(uniform_key, (len(rows.values), self.n_columns + 1))
        noise, share = uniform[:, 1:], uniform[:, :1]
        latent = jax.random.normal(latent_key, (len(rows.values), self.n_latent))
        of_rows = jax.tree.map(lambda leaf: leaf[0], generators.generator.parameters)
        real = self.row(self.generated(of_rows, latent))
        fake = completed(rows, self.imputed(pair.generator.parameters, rows, noise))
        gradient = jax.grad(self.critic_loss)(
            pair.critic.parameters, real, fake, share, settings["penalty"]
        )

        def loss(imputer: Perceptron, critic: Any) -> jax.Array:
            found = self.imputed(imputer, rows, noise)
            error = jnp.where(rows.observed, (found - rows.values) ** 2, 0.0).sum(axis=1)
            squared = (error / jnp.maximum(rows.observed.sum(axis=1), 1)).mean()
            missed = self.criticised(critic, completed(rows, found)).mean()
            return jnp.asarray(squared * settings["gamma"] - missed)

        pair = self._stepped(pair, n_done, settings["imputer_learning_rate"], gradient, loss)
        return state._replace(imputer=pair, n_done=n_done + 1)

    def output(self, state: Players, rows: Rows, key: jax.Array, n_draws: int) -> jax.Array:
        """The mean of several completions, each of its own noise."""

        def add(place: jax.Array, total: jax.Array) -> jax.Array:
            noise = jax.random.uniform(jax.random.fold_in(key, place), rows.values.shape)
            return total + self.imputed(state.imputer.generator.parameters, rows, noise)

        total: jax.Array = jax.lax.fori_loop(0, n_draws, add, jnp.zeros_like(rows.values))
        return total / n_draws


class MisGAN(Network):
    """Generative adversarial networks learned from incomplete rows, fully connected.

    Columns are scaled to [0, 1], labels are further columns, and x * m is a row with 0 where it is
    missing. First a data generator G_x and a mask generator G_m play against critics that see
    masked rows and masks; then an imputer G_i, which reads a row with noise U(0, 1) where it is
    missing, plays against a critic that compares completed rows with those of G_x:

        L_m = E D_m(m) - E D_m(G_m)             G_m minimises L_m + alpha L_x
        L_x = E D_x(x * m) - E D_x(G_x * G_m)   G_x minimises L_x
        L_i = E D_i(G_x) - E D_i(G_i)           G_i minimises L_i + gamma mean_{m = 1} (G_i - x)^2

    with ``penalty (|grad D| - 1)^2`` on every critic, and one step of the generators for
    ``n_critic`` of the critics. Settings are the authors' but gamma, an option of theirs, and far
    fewer steps than their 900,000: here the squared error leads. S. C.-X. Li, B. Jiang, B. Marlin,
    "MisGAN: Learning from incomplete data with generative adversarial networks", ICLR 2019.

    Parameters
    ----------
    n_latent, n_critic, n_generator_steps, n_draws : int, default=128, 5, 2000, 20
        Numbers that generators start from; steps of the critics for one of the generators;
        minibatches of the generators; draws of noise that a completion is the mean of.
    alpha, gamma, penalty : float, default=0.1, 100.0, 10.0
        Weights of the critic of rows for the mask generator, of the imputer's squared error, and of
        the gradient penalty.
    learning_rate, imputer_learning_rate : float, default=0.0001, 0.0002
        Of Adam, for generators and imputer, each with its critic.
    batch_size, n_steps, patience, held_out, random_state
        As in :class:`Network`.

    Examples
    --------
    >>> MisGAN(random_state=3).grid
    {'gamma': [10.0, 100.0, 1000.0]}
    """

    method = "MisGAN"
    grid = {"gamma": [10.0, 100.0, 1000.0]}
    _model: ClassVar[type[Model]] = MisganModel
    _scale = staticmethod(unit_interval_scale)

    n_latent: int = 128
    n_critic: int = 5
    alpha: float = 0.1
    gamma: float = 100.0
    penalty: float = 10.0
    learning_rate: float = 1e-4
    imputer_learning_rate: float = 2e-4
    batch_size: int = 64
    n_generator_steps: int = 2000
    n_steps: int = 4000
    patience: int = 1000
    n_draws: int = 20

    def _draws(self) -> tuple[int, int]:
        return self.n_draws, self.n_draws

    def _train(
        self, state: Any, rows: Rows, judged: Rows, shown: jax.Array, generator: Generator
    ) -> None:
        for n_done in range(0, self.n_generator_steps, 100):
            n_now = min(100, self.n_generator_steps - n_done)
            state = self._trained(state, rows, generator, "generator_step", n_done, n_now)
        super()._train(state, rows, judged, shown, generator)


@dataclass(frozen=True)
class ConvolutionalModel(MisganModel):
    """MisGAN whose generators and critics are convolutions over the pixels of an image.

    Labels are read and predicted by perceptrons beside. A generator makes a small image and
    doubles it twice; a critic shrinks an image three times.
    """

    shape: tuple[int, int]
    n_channels: int

    def __post_init__(self) -> None:
        if math.prod(self.shape) != self.n_features:
            raise ValueError(
                f"images of shape {self.shape} have {math.prod(self.shape)} pixels, but X has "
                f"{self.n_features} columns; set shape to the height and width of the images"
            )

    def _shrunk(self, factor: int) -> tuple[int, int]:
        return math.ceil(self.shape[0] / factor), math.ceil(self.shape[1] / factor)

    def new_generator(self, key: jax.Array) -> Any:
        """Twice `n_channels`, then `n_channels`, then one."""
        area, n = _GENERATOR_KERNEL**2, self.n_channels
        start = (self.n_latent, math.prod(self._shrunk(4)) * 2 * n)
        sizes = (start, (area * 2 * n, 4 * n), (area * n, 4), (self.n_latent, 128, self.n_labels))
        return tuple(map(initial_perceptron, jax.random.split(key, 4), sizes))

    def new_critic(self, key: jax.Array) -> Any:
        """`n_channels`, twice and four times as many, then 128 units with the labels."""
        channels = (1, self.n_channels, 2 * self.n_channels, 4 * self.n_channels)
        sizes = [(_CRITIC_KERNEL**2 * n_in, n_out) for n_in, n_out in pairwise(channels)]
        keys, n_left = jax.random.split(key, 4), math.prod(self._shrunk(8)) * channels[-1]
        convolutions = tuple(map(initial_perceptron, keys[:3], sizes))
        return convolutions, initial_perceptron(keys[3], (n_left + self.n_labels, 128, 1))

    def generated(self, generator: Any, latent: jax.Array) -> jax.Array:
        """Inputs of all pixels, row by row of the image, and of the labels."""
        start, *enlarging, labels = generator
        image = perceptron_output(start, latent)
        image = image.reshape(len(latent), *self._shrunk(4), 2 * self.n_channels)
        for layer in enlarging:
            image = enlarged(convolved(jax.nn.relu(image), layer, _GENERATOR_KERNEL, 1))
        pixels = image[:, : self.shape[0], : self.shape[1], 0].reshape(len(latent), -1)
        return jnp.concatenate([pixels, perceptron_output(labels, latent)], axis=1)

    def criticised(self, critic: Any, columns: jax.Array) -> jax.Array:
        """One number for each row."""
        pixels, labels = self.parts(columns)
        image = pixels.reshape(len(columns), *self.shape, 1)
        for layer in critic[0]:
            image = jax.nn.relu(convolved(image, layer, _CRITIC_KERNEL, 2))
        read = jnp.concatenate([image.reshape(len(columns), -1), labels], axis=1)
        return perceptron_output(critic[1], read)[:, 0]


def convolved(image: jax.Array, layer: Perceptron, size: int, stride: int) -> jax.Array:
    """A convolution of (n_rows, height, width, n_inputs), padded; a stride of 1 keeps the size.

    Written as slices and one matrix product: with the gradient's gradient, which the penalty
    needs, that takes half the time of the compiler's own convolution on a processor.
    """
    height, width = image.shape[1:3]
    around = (size // 2, size // 2)
    patches = jnp.pad(image, ((0, 0), around, around, (0, 0)))
    for axis, length in ((1, height), (2, width)):
        ends = [(start, start + length) for start in range(size)]
        shifted = [jax.lax.slice_in_dim(patches, *end, stride, axis) for end in ends]
        patches = jnp.concatenate(shifted, axis=-1)
    return perceptron_output(layer, patches)


def enlarged(image: jax.Array) -> jax.Array:
    """Height and width doubled: four channels become the four pixels of a square."""
    n_rows, height, width, n_channels = image.shape
    squares = image.reshape(n_rows, height, width, 2, 2, n_channels // 4)
    return squares.transpose(0, 1, 3, 2, 4, 5).reshape(n_rows, 2 * height, 2 * width, -1)


class MisGANConvolutional(MisGAN):
    """MisGAN whose generators and critics are convolutional, for tables of images.

    Objectives, training and imputer are those of :class:`MisGAN`. All pixels share one scale. The
    authors use 64 channels and 1000 epochs over 60,000 images on a graphics card.

    Parameters
    ----------
    shape, n_channels : default=(28, 28), 16
        Height and width; the columns of X are the pixels, row by row of the image. Channels of the
        widest image; the others have twice and four times as many.

    Examples
    --------
    >>> MisGANConvolutional(shape=(2, 3)).fit([[0.0, 1.0]], [[1]])
    Traceback (most recent call last):
    ValueError: images of shape (2, 3) have 6 pixels, but X has 2 columns; set shape ...
    """

    method = "MisGAN, convolutional"
    _model = ConvolutionalModel

    shape: tuple[int, int] = (28, 28)
    n_channels: int = 16
    n_generator_steps: int = 300
    n_steps: int = 1000

    @staticmethod
    def _scale(X: Floats) -> ColumnScale:
        # One scale for all pixels keeps an image an image.
        whole = unit_interval_scale(X.reshape(-1, 1))
        return ColumnScale(*(np.repeat(number, X.shape[1]) for number in whole))
