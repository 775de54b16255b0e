"""Training: Algorithm 1 (Lossy-CD), the variants that the paper names, and early stopping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from halfseen.data.raw import Bools
from halfseen.data.schema import Encoded, Schema
from halfseen.rbm.gibbs import gibbs_chain
from halfseen.rbm.mean_field import FixedPoint, fixed_point, mean_field_free_energy
from halfseen.rbm.model import RBM, Rows
from halfseen.rbm.units import VisibleLayer

_CENTERING_RATE = 0.01  # how fast the offsets follow the means of the data
_LOG_VARIANCE_BOUNDS = (-6.0, 2.0)
_LARGEST_WEIGHT = 1e4  # beyond it training has diverged
_SLOWER = 0.25  # factor of the learning rate after a divergence
_MAX_ROLLBACKS = 5
_MAX_VALIDATION_ROWS = 4096
_VALIDATION_SWEEPS = 10


class DivergenceError(RuntimeError):
    """Training diverged again and again, although its learning rate was lowered."""


class Algorithm(NamedTuple):
    """Which variant of Algorithm 1 is run."""

    n_gibbs_steps: int = 1
    chain_start: Literal["random", "data", "persistent"] = "data"
    phases: Literal["gibbs", "mean_field"] = "gibbs"
    centering: bool = True
    learn_variance: bool = True
    momentum: float = 0.0
    weight_decay: float = 0.0

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Gradient to direction of ascent: momentum, and decay of the weights."""
        weights_only = partial(jax.tree.map, lambda leaf: leaf.ndim == 2)
        decay = optax.add_decayed_weights(-self.weight_decay, mask=weights_only)
        return optax.chain(
            decay if self.weight_decay else optax.identity(),
            optax.trace(self.momentum) if self.momentum else optax.identity(),
        )


class TrainingState(NamedTuple):
    """Everything that an epoch changes; with a leading axis, that of several machines."""

    rbm: RBM
    chains: Array  # (n_chains, n_visible), where the persistent chains are
    offsets: tuple[Array, Array]  # centres of the visible and the hidden units
    optimizer: Any


def run_chain(
    rbm: RBM, key: Array, visible: Array, observed: Array | None, algorithm: Algorithm
) -> Array:
    """k steps of Gibbs sampling, or of the mean-field equations in its place."""
    if algorithm.phases == "gibbs":
        return gibbs_chain(rbm, key, visible, observed, algorithm.n_gibbs_steps)
    for _ in range(algorithm.n_gibbs_steps):
        mean = rbm.visible_mean_from_hidden(rbm.hidden_mean_from_visible(visible))
        visible = mean if observed is None else jnp.where(observed, visible, mean)
    return visible


def mean_free_energy(rbm: RBM, visible: Array, observed: Array, algorithm: Algorithm) -> Array:
    """Mean of F(v) over chains; or over means, at which missing numbers keep their variance."""
    if algorithm.phases == "gibbs":
        return jnp.mean(rbm.free_energy(visible))
    hidden_mean = jax.lax.stop_gradient(rbm.hidden_mean_from_visible(visible))
    return jnp.mean(mean_field_free_energy(rbm, FixedPoint(visible, hidden_mean), observed))


def lossy_cd_update(
    state: TrainingState, batch: Rows, key: Array, rate: Array, algorithm: Algorithm
) -> TrainingState:
    """One minibatch of Algorithm 1, lines 6 to 12."""
    rbm, (visible, observed, marginals) = state.rbm, batch
    n_rows = len(visible)
    start_key, positive_key, chain_key, negative_key = jax.random.split(key, 4)

    # Positive term: observed entries are clamped, missing ones start at random; k steps.
    start = jnp.where(observed, visible, rbm.random_visible(start_key, marginals, n_rows))
    positive = run_chain(rbm, positive_key, start, observed, algorithm)

    # Negative term: from random, from the rows of the positive term, or where chains were left.
    if algorithm.chain_start == "random":
        start = rbm.random_visible(chain_key, marginals, n_rows)
    else:
        start = positive if algorithm.chain_start == "data" else state.chains
    negative = run_chain(rbm, negative_key, start, None, algorithm)

    # Eq. (9): the gradient of log P(v_o) is <-dF> of the positive less that of the negative term.
    def contrast(rbm: RBM) -> Array:
        of_negative = mean_free_energy(rbm, negative, jnp.zeros((), bool), algorithm)
        return of_negative - mean_free_energy(rbm, positive, observed, algorithm)

    gradient, offsets = jax.grad(contrast)(rbm), state.offsets
    if algorithm.centering:
        gradient = center_gradient(gradient, rbm, offsets)
        means = positive.mean(axis=0), rbm.hidden_mean_from_visible(positive).mean(axis=0)
        offsets = optax.incremental_update(means, offsets, _CENTERING_RATE)

    # Eq. (3): update.
    direction, optimizer = algorithm.optimizer.update(gradient, state.optimizer, rbm)
    moved = jax.tree.map(lambda value, towards: value + rate * towards, rbm, direction)
    learned = jnp.clip(moved.log_variance, *_LOG_VARIANCE_BOUNDS)
    log_variance = learned if algorithm.learn_variance else rbm.log_variance
    moved = replace(moved, log_variance=log_variance)
    chains = negative if algorithm.chain_start == "persistent" else state.chains
    return TrainingState(moved, chains, offsets, optimizer)


