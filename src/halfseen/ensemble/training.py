"""Training: mask observed entries at random, sweep, and descend the loss on what was masked.

After the multi-prediction training of Goodfellow, Mirza, Courville and Bengio, "Multi-Prediction
Deep Boltzmann Machines" (2013), for one hidden layer and rows with missing values.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from halfseen.base.progress import Progress
from halfseen.data.schema import Encoded
from halfseen.ensemble.machine import Member, Parameters, Scale, Units, prior_mean, sweep_inputs
from halfseen.ensemble.model import Ensemble
from halfseen.ensemble.prior import Bools, Floats, GaussianPrior, Rows
from halfseen.ensemble.problem import HeldOut, Problem

_WEIGHT_DECAY = 1e-2
_MASKED = (0.05, 0.6)  # share of the features of a row that is masked
_ONE_TARGET_MASKED = 0.7  # share of rows in which a single target is masked
_ALL_TARGETS_MASKED = 0.4  # share of rows in which all of several targets are masked, ...
_TARGETS_MASKED = (0.1, 0.9)  # ... and which share of them in the other rows
_BIN_WEIGHT = 0.3  # of the log-loss of bins beside the squared error
_WEIGHT_SCALE = 0.05  # of random weights
_WARM_UP = 0.05  # share of the steps in which the learning rate rises
_SHARES = (1.0, 0.75, 0.5, 0.25)  # of a prediction beside the marginal, in validation
_STANDARD_ERRORS = 2.0
_STEPS_BETWEEN_CHECKS, _STEPS_OF_GROUP = 100, 10
_MOST_CHECKED_ROWS = 512
# Short memories, as steps are few and gradients change quickly.
_OPTIMIZER = optax.chain(optax.clip_by_global_norm(5.0), optax.scale_by_adam(b1=0.8, b2=0.95))


class Table(NamedTuple):
    """The training entries of one fold."""

    values: jax.Array  # (n_rows, n_units)
    training: jax.Array  # (n_rows, n_entries) bool: observed and not held out
    missing: jax.Array  # (n_rows, n_units) indicator of missing features; (n_rows, 0) without it
    weight: jax.Array  # (n_rows,), of mean one
    keep_features: float  # share of the labelled rows whose features are not masked
    seed: int


class MaskedBatch(NamedTuple):
    """A minibatch with some of its observed entries masked."""

    values: jax.Array  # (batch_size, n_wide)
    observed: jax.Array  # (batch_size, n_units) bool, of what is not masked
    weight: jax.Array  # (batch_size, n_entries), of masked entries in the loss
    missing: jax.Array  # (batch_size, n_units) indicator of missing features, or (batch_size, 0)


class TrainingState(NamedTuple):
    """What changes from step to step."""

    parameters: Parameters
    optimizer: Any


def initial_state(
    seed: int, units: Units, scale: Scale, n_hidden: int, n_indicators: int
) -> TrainingState:
    """Small random weights; without hidden units the machine predicts what the prior expects."""
    random = np.random.default_rng(seed).standard_normal((units.n_wide, n_hidden), np.float32)
    is_number = np.arange(units.layer.n_units) < units.layer.n_gaussian
    starts_with_prior = is_number | np.asarray(scale.is_target)
    gain = np.concatenate([starts_with_prior, np.ravel(scale.centres)]).astype(np.float32)
    parameters = Parameters(
        weights=jnp.asarray(np.float32(_WEIGHT_SCALE) * random),
        visible_bias=scale.start,
        hidden_bias=jnp.asarray(np.zeros(n_hidden, np.float32)),
        gain=jnp.asarray(gain),
        indicator=jnp.asarray(np.zeros((n_indicators, n_hidden), np.float32)),
    )
    return TrainingState(parameters, jax.jit(_OPTIMIZER.init)(parameters))


def random_masks(
    key: jax.Array, n_rows: int, is_target: Bools, keep_features: jax.Array | float
) -> jax.Array:
    """Entries to mask, of shape (n_rows, n_entries): of each row a random share of the features.

    Features are kept in a share of the rows. Targets are often masked all, as in new rows.
    """
    row_key, entry_key = jax.random.split(key)
    of_row = jax.random.uniform(row_key, (4, n_rows, 1))
    low, high = _MASKED
    features, keeps = low + (high - low) * of_row[0], of_row[1] < keep_features
    if is_target.sum() == 1:
        targets = jnp.where(keeps, 1.0, _ONE_TARGET_MASKED)
    else:
        low, high = _TARGETS_MASKED
        targets = jnp.where(of_row[2] < _ALL_TARGETS_MASKED, 1.0, low + (high - low) * of_row[3])
    share = jnp.where(is_target, targets, jnp.where(keeps, 0.0, features))
    return jax.random.uniform(entry_key, (n_rows, len(is_target))) < share


@partial(jax.jit, static_argnames=("units", "is_target", "n_search"))
def run_steps(
    state: TrainingState, member: Member, scale: Scale, table: Table, batches: jax.Array,
    steps: jax.Array, rates: jax.Array, *, units: Units, is_target: tuple[bool, ...], n_search: int,
) -> TrainingState:  # fmt: skip
    """Take a step on each minibatch, given as rows of shape (n_groups, n_steps, batch_size).

    What does not depend on the parameters is found for all steps of a group at once. `steps` are
    the numbers of the steps, from which random numbers come.
    """
    targets, root = np.array(is_target), jax.random.key(table.seed)

    def given(rows: jax.Array, number: jax.Array) -> MaskedBatch:
        key = jax.random.fold_in(root, number)
        values, known = table.values[rows], table.training[rows]
        keep = table.keep_features * jnp.any(known & targets, axis=1, keepdims=True)
        masks = random_masks(key, len(rows), targets, keep)
        return MaskedBatch(
            values=units.with_bins(values, scale.centres),
            observed=units.by_unit(known & ~masks),
            weight=entry_weights(known & masks, targets, table.weight[rows]),
            missing=table.missing[rows],
        )

    def step(state: TrainingState, now: Any) -> tuple[TrainingState, None]:
        batch, base, rate = now

        def loss(parameters: Parameters) -> jax.Array:
            inputs = sweep_inputs(
                parameters, units, scale, batch.values, batch.observed, base,
                batch.missing @ parameters.indicator,
            )  # fmt: skip
            losses = units.losses(inputs, batch.values, _BIN_WEIGHT)
            return jnp.sum(jnp.where(batch.weight > 0, losses, 0.0) * batch.weight)

        gradient = jax.grad(loss)(state.parameters)
        direction, optimizer = _OPTIMIZER.update(gradient, state.optimizer)
        decay = _WEIGHT_DECAY * state.parameters.weights
        direction = direction._replace(weights=direction.weights + decay)
        parameters = jax.tree.map(lambda p, d: p - rate * d, state.parameters, direction)
        return TrainingState(parameters, optimizer), None

    def group(state: TrainingState, now: Any) -> tuple[TrainingState, None]:
        rows, numbers, rates = now
        batches = jax.vmap(given)(rows, numbers)
        parts = table.values[rows], batches.observed
        values, observed = (part.reshape(rows.size, -1) for part in parts)
        base = prior_mean(member, scale, values, observed, n_search)
        return jax.lax.scan(step, state, (batches, base.reshape(*rows.shape, -1), rates))

    end: TrainingState = jax.lax.scan(group, state, (batches, steps, rates))[0]
    return end


def entry_weights(judged: jax.Array, is_target: Bools, row_weight: jax.Array) -> jax.Array:
    """Weights of judged entries in the loss: one in all for features, and one for targets."""
    n_features = jnp.maximum(jnp.sum(judged & ~is_target), 1)
    n_targets = jnp.maximum(jnp.sum(judged & is_target), 1)
    each = jnp.where(is_target, 1.0 / n_targets, 1.0 / n_features)
    return jnp.where(judged, each, 0.0) * row_weight[:, None]


class Trainer:
    """Trains the members of one problem, each in the thread that calls `train`."""

    def __init__(
        self, problem: Problem, held_out: list[HeldOut], ensemble: Ensemble, progress: Progress,
        *, indicator: bool,
    ) -> None:  # fmt: skip
        self.problem, self.held_out, config = problem, held_out, problem.config
        self.ensemble, self.progress = ensemble, progress
        missing = ~problem.encoded.observed & ~problem.target_units
        parts = problem.encoded.values, missing if indicator else missing[:, :0], problem.row_weight
        values, missing_, weight = (jnp.asarray(part.astype(np.float32)) for part in parts)
        others = missing_, weight, config.keep_features, problem.seed
        self.tables = [Table(values, jnp.asarray(held.training), *others) for held in held_out]
        # Steps between two checks are taken in groups.
        self.n_checks = max(1, round(config.n_steps / _STEPS_BETWEEN_CHECKS))
        n_steps = self.n_checks * _STEPS_BETWEEN_CHECKS
        shape = (self.n_checks, -1, _STEPS_OF_GROUP)
        batches = shuffled_batches(len(problem.observed), n_steps, config.batch_size, problem.seed)
        rates = config.learning_rate * learning_rates(n_steps)
        self.batches = batches.reshape(*shape, config.batch_size)
        self.steps, self.rates = np.arange(n_steps).reshape(shape), rates.reshape(shape)
        self._compiled = threading.Event()
        self._n_done = [0] * len(held_out)

    def train(self, fold: int, prior: GaussianPrior) -> Member:
        """Train the member of a fold; the first one compiles the program for all."""
        if fold:
            self._compiled.wait()
        problem, config, table = self.problem, self.problem.config, self.tables[fold]
        units, scale, n_indicators = problem.units, problem.scale, table.missing.shape[1]
        state = initial_state(problem.seed + fold, units, scale, config.n_hidden, n_indicators)
        member = Member(state.parameters, prior)
        early_stop = EarlyStop(problem, self.held_out[fold], self.ensemble)
        try:
            for number in range(self.n_checks):
                state = run_steps(
                    state, member, scale, table,
                    self.batches[number], self.steps[number], self.rates[number],
                    units=units, is_target=tuple(problem.is_target.tolist()),
                    n_search=config.n_search,
                )  # fmt: skip
                self._compiled.set()
                self._n_done[fold] += 1
                self.progress("members", sum(self._n_done), len(self.tables) * self.n_checks)
                ends = early_stop.update(member._replace(parameters=state.parameters))
                if ends or self.progress.is_over:
                    break
        finally:
            self._compiled.set()
        return early_stop.kept


class EarlyStop:
    """Ends training once validation losses, of targets if there are any, are clearly worse.

    The last member is kept, since its learning rate is the smallest, unless that was worse than the
    best one by more than two standard errors of the difference, at several checks in a row.
    """

    def __init__(self, problem: Problem, held: HeldOut, ensemble: Ensemble) -> None:
        entries = held.entries & problem.is_target
        if not entries.any():
            entries = held.entries
        asked = np.flatnonzero(entries.any(axis=1))
        asked = asked[:: max(1, -(-len(asked) // _MOST_CHECKED_ROWS))]
        rows, self.entries = held.rows[asked], entries[asked]
        seen = problem.units.by_unit(held.training[rows])
        self.rows, self.ensemble = Encoded(problem.encoded.values[rows], seen), ensemble
        self.patience, self.n_worse = problem.config.patience, 0
        self.best: Floats | None = None

    def update(self, member: Member) -> bool:
        """Judge a member; True if training ends."""
        losses = self._losses(member)
        if self.best is None or losses.sum() < self.best.sum():
            self.best, self.best_member = losses, member
        excess = losses - self.best
        error = excess.std() / len(excess) ** 0.5
        self.n_worse = self.n_worse + 1 if excess.mean() > _STANDARD_ERRORS * error > 0.0 else 0
        ends = self.n_worse >= self.patience
        self.kept = self.best_member if ends else member
        return ends

    def _losses(self, member: Member) -> Floats:
        if not len(self.entries):
            return np.zeros(1)
        mean, truth = self.ensemble.of_member(self.rows, member).mean, self.rows.values
        # Stacking will pull predictions that are too confident to others: here, to marginals.
        marginals = self.ensemble.schema.marginals
        pulled = [
            entry_losses(self.ensemble.units, share * mean + (1 - share) * marginals, truth)
            for share in _SHARES
        ]
        return min((losses[self.entries] for losses in pulled), key=np.mean)


def entry_losses(units: Units, mean: Rows, truth: Rows) -> Floats:
    """Squared error of numbers and log-loss of other entries, of shape (n_rows, n_entries)."""
    numbers = slice(0, units.layer.n_gaussian)
    binary = slice(numbers.stop, units.n_single)
    proba = np.clip(mean.astype(np.float64), 1e-4, 1 - 1e-4)
    of_units = -truth * np.log(proba)
    of_units[:, binary] -= (1 - truth[:, binary]) * np.log(1 - proba[:, binary])
    of_units[:, numbers] = (mean[:, numbers] - truth[:, numbers]) ** 2
    return np.asarray(np.add.reduceat(of_units, units.first_units, axis=1))


def learning_rates(n_steps: int) -> Rows:
    """Factors of the learning rate: they rise in the first steps and fall as a cosine."""
    share = (np.arange(n_steps) + 0.5) / n_steps
    falling = 0.5 * (1.0 + np.cos(np.pi * share))
    return np.asarray(np.minimum(1.0, share / _WARM_UP) * falling, np.float32)


def shuffled_batches(n_rows: int, n_steps: int, batch_size: int, seed: int) -> NDArray[np.int32]:
    """Rows of each minibatch, of shape (n_steps, batch_size): all rows in random order, again."""
    random = np.random.default_rng([seed, 4])
    n_drawn = n_steps * batch_size
    passes = [random.permutation(n_rows) for _ in range(-(-n_drawn // n_rows))]
    return np.concatenate(passes)[:n_drawn].reshape(n_steps, -1).astype(np.int32)
