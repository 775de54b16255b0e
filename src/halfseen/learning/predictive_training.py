"""Predictive training: hide again what is observed, sweep, and descend the loss on what was hidden.

After the multi-prediction training of Goodfellow et al. (2013), "Multi-prediction deep Boltzmann
machines", for one hidden layer and rows with holes. All members of an ensemble are trained at once;
each has its own prior, its own entries put aside, and its own rates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from halfseen.learning.optimiser import first_states
from halfseen.learning.packed_parameters import Packed, packed, unpacked
from halfseen.learning.predictive_loss import predictive_loss_slope
from halfseen.learning.predictive_member import (
    Member,
    PredictiveShape,
    Standard,
    member_sweep,
    missing_features,
)
from halfseen.learning.rehiding import hidden_again, numbers_of_row
from halfseen.learning.replicas import (
    groups_of,
    machines_in,
    over_replicas,
    side_by_side,
)
from halfseen.learning.shuffled_rows import shuffled_rows
from halfseen.learning.table_source import STEPS_AT_ONCE, Table, TableSource, parts_of_steps
from halfseen.learning.trainer import TrainingInterrupted
from halfseen.machine.compilation_cache import QUICKLY_COMPILED
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide, sweep_gradient
from halfseen.machine.random_bits import training_key

_WARM_UP = 0.05
_LAST_RATE = 0.01
_WEIGHT_SCALE = 0.05
_CLIP_NORM = 5.0
# Short memories: thousands of steps at most, of which the gradients soon differ from the first.
_ADAM = optax.chain(optax.clip_by_global_norm(_CLIP_NORM), optax.scale_by_adam(b1=0.8, b2=0.95))


class PredictiveState(NamedTuple):
    """What changes from step to step; every leaf has a leading axis of members."""

    parameters: PredictiveParameters
    optimiser_state: optax.OptState  # of packed parameters


class Round(NamedTuple):
    """What a round of training has led to."""

    state: PredictiveState
    n_taken: int  # steps, those of earlier rounds among them
    is_whole: bool  # nobody has ended it


class _Carried(NamedTuple):
    """A state as it lies on the device."""

    learned: Packed
    optimiser_state: optax.OptState
    start_bias: Wide


def first_state(
    shape: PredictiveShape,
    standard: Standard,
    first_bias: NDArray[np.float32],
    seeds: Sequence[int],
) -> PredictiveState:
    """Small random weights; without hidden units the machine answers with prior and marginals."""
    wide = shape.columns.wide
    slope = np.ones(wide.layer.n_visible, np.float32)
    slope[columns_without_slope(shape)] = 0.0
    gain = np.concatenate([slope, np.asarray(standard.knots).reshape(-1)])

    size = (len(seeds), wide.n_units, shape.n_hidden)
    noise = np.empty(size, np.float32)
    for member, seed in enumerate(seeds):
        noise[member] = np.random.default_rng([seed, 5]).standard_normal(size[1:], np.float32)

    def of_all(values: NDArray[np.float32]) -> Wide:
        return wide.apart(np.tile(values, (len(seeds), 1)))

    parameters = PredictiveParameters(
        weights=wide.apart(np.float32(_WEIGHT_SCALE) * noise, axis=1),
        visible_bias=of_all(first_bias),
        hidden_bias=np.zeros((len(seeds), shape.n_hidden), np.float32),
        gain=of_all(gain),
        start_bias=of_all(first_bias),
        missing_weights=(
            np.zeros((len(seeds), wide.layer.n_visible, shape.n_hidden), np.float32)
            if shape.sees_missing
            else None
        ),
    )
    return PredictiveState(parameters, first_states(_ADAM.init, packed(parameters)))


def columns_without_slope(shape: PredictiveShape) -> NDArray[np.bool_]:
    """Units for which the prior's expectation begins without a say."""
    wide = shape.columns.wide
    begins = np.zeros(wide.layer.n_visible, bool)
    begins[wide.layer.n_gaussian :] = True
    return begins & ~shape.columns.is_target_unit