def center_gradient(gradient: RBM, rbm: RBM, offsets: tuple[Array, Array]) -> RBM:
    """Gradient in the centred parametrisation (Melchior, Fischer and Wiskott 2016)."""
    visible, hidden = offsets
    weights = gradient.weights - jnp.outer(visible, gradient.hidden_bias)
    weights -= jnp.outer(gradient.visible_bias, hidden)
    return replace(
        gradient,
        weights=weights,
        visible_bias=gradient.visible_bias - weights @ hidden,
        hidden_bias=gradient.hidden_bias - visible @ weights,
    )


@partial(jax.jit, static_argnames="algorithm")
def run_epoch(
    states: TrainingState, rows: Rows, batches: Array, keys: Array, rates: Array, *,
    algorithm: Algorithm,
) -> TrainingState:  # fmt: skip
    """Update every machine (leading axis) on every minibatch, given as rows (n_batches, size)."""

    def of_machine(state: TrainingState, key: Array, rate: Array) -> TrainingState:
        def update(state: TrainingState, step: tuple[Array, Array]) -> tuple[TrainingState, None]:
            batch, step_key = step
            minibatch = Rows(rows.visible[batch], rows.observed[batch], rows.marginals)
            return lossy_cd_update(state, minibatch, step_key, rate, algorithm), None

        steps = batches, jax.random.split(key, len(batches))
        end: TrainingState = jax.lax.scan(update, state, steps)[0]
        return end

    if len(keys) == 1:  # without a leading axis products of matrices are faster
        first = jax.tree.map(lambda leaf: leaf[0], (states, keys, rates))
        moved: TrainingState = jax.tree.map(lambda leaf: leaf[None], of_machine(*first))
        return moved
    return jax.vmap(of_machine)(states, keys, rates)


@partial(jax.jit, static_argnames=("layer", "n_hidden", "n_chains", "algorithm"))
def initial_states(
    keys: Array, layer: VisibleLayer, n_hidden: int, n_chains: int, marginals: Array,
    variance: float, algorithm: Algorithm,
) -> TrainingState:  # fmt: skip
    """Machines with small weights and the marginals of the data, one per key; random chains."""
    dtype = marginals.dtype
    log_variance = jnp.full(layer.n_gaussian, jnp.log(variance), dtype)
    visible_bias = layer.inputs_from_mean(marginals, log_variance)

    def initial(key: Array) -> TrainingState:
        rbm_key, chain_key = jax.random.split(key)
        weights = 0.01 * jax.random.normal(rbm_key, (layer.n_units, n_hidden), dtype)
        rbm = RBM(layer, weights, visible_bias, jnp.zeros(n_hidden, dtype), log_variance)
        chains = rbm.random_visible(chain_key, marginals, n_chains)
        offsets = marginals, jnp.full(n_hidden, 0.5, dtype)
        return TrainingState(rbm, chains, offsets, algorithm.optimizer.init(rbm))

    return jax.vmap(initial)(keys)


