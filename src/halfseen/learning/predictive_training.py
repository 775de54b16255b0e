"""Predictive training: hide again what is observed, sweep, and descend the loss on what was hidden.

After the multi-prediction training of Goodfellow et al. (2013), "Multi-prediction deep Boltzmann
machines", for one hidden layer and rows with holes. All members of an ensemble are trained at once;
each has its own prior, its own entries put aside, and its own rates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TrainingInterrupted
from halfseen.learning.clipped_adam import Moments, Pace, clipped_adam, first_moments, paces
from halfseen.learning.packed_parameters import Packed, packed, unpacked
from halfseen.learning.predictive_loss import predictive_loss_slope
from halfseen.learning.predictive_member import (
    Member,
    PredictiveShape,
    Standard,
    swept,
)
from halfseen.learning.rehidden_rows import RehiddenRows, rehidden_rows
from halfseen.learning.replicas import (
    groups_of,
    machines_in,
    over_replicas,
    side_by_side,
)
from halfseen.learning.shared_out_units import gradient_of_parts, in_order, orders_of_units
from halfseen.learning.shuffled_rows import shuffled_rows
from halfseen.learning.table_source import Table, TableSource, parts_of_steps
from halfseen.machine.compilation_cache import QUICKLY_COMPILED
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide, sweep_gradient
from halfseen.machine.random_bits import keys_of_steps

_WARM_UP = 0.05
_LAST_RATE = 0.01
_WEIGHT_SCALE = 0.05
_GIVEN_AT_ONCE, _FEWEST_AT_ONCE = 5, 2
_FEW_ROWS, _FEW_UNITS = 128, 1500


class PredictiveState(NamedTuple):
    """What changes from step to step; every leaf has a leading axis of members."""

    parameters: PredictiveParameters
    moments: Moments  # of packed parameters


class Round(NamedTuple):
    """What a round of training has led to."""

    state: PredictiveState
    n_taken: int  # steps, those of earlier rounds among them
    is_whole: bool  # nobody has ended it


class _Carried(NamedTuple):
    """A state as it lies on the device."""

    learned: Packed
    moments: Moments
    start_bias: Wide


class _Steps(NamedTuple):
    """What steps are given, some at a time, and how many times."""

    rows: Any  # (n_times, n_at_once, batch_size) int32, places in a table
    keys: Any  # (n_times, n_at_once, 3) uint32
    pace: Any  # (n_times, n_at_once, 3), the numbers of a Pace
    order: Any  # (n_times, n_hidden) int32, in which hidden units are shared out; or of none
    n_times: Any  # scalar


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
    return PredictiveState(parameters, first_moments(packed(parameters)))


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
    groups = groups_of(len(members.fold))
    # Packed and cut in NumPy, as all that is done but once: of JAX each would be compiled.
    members, carried = jax.device_get(members), _carried(state)
    states: list[_Carried] = jax.device_put([machines_in(group, carried) for group in groups])
    companies: list[Member] = jax.device_put([machines_in(group, members) for group in groups])
    n_taken, is_ended = steps.start, False

    try:
        for n_before, some, rows in parts_of_steps(table, in_steps):
            first = steps.start + n_before
            progress = n_before / len(steps)
            now = jax.device_put(_steps(shape, rows, first, progress, len(steps), seed))

            def taken(place: int, some: Table = some, now: _Steps = now) -> NDArray[np.float32]:
                states[place], errors = _some_steps(
                    shape, standard, companies[place], states[place], some, now
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
    return Round(PredictiveState(learned, whole.moments), n_taken, not is_ended)


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
        _steps(shape, rows, 0, 0.0, n_at_once, 0),
    ).compile()


def given_at_once(batch_size: int, n_visible: int) -> int:
    """Steps whose rows are hidden again together.

    Fewer where a step is large: it takes no longer for being alone, and of a table that is read as
    it goes as few as two steps may be read at a time. The same for every way to hold a table, since
    other numbers are rounded otherwise.

    Examples
    --------
    >>> given_at_once(64, 300), given_at_once(64, 10_000)
    (5, 2)
    """
    is_small = batch_size <= _FEW_ROWS and n_visible <= _FEW_UNITS
    return _GIVEN_AT_ONCE if is_small else _FEWEST_AT_ONCE


def _carried(state: PredictiveState) -> _Carried:
    parameters, moments = jax.device_get(state)
    return _Carried(packed(parameters), moments, parameters.start_bias)


def _steps(
    shape: PredictiveShape,
    rows: NDArray[np.int32],
    first: int,
    progress: float,
    n_steps: int,
    seed: int,
) -> _Steps:
    """Steps before which ``first`` were taken, and this share of a round of ``n_steps``."""
    within = progress + np.arange(len(rows)) / n_steps
    keys = keys_of_steps(seed, first + np.arange(len(rows)))
    pace = np.stack(paces(_pace(within), first), axis=1)
    most = given_at_once(shape.batch_size, shape.columns.wide.layer.n_visible)
    at_once = max(few for few in range(1, most + 1) if len(rows) % few == 0)
    parts = [leaf.reshape(-1, at_once, *leaf.shape[1:]) for leaf in (rows, keys, pace)]
    anew = first + np.arange(0, len(rows), at_once)
    order = orders_of_units(seed, anew, shape.n_hidden, shape.n_parts)
    return _Steps(parts[0], parts[1], parts[2], order, np.int32(len(anew)))


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
    now: _Steps,
) -> tuple[_Carried, jax.Array]:
    """Steps of the members of a group."""
    wide = shape.columns.wide
    n_steps = now.rows.shape[0] * now.rows.shape[1]

    def slope_and_gradient(
        member: Member, parameters: PredictiveParameters, given: RehiddenRows
    ) -> tuple[jax.Array, PredictiveParameters]:
        units, seen, counted, base, missing, kept = given
        of_hidden = kept / (1.0 - member.dropped) if shape.leaves_out else float(shape.n_parts)
        sweep = swept(shape, parameters, units, seen, base, missing, of_hidden)
        slope = predictive_loss_slope(wide, sweep.inputs, units, counted)
        return slope.units, sweep_gradient(parameters, wide, sweep, slope, base, missing)

    def steps_of(state: _Carried, member: Member) -> tuple[_Carried, jax.Array]:
        def one_step(
            carried: tuple[Packed, Moments, jax.Array], now: tuple[RehiddenRows, jax.Array]
        ) -> tuple[tuple[Packed, Moments, jax.Array], None]:
            learned, moments, error = carried
            given, pace = now[0], Pace(*now[1])
            slope, gradient = gradient_of_parts(
                partial(slope_and_gradient, member), learned, state.start_bias, given, shape.n_parts
            )
            change, moments = clipped_adam(gradient, moments, pace)
            rate = pace.rate * member.learning_rate
            learned = jax.tree.map(lambda old, by: old - rate * by, learned, change)
            kept = 1.0 - rate * member.weight_decay
            decayed = Wide(*(kept * part for part in learned.weights))
            # Steps need the slope alone, and whoever watches is content with its size.
            error += jnp.abs(slope)
            return (learned._replace(weights=decayed), moments, error), None

        def steps_at_once(
            part: jax.Array, carried: tuple[Packed, Moments, jax.Array]
        ) -> tuple[Packed, Moments, jax.Array]:
            rows, keys, pace, order = (leaf[part] for leaf in now[:4])
            given = rehidden_rows(shape, standard, member, table, rows, keys)
            learned, moments, error = carried
            dealt = [in_order(own, order) for own in (learned, *moments)]
            begun = dealt[0], Moments(*dealt[1:]), error
            return jax.lax.scan(one_step, begun, (given, pace))[0]

        # How often is not told the compiler, who would make other instructions of a single time.
        none = jnp.zeros((shape.batch_size, wide.layer.n_visible))
        learned, moments, error = jax.lax.fori_loop(
            0, now.n_times, steps_at_once, (state.learned, state.moments, none)
        )
        return _Carried(learned, moments, state.start_bias), jnp.sum(error) / n_steps

    stepped: tuple[_Carried, jax.Array] = over_replicas(steps_of, state, members)
    return stepped


def _pace(progress: NDArray[np.float64]) -> NDArray[np.float32]:
    """Factor of the learning rate: it rises within the first steps and falls as a cosine."""
    warm = np.minimum(1.0, (progress + 1e-3) / _WARM_UP)
    wave = 0.5 * (1.0 + np.cos(np.pi * progress))
    pace: NDArray[np.float32] = (warm * (_LAST_RATE + (1 - _LAST_RATE) * wave)).astype(np.float32)
    return pace