def train_predictively(
    shape: PredictiveShape,
    standard: Standard,
    members: Member,
    state: PredictiveState,
    table: TableSource,
    n_rows: int,
    steps: range,
    seed: int,
    after: Callable[[int, NDArray[np.float32]], bool],
) -> Round:
    """Take a round of steps of Adam, of all members at once.

    All members see the same rows in the same order with the same columns hidden again, and none
    depends on its companions. The rate rises within the first steps and falls as a cosine. Ctrl-C
    ends training where it stands, with a warning.

    Parameters
    ----------
    shape : PredictiveShape
        What is compiled.
    standard : Standard
        Standard units and knots.
    members : Member
        Priors, folds and rates.
    state : PredictiveState
        Where to start, from :func:`first_state`.
    table : Table or ReadTable
        The rows, perhaps followed by padding; what a fold may not learn from is not read by it.
    n_rows : int
        Rows of the table before its padding.
    steps : range
        The numbers of the steps, from a multiple of fifty on: zero, or as many as earlier rounds
        have taken.
    seed : int
        Seed of the order of rows, of what is hidden again and of what is left out.
    after : callable
        Told the number of steps taken and every member's mean error, now and then; True ends it.
        The error is the mean distance from the truth of hidden features, twice that of numbers,
        and in addition the weighted mean distance of hidden labels.

    Returns
    -------
    Round
        After the last step.
    """
    generator = np.random.default_rng([seed, 4])
    order = _order(generator, n_rows, steps.stop * shape.batch_size)
    in_steps = order.reshape(steps.stop, shape.batch_size)[steps.start :]
    key = training_key(seed)
    groups = groups_of(len(members.fold))
    # Packed and cut in NumPy, as all that is done but once: of JAX each would be compiled.
    members, carried = jax.device_get(members), _carried(state)
    states: list[_Carried] = jax.device_put([machines_in(group, carried) for group in groups])
    companies: list[Member] = jax.device_put([machines_in(group, members) for group in groups])
    n_taken, is_ended = steps.start, False

    try:
        for n_before, some, rows in parts_of_steps(table, in_steps):
            first = steps.start + n_before
            progress = (n_before + np.arange(len(rows), dtype=np.float32)) / len(steps)
            now = jax.device_put((rows, progress, np.uint32(first)))

            def taken(
                place: int,
                some: Table = some,
                now: tuple[jax.Array, jax.Array, jax.Array] = now,
            ) -> NDArray[np.float32]:
                states[place], errors = _some_steps(
                    shape, standard, companies[place], states[place], some, *now, key
                )
                return np.asarray(errors)

            program = (shape, some.visible.shape, some.training.shape, len(rows))
            errors = side_by_side(taken, range(len(groups)), program)
            n_taken = first + len(rows)
            is_ended = after(n_taken, np.concatenate(errors))
            if is_ended:
                break
    except KeyboardInterrupt:
        # What was under way must end before the interpreter may, or JAX crashes on exit.
        jax.block_until_ready(jax.live_arrays())  # type: ignore[no-untyped-call]
        if any(state.learned.vectors.is_deleted() for state in states):
            raise  # between two states, one given up and the other not yet taken
        is_ended = True
        warnings.warn(
            "predictive training interrupted; the model keeps what it has learned so far",
            TrainingInterrupted,
            stacklevel=2,
        )
    whole: _Carried = jax.tree.map(
        lambda *of_groups: np.concatenate(of_groups), *jax.device_get(states)
    )
    learned = unpacked(whole.learned, whole.start_bias)
    return Round(PredictiveState(learned, whole.optimiser_state), n_taken, not is_ended)


def compile_training(
    shape: PredictiveShape,
    standard: Standard,
    members: Member,
    state: PredictiveState,
    table: TableSource,
    n_steps: int,
) -> None:
    """Compile what :func:`train_predictively` of the same shapes will run; values are not read.

    The compiler leaves Python to others: this may be done beside the fitting of the priors.
    """
    group = groups_of(len(members.fold))[0]
    n_at_once = min(table.steps_at_once(shape.batch_size), n_steps)
    rows = np.zeros((n_at_once, shape.batch_size), np.int32)
    _some_steps.lower(
        shape,
        standard,
        machines_in(group, jax.device_get(members)),
        machines_in(group, _carried(state)),
        table.like_steps(rows.size),
        rows,
        np.zeros(n_at_once, np.float32),
        np.uint32(0),
        training_key(0),
    ).compile()


def _carried(state: PredictiveState) -> _Carried:
    parameters, optimiser_state = jax.device_get(state)
    return _Carried(packed(parameters), optimiser_state, parameters.start_bias)