def train(
    states: TrainingState, rows: Rows, *, algorithm: Algorithm, learning_rate: float,
    batch_size: int, seed: int, first_epoch: int = 0,
) -> Iterator[TrainingState]:  # fmt: skip
    """Yield the states after each epoch, for ever; the caller decides when to stop.

    Rows are shuffled in every epoch; those that do not fill a minibatch are left out of it. If a
    machine diverges, all go back to the last epoch, and that machine goes on more slowly.
    """
    n_rows, n_estimators = len(rows.visible), len(states.rbm.hidden_bias)
    batch_size = min(batch_size, n_rows)
    rates, n_rollbacks, epoch = np.full(n_estimators, learning_rate, np.float32), 0, first_epoch
    while True:
        order = np.random.default_rng([seed, epoch]).permutation(n_rows)
        batches = order[: n_rows // batch_size * batch_size].reshape(-1, batch_size)
        keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), epoch), n_estimators)
        moved = run_epoch(states, rows, batches, keys, rates, algorithm=algorithm)
        leaves = map(np.asarray, jax.tree.leaves((moved.rbm, moved.chains)))
        sizes = [np.abs(leaf).reshape(len(leaf), -1).max(axis=1, initial=0.0) for leaf in leaves]
        sound = np.max(sizes, axis=0) < _LARGEST_WEIGHT  # a machine that is finite, too
        if sound.all():
            states, epoch = moved, epoch + 1
            yield states
        elif n_rollbacks == _MAX_ROLLBACKS:
            tried = f"from {learning_rate:g} down to {learning_rate * _SLOWER**n_rollbacks:g}"
            problem = f"Training diverged {n_rollbacks + 1} times, at rates {tried}"
            remedy = "Use a much smaller learning_rate or a larger batch_size"
            raise DivergenceError(f"{problem}. {remedy}, and look for gross outliers.")
        else:
            n_rollbacks += 1
            rates = np.where(sound, rates, rates * _SLOWER).astype(np.float32)


class ValidationLoss(NamedTuple):
    """Losses of machines in training: of held-out entries, or of hidden labels."""

    schema: Schema
    visible: NDArray[np.float32]  # what machines are judged by
    given: Bools  # entries that they are given
    asked: Bools  # entries that they are asked for
    by_auc: bool

    @classmethod
    def held_out(cls, schema: Schema, training: Encoded, held_out_units: Bools, seed: int) -> Self:
        """Mean losses of the held-out features and of the held-out targets, added."""
        rows = np.flatnonzero(held_out_units.any(axis=1))
        rows = rows[some_rows(len(rows), seed)]
        given, asked = training.observed[rows], held_out_units[rows]
        return cls(schema, training.values[rows], given, asked, by_auc=False)

    @classmethod
    def peeking(
        cls, schema: Schema, known: Encoded, training: Encoded, truth: Encoded | None
    ) -> Self:
        """One minus the AUC of the hidden labels, the rule of the paper; it uses the answers."""
        if truth is None:
            raise ValueError(
                'early_stopping="peeking" needs the true labels: fit(X, y, y_true=...). It is the '
                "rule of the paper and uses the labels that are to be predicted."
            )
        is_target = schema.unit_column >= len(schema.features)
        asked = truth.observed & ~known.observed & is_target
        if len(np.unique(truth.values[asked])) < 2:
            raise ValueError("y_true holds no label of both values that y does not know.")
        rows = np.flatnonzero(asked.any(axis=1))
        return cls(schema, truth.values[rows], training.observed[rows], asked[rows], True)

    def __call__(self, rbms: RBM) -> NDArray[np.float64]:
        """Loss of each machine."""
        rows = Rows(*map(jnp.asarray, (self.visible, self.given, self.schema.marginals)))
        means = np.asarray(_mean_field_means(rbms, rows))
        return np.array([self._loss(rbms.layer, mean) for mean in means])

    def _loss(self, layer: VisibleLayer, mean: NDArray[np.float32]) -> float:
        if self.by_auc:
            return 1.0 - float(roc_auc_score(self.visible[self.asked] > 0.5, mean[self.asked]))
        losses = np.asarray(layer.loss(jnp.asarray(self.visible), jnp.asarray(mean)))
        is_target = self.schema.unit_column >= len(self.schema.features)
        parts = (self.asked & ~is_target, self.asked & is_target)
        return float(sum(losses[part].mean() for part in parts if part.any()))


def some_rows(n_rows: int, seed: int) -> NDArray[np.int64]:
    """All rows, or a random choice of them where there are many."""
    if n_rows <= _MAX_VALIDATION_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, _MAX_VALIDATION_ROWS, replace=False))


@jax.jit
def _mean_field_means(rbms: RBM, rows: Rows) -> Array:
    """Means at the fixed point that the marginals lead to, by machine."""

    def by_machine(rbm: RBM) -> Array:
        return fixed_point(rbm, rows, rows.marginals, _VALIDATION_SWEEPS).visible_mean

    return jnp.asarray(jax.lax.map(by_machine, rbms))
