"""The adversarial training of MisGAN, whatever its networks are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax

from halfseen.baselines._network_table import NetworkOutput, NetworkTable
from halfseen.baselines._perceptron import Perceptron, perceptron_output

TEMPERATURE = 0.66  # of the mask generator's stretched sigmoid, which reaches 0 and 1
STRETCH = 0.1


class Architecture(Protocol):
    """How generators and critics are built; a hashable value, as it fixes a compilation."""

    def initial_generator(self, generator: np.random.Generator) -> Any:
        """Parameters of a generator of rows or of masks."""

    def initial_critic(self, generator: np.random.Generator) -> Any:
        """Parameters of a critic."""

    def generated(self, parameters: Any, latent: jax.Array) -> jax.Array:
        """Inputs of all columns (n_rows, n_columns) from latent (n_rows, n_latent)."""

    def criticised(self, parameters: Any, columns: jax.Array) -> jax.Array:
        """One number for each row of (n_rows, n_columns)."""


class Pair(NamedTuple):
    """A generator, its critic, and the states of their optimisers; or several side by side."""

    generator: Any
    critic: Any
    generator_state: Any
    critic_state: Any


class Numbers(NamedTuple):
    """Settings that change without a new compilation."""

    learning_rate: jax.Array | float
    alpha: jax.Array | float
    gamma: jax.Array | float
    penalty: jax.Array | float


class Form(NamedTuple):
    """What fixes a compilation besides shapes."""

    architecture: Architecture
    n_features: int
    n_latent: int
    classes: bool


def adam(rate: jax.Array | float) -> optax.GradientTransformation:
    """Adam with the moments that adversarial training with a gradient penalty uses."""
    return optax.adam(rate, b1=0.5, b2=0.9)


def row_from_inputs(inputs: jax.Array, form: Form) -> jax.Array:
    """Columns in [0, 1]: a sigmoid each, and one softmax for classes."""
    if not form.classes:
        return jax.nn.sigmoid(inputs)
    features, labels = inputs[:, : form.n_features], inputs[:, form.n_features :]
    return jnp.concatenate([jax.nn.sigmoid(features), jax.nn.softmax(labels)], axis=1)


def mask_from_inputs(inputs: jax.Array, form: Form) -> jax.Array:
    """Nearly binary masks with a gradient; those of classes are one and the same."""
    if form.classes:
        first = inputs[:, form.n_features : form.n_features + 1]
        shape = (len(inputs), inputs.shape[1] - form.n_features)
        inputs = jnp.concatenate(
            [inputs[:, : form.n_features], jnp.broadcast_to(first, shape)], axis=1
        )
    stretched = jax.nn.sigmoid(inputs / TEMPERATURE) * (1 + 2 * STRETCH) - STRETCH
    return jnp.clip(stretched, 0.0, 1.0)


def said_by_imputer(
    imputer: Perceptron, row: jax.Array, observed: jax.Array, noise: jax.Array, form: Form
) -> jax.Array:
    """All columns, in [0, 1]; the imputer reads ``noise`` where an entry is missing."""
    return row_from_inputs(perceptron_output(imputer, jnp.where(observed, row, noise)), form)


def critic_loss(
    architecture: Architecture,
    critic: Any,
    real: jax.Array,
    fake: jax.Array,
    share: jax.Array,
    penalty: jax.Array | float,
) -> jax.Array:
    """-(E D(real) - E D(fake)) + penalty * E (|grad D| - 1)^2 at points between the two.

    ``share`` (n_rows, 1) in (0, 1) says where between.
    """
    between = share * real + (1 - share) * fake
    slope = jax.grad(lambda columns: architecture.criticised(critic, columns).sum())(between)
    # The square root has no gradient at 0.
    steepness = jnp.sqrt((slope**2).sum(axis=1) + 1e-12)
    distance = (
        architecture.criticised(critic, real).mean() - architecture.criticised(critic, fake).mean()
    )
    return penalty * ((steepness - 1) ** 2).mean() - distance


def started(generator: Any, critic: Any) -> Pair:
    """A pair before training."""
    start = jax.jit(adam(0.0).init)
    return Pair(generator, critic, start(generator), start(critic))


def two_of(initial: Callable[[np.random.Generator], Any], generator: np.random.Generator) -> Any:
    """Parameters of two networks with a leading axis."""
    return jax.tree.map(
        lambda *leaves: jnp.asarray(np.stack(leaves)), initial(generator), initial(generator)
    )


def with_critic_step(pair: Pair, gradient: Any, rate: jax.Array | float) -> Pair:
    """One step of Adam for the critic."""
    update, state = adam(rate).update(gradient, pair.critic_state)
    return pair._replace(critic=optax.apply_updates(pair.critic, update), critic_state=state)


def with_generator_step(pair: Pair, gradient: Any, rate: jax.Array | float) -> Pair:
    """One step of Adam for the generator."""
    update, state = adam(rate).update(gradient, pair.generator_state)
    return pair._replace(
        generator=optax.apply_updates(pair.generator, update), generator_state=state
    )


def batch_columns(table: NetworkTable, rows: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Some rows with features and labels side by side, 0 where missing; and what is observed."""
    batch = table.rows(rows)
    observed = jnp.concatenate([batch.features_observed, batch.labels_observed], axis=1)
    row = jnp.concatenate([batch.features, batch.labels], axis=1)
    return jnp.where(observed, row, 0.0), observed