def _order(generator: np.random.Generator, n_rows: int, n_drawn: int) -> NDArray[np.int32]:
    """Every row once, in random order, and again."""
    n_passes = -(-n_drawn // n_rows)
    passes = [shuffled_rows(generator, n_rows) for _ in range(n_passes)]
    return np.concatenate(passes)[:n_drawn]


@partial(
    jax.jit, static_argnames="shape", donate_argnames="state", compiler_options=QUICKLY_COMPILED
)
def _some_steps(
    shape: PredictiveShape,
    standard: Standard,
    members: Member,
    state: _Carried,
    table: Table,
    rows: jax.Array,
    progress: jax.Array,
    first: jax.Array,
    key: jax.Array,
) -> tuple[_Carried, jax.Array]:
    """Steps of the members of a group; ``first`` of them have been taken before."""
    columns = shape.columns

    def error_and_gradient(
        parameters: PredictiveParameters, member: Member, batch: jax.Array, key: jax.Array
    ) -> tuple[jax.Array, PredictiveParameters]:
        visible, known = table.visible[batch], table.training[member.fold, batch]
        numbers = jax.random.uniform(
            key,
            (len(batch), numbers_of_row(columns.n_features, columns.n_targets) + shape.n_hidden),
        )
        # Drawn once, not again for what is shown and for what is judged.
        numbers = jax.lax.optimization_barrier(numbers)  # type: ignore[no-untyped-call]
        labelled = jnp.any(known & columns.is_target_unit, axis=1, keepdims=True)
        hidden = columns.by_unit(
            hidden_again(
                numbers[:, shape.n_hidden :],
                columns.n_features,
                columns.n_targets,
                member.most_hidden,
                member.as_they_are * labelled,
            )
        )
        kept = numbers[:, : shape.n_hidden] >= member.dropped

        units = columns.wide.widened(visible, standard.knots)
        sweep, base = member_sweep(
            shape,
            standard,
            member,
            parameters,
            units,
            known & ~hidden,
            known,
            kept / (1.0 - member.dropped),
        )
        slope = predictive_loss_slope(
            columns, sweep.inputs, units, known & hidden, member.label_weight
        )
        missing = missing_features(shape, known)
        gradient = sweep_gradient(parameters, columns.wide, sweep, slope, base, missing)
        # Steps need the slope alone, and whoever watches is content with its size.
        return jnp.sum(jnp.abs(slope.units)), gradient

    def steps_of(state: _Carried, member: Member) -> tuple[_Carried, jax.Array]:
        def one_step(
            carried: tuple[Packed, optax.OptState],
            now: tuple[jax.Array, jax.Array, jax.Array],
        ) -> tuple[tuple[Packed, optax.OptState], jax.Array]:
            learned, optimiser_state = carried
            batch, at, step_key = now
            parameters = unpacked(learned, state.start_bias)
            error, gradient = error_and_gradient(parameters, member, batch, step_key)
            change, optimiser_state = _ADAM.update(packed(gradient), optimiser_state)
            rate = _pace(at) * member.learning_rate
            learned = jax.tree.map(lambda old, by: old - rate * by, learned, change)
            kept = 1.0 - rate * member.weight_decay
            decayed = Wide(*(kept * part for part in learned.weights))
            return (learned._replace(weights=decayed), optimiser_state), error

        before = first % STEPS_AT_ONCE  # where fewer steps are taken at once
        keys = jax.random.split(jax.random.fold_in(key, first - before), STEPS_AT_ONCE)
        if len(rows) < STEPS_AT_ONCE:
            keys = jax.lax.dynamic_slice_in_dim(keys, before, len(rows))
        (learned, optimiser_state), errors = jax.lax.scan(
            one_step, (state.learned, state.optimiser_state), (rows, progress, keys)
        )
        return _Carried(learned, optimiser_state, state.start_bias), jnp.mean(errors)

    stepped: tuple[_Carried, jax.Array] = over_replicas(steps_of, state, members)
    return stepped


def _pace(progress: jax.Array) -> jax.Array:
    """Factor of the learning rate: it rises within the first steps and falls as a cosine."""
    warm = jnp.minimum(1.0, (progress + 1e-3) / _WARM_UP)
    wave = 0.5 * (1.0 + jnp.cos(jnp.pi * progress))
    return warm * (_LAST_RATE + (1 - _LAST_RATE) * wave)
