"""MisGAN: generators of rows, of masks and of completions, each against its critic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling, to_unit_interval
from halfseen.baselines._held_out_entries import (
    HeldOutEntries,
    held_out_entries,
    held_out_error,
    validation_tables,
)
from halfseen.baselines._misgan_training import (
    Architecture,
    Form,
    Numbers,
    Pair,
    mean_of_draws,
    started,
    trained_generators,
    trained_imputer,
    two_of,
)
from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines._network_table import NetworkOutput, NetworkTable
from halfseen.baselines._perceptron import Perceptron, initial_perceptron, perceptron_output

ROUNDS_AT_ONCE = 20  # rounds of one compiled call, between looks at the held-out entries


@dataclass(frozen=True)
class FullyConnected:
    """Perceptrons of the widths that the authors use."""

    n_columns: int
    n_latent: int

    def initial_generator(self, generator: np.random.Generator) -> Perceptron:
        """Two hidden layers, 256 and 512 wide."""
        return initial_perceptron(generator, (self.n_latent, 256, 512, self.n_columns))

    def initial_critic(self, generator: np.random.Generator) -> Perceptron:
        """Three hidden layers, 512, 256 and 128 wide."""
        return initial_perceptron(generator, (self.n_columns, 512, 256, 128, 1))

    def generated(self, parameters: Perceptron, latent: jax.Array) -> jax.Array:
        """Inputs of all columns."""
        return perceptron_output(parameters, latent)

    def criticised(self, parameters: Perceptron, columns: jax.Array) -> jax.Array:
        """One number for each row."""
        return perceptron_output(parameters, columns)[:, 0]


class MisGAN(NetworkBaseline):
    """Generative adversarial networks learned from incomplete rows, fully connected.

    Columns are scaled to [0, 1], labels are further columns, and x * m is a row with 0 where it is
    missing. First a data generator G_x and a mask generator G_m play against critics that see
    masked rows and masks; then an imputer G_i, which reads a row with noise U(0, 1) where it is
    missing, plays against a critic that compares completed rows with those of G_x:

        L_m = E D_m(m) - E D_m(G_m)             G_m minimises L_m + alpha L_x
        L_x = E D_x(x * m) - E D_x(G_x * G_m)   G_x minimises L_x
        L_i = E D_i(G_x) - E D_i(G_i)           G_i minimises L_i + gamma mean_{m = 1} (G_i - x)^2

    with ``penalty`` (|grad D| - 1)^2 on every critic. A completion is the mean of ``n_draws`` draws
    of the noise, and new rows are completed in the same way. A tenth of the observed entries is
    held out (from at most 1024 rows), and the round of the imputer that does best on it counts.

    The widths, rates, minibatches, alpha, penalty and five steps of the critics for one of the
    generators are those of the authors' code; training the imputer after the generators, and gamma,
    are options of it. **It is trained far less than theirs**, which run for 1000 epochs over 60,000
    images, some 900,000 minibatches, on a graphics card; the default here is 6,000 minibatches.
    After so few, without gamma, completions are no better than column means: on Scene with half of
    it missing, the standardised squared error was 1.02 at best, of five settings, trained together
    or one after the other. With gamma = 100 it is 0.70, and it is the squared error that leads.
    Read its figures as those of what minutes on two cores give.

    Cost: O(n_rounds * n_critic * batch_size * (n_columns * 512 + n_columns^2)) time, O(n_rows *
    n_columns + n_columns^2) memory. Scene (2407 x 300 columns): 75 seconds of one core.

    Parameters
    ----------
    n_latent : int, default=128
        Numbers that the generators of rows and masks start from.
    n_critic : int, default=5
        Steps of the critics in a round, for one of the generators.
    alpha : float, default=0.1
        How much the mask generator listens to the critic of the masked rows.
    gamma : float, default=100.0
        Weight of the imputer's squared error on observed entries; 0 in the authors' scripts.
    penalty : float, default=10.0
        Weight of the gradient penalty.
    learning_rate, imputer_learning_rate : float, default=0.0001, 0.0002
        Of Adam(0.5, 0.9), for generators and imputer, each with its critic.
    batch_size : int, default=64
        Rows of a minibatch.
    n_generator_rounds, n_imputer_rounds : int, default=400, 800
        Rounds of the generators, and most rounds of the imputer.
    patience : int, default=200
        Rounds of the imputer without a new best, after which training ends.
    held_out : float in [0, 1), default=0.1
        Share of observed entries held out.
    n_draws : int, default=20
        Draws of noise that a completion is the mean of.
    random_state : int, default=0
        Seed.

    References
    ----------
    .. [1] Li, Jiang & Marlin (2019), "MisGAN: Learning from incomplete data with generative
       adversarial networks", ICLR.

    Examples
    --------
    >>> misgan = MisGAN(n_generator_rounds=1000, random_state=3)
    >>> misgan.inductive, misgan.grid
    (True, {'gamma': [10.0, 100.0, 1000.0]})
    """

    method: ClassVar[str] = "MisGAN"
    grid: ClassVar[dict[str, list[Any]]] = {"gamma": [10.0, 100.0, 1000.0]}

    def __init__(
        self,
        *,
        n_latent: int = 128,
        n_critic: int = 5,
        alpha: float = 0.1,
        gamma: float = 100.0,
        penalty: float = 10.0,
        learning_rate: float = 1e-4,
        imputer_learning_rate: float = 2e-4,
        batch_size: int = 64,
        n_generator_rounds: int = 400,
        n_imputer_rounds: int = 800,
        patience: int = 200,
        held_out: float = 0.1,
        n_draws: int = 20,
        random_state: int = 0,
    ) -> None:
        self.n_latent = n_latent
        self.n_critic = n_critic
        self.alpha = alpha
        self.gamma = gamma
        self.penalty = penalty
        self.learning_rate = learning_rate
        self.imputer_learning_rate = imputer_learning_rate
        self.batch_size = batch_size
        self.n_generator_rounds = n_generator_rounds
        self.n_imputer_rounds = n_imputer_rounds
        self.patience = patience
        self.held_out = held_out
        self.n_draws = n_draws
        self.random_state = random_state

    def _architecture(self, n_features: int, n_labels: int) -> Architecture:
        return FullyConnected(n_features + n_labels, self.n_latent)

    def _scaling_of(self, X: NDArray[np.float64]) -> ColumnScaling:
        return to_unit_interval(X)

    def _train(self, table: NetworkTable, generator: np.random.Generator, key: jax.Array) -> None:
        n_features, n_labels = table.features.shape[1], table.labels.shape[1]
        classes = self.target_ == "classes"
        build = self._architecture(n_features, n_labels)
        self._form = Form(build, n_features, self.n_latent, classes)
        held_out = held_out_entries(generator, table, self.held_out, classes)
        generators = started(
            two_of(build.initial_generator, generator), two_of(build.initial_critic, generator)
        )
        numbers = Numbers(self.learning_rate, self.alpha, self.gamma, self.penalty)
        for done in range(0, self.n_generator_rounds, ROUNDS_AT_ONCE):
            n_now = min(ROUNDS_AT_ONCE, self.n_generator_rounds - done)
            batches = self._batches(generator, len(table.features), n_now)
            round_key = jax.random.fold_in(key, done)
            generators = trained_generators(
                generators, held_out.shown, batches, round_key, numbers, self._form
            )
        self._data_generator = jax.tree.map(lambda leaf: leaf[0], generators.generator)
        start = initial_perceptron(generator, (n_features + n_labels,) * 5)
        self._train_imputer(
            started(start, build.initial_critic(generator)), table, held_out, generator, key
        )

    def _train_imputer(
        self,
        imputer: Pair,
        table: NetworkTable,
        held_out: HeldOutEntries,
        generator: np.random.Generator,
        key: jax.Array,
    ) -> None:
        validation, shown_rows = validation_tables(table, held_out)
        numbers = Numbers(self.imputer_learning_rate, self.alpha, self.gamma, self.penalty)
        self._imputer, best, best_round, done = imputer.generator, np.inf, 0, 0
        while done < self.n_imputer_rounds and done - best_round < self.patience:
            n_now = min(ROUNDS_AT_ONCE, self.n_imputer_rounds - done)
            imputer = trained_imputer(
                imputer,
                self._data_generator,
                held_out.shown,
                self._batches(generator, len(table.features), n_now),
                jax.random.fold_in(key, self.n_generator_rounds + done),
                numbers,
                self._form,
            )
            done += n_now
            said = mean_of_draws(imputer.generator, shown_rows, key, self._form, self.n_draws)
            error = float(held_out_error(said, validation, shown_rows))
            # Not smaller but no larger: without a held-out entry the last round counts.
            if error <= best:
                self._imputer, best, best_round = imputer.generator, error, done
        self.n_imputer_rounds_, self.held_out_error_ = done, best

    def _batches(self, generator: np.random.Generator, n_rows: int, n_rounds: int) -> jax.Array:
        batch_size = min(self.batch_size, n_rows)
        places = [
            generator.permutation(n_rows)[:batch_size] for _ in range(n_rounds * self.n_critic)
        ]
        shape = (n_rounds, self.n_critic, batch_size)
        return jnp.asarray(np.reshape(places, shape).astype(np.int32))

    def _output(self, table: NetworkTable, key: jax.Array) -> NetworkOutput:
        said: NetworkOutput = mean_of_draws(self._imputer, table, key, self._form, self.n_draws)
        return said