def generated_rows_and_masks(
    generators: Any, latent: jax.Array, form: Form
) -> tuple[jax.Array, jax.Array]:
    """What the data and the mask generator say; both arguments have a leading axis of the two."""
    inputs = jax.vmap(form.architecture.generated)(generators, latent)
    return row_from_inputs(inputs[0], form), mask_from_inputs(inputs[1], form)


@partial(jax.jit, static_argnames=("form",))
def trained_generators(
    generators: Pair,
    table: NetworkTable,
    batches: jax.Array,
    key: jax.Array,
    numbers: Numbers,
    form: Form,
) -> Pair:
    """Some rounds of the data and the mask generator, side by side.

    Every leaf of ``generators`` has a leading axis of the two; ``batches`` of shape (n_rounds,
    n_critic, batch_size) are places of rows. A round is a step of the critics on each of several
    minibatches, then one of the generators.
    """
    rate, batch_size = numbers.learning_rate, batches.shape[2]

    def critics_step(generators: Pair, batch: tuple[jax.Array, jax.Array]) -> tuple[Pair, None]:
        rows, key = batch
        row, observed = batch_columns(table, rows)
        draws = jax.random.normal(key, (2, batch_size, form.n_latent + 1))
        data, mask = generated_rows_and_masks(generators.generator, draws[..., 1:], form)
        real = jnp.stack([row, observed.astype(jnp.float32)])
        fake = jnp.stack([data * mask, mask])
        between = jax.scipy.stats.norm.cdf(draws[..., :1])
        slope = jax.grad(partial(critic_loss, form.architecture))
        gradient = jax.vmap(slope, (0, 0, 0, 0, None))(
            generators.critic, real, fake, between, numbers.penalty
        )
        return with_critic_step(generators, gradient, rate), None

    def one_round(generators: Pair, batch: tuple[jax.Array, jax.Array]) -> tuple[Pair, None]:
        rows, key = batch
        keys = jax.random.split(key, len(rows) + 1)
        generators, _ = jax.lax.scan(critics_step, generators, (rows, keys[:-1]))
        latent = jax.random.normal(keys[-1], (2, batch_size, form.n_latent))

        def loss(networks: Any) -> jax.Array:
            data, mask = generated_rows_and_masks(networks, latent, form)
            # The mask generator listens to the critic of the rows a little, alpha.
            weight = numbers.alpha * mask + (1 - numbers.alpha) * jax.lax.stop_gradient(mask)
            seen = jnp.stack([data * weight, mask])
            return -jax.vmap(form.architecture.criticised)(generators.critic, seen).mean(1).sum()

        return with_generator_step(generators, jax.grad(loss)(generators.generator), rate), None

    generators, _ = jax.lax.scan(
        one_round, generators, (batches, jax.random.split(key, len(batches)))
    )
    return generators


@partial(jax.jit, static_argnames=("form",))
def trained_imputer(
    imputer: Pair,
    data_generator: Any,
    table: NetworkTable,
    batches: jax.Array,
    key: jax.Array,
    numbers: Numbers,
    form: Form,
) -> Pair:
    """Some rounds of the imputer against rows of the data generator, which stays as it is."""
    build, rate = form.architecture, numbers.learning_rate
    n_columns = table.features.shape[1] + table.labels.shape[1]
    batch_size = batches.shape[2]

    def drawn(rows: jax.Array, key: jax.Array) -> tuple[jax.Array, ...]:
        normal_key, uniform_key = jax.random.split(key)
        uniform = jax.random.uniform(uniform_key, (batch_size, n_columns + 1))
        latent = jax.random.normal(normal_key, (batch_size, form.n_latent))
        return *batch_columns(table, rows), latent, uniform[:, 1:], uniform[:, :1]

    def critic_step(imputer: Pair, batch: tuple[jax.Array, jax.Array]) -> tuple[Pair, None]:
        row, observed, latent, noise, between = drawn(*batch)
        real = row_from_inputs(build.generated(data_generator, latent), form)
        said = said_by_imputer(imputer.generator, row, observed, noise, form)
        fake = jnp.where(observed, row, said)
        gradient = jax.grad(critic_loss, argnums=1)(
            build, imputer.critic, real, fake, between, numbers.penalty
        )
        return with_critic_step(imputer, gradient, rate), None

    def one_round(imputer: Pair, batch: tuple[jax.Array, jax.Array]) -> tuple[Pair, None]:
        rows, key = batch
        keys = jax.random.split(key, len(rows) + 1)
        imputer, _ = jax.lax.scan(critic_step, imputer, (rows, keys[:-1]))
        row, observed, _, noise, _ = drawn(rows[-1], keys[-1])

        def loss(network: Perceptron) -> jax.Array:
            said = said_by_imputer(network, row, observed, noise, form)
            completed = jnp.where(observed, row, said)
            error = jnp.where(observed, said - row, 0.0)
            squared = (error**2).sum(axis=1) / jnp.maximum(observed.sum(axis=1), 1)
            return (
                numbers.gamma * squared.mean() - build.criticised(imputer.critic, completed).mean()
            )

        return with_generator_step(imputer, jax.grad(loss)(imputer.generator), rate), None

    imputer, _ = jax.lax.scan(one_round, imputer, (batches, jax.random.split(key, len(batches))))
    return imputer


@partial(jax.jit, static_argnames=("form", "n_draws"))
def mean_of_draws(
    imputer: Perceptron, table: NetworkTable, key: jax.Array, form: Form, n_draws: int
) -> NetworkOutput:
    """The mean of several completions, each of its own noise."""
    row = jnp.concatenate([table.features, table.labels], axis=1)
    observed = jnp.concatenate([table.features_observed, table.labels_observed], axis=1)

    def add(total: jax.Array, key: jax.Array) -> tuple[jax.Array, None]:
        noise = jax.random.uniform(key, row.shape)
        return total + said_by_imputer(imputer, row, observed, noise, form), None

    total, _ = jax.lax.scan(add, jnp.zeros_like(row), jax.random.split(key, n_draws))
    mean = total / n_draws
    return NetworkOutput(mean[:, : form.n_features], mean[:, form.n_features :])
