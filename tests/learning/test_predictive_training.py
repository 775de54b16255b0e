"""Predictive training of a toy table: what is learned, what is repeated, what is never read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from compilations import counted_compilations
from halfseen import TrainingInterrupted
from halfseen.learning import predictive_training
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.learning.predictive_member import (
    Member,
    PredictiveShape,
    Standard,
    member_sweep,
    prior_base,
)
from halfseen.learning.predictive_training import (
    PredictiveState,
    columns_without_slope,
    compile_training,
    first_state,
    train_predictively,
)
from halfseen.learning.table_source import STEPS_AT_ONCE, ReadTable, Table, TableSource
from halfseen.machine.correlated_prior import CorrelatedPrior
from halfseen.machine.predictive_sweeps import PredictiveLayer
from learning.small import (
    COLUMN_OF_UNIT,
    IS_TARGET_UNIT,
    LAYER,
    MARGINALS,
    N_ROWS,
    are_same_bits,
    assert_finite,
    assert_same_bits,
    small_table,
)

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

N_KNOTS, N_HIDDEN, N_VISIBLE = 3, 6, 7
SHAPE = PredictiveShape(
    PredictiveColumns(PredictiveLayer(LAYER, N_KNOTS), tuple(COLUMN_OF_UNIT.tolist()), 4, 1),
    n_hidden=N_HIDDEN,
    n_sweeps=2,
    n_search_steps=N_VISIBLE,
    batch_size=16,
)
KNOTS = np.array([[-1.2, 0.0, 1.2], [-0.8, 0.1, 1.3]], np.float32)
STANDARD = Standard(
    jnp.array(MARGINALS, jnp.float32), jnp.array([1, 1, 0.5, 0.5, 0.47, 0.47, 0.47]), KNOTS
)
# Each half of a minibatch has half of the hidden units.
HALVED = replace(SHAPE, leaves_out=False, n_parts=2)
FIRST_BIAS = np.linspace(-0.5, 0.5, N_VISIBLE + 2 * N_KNOTS, dtype=np.float32)
SEEDS = (11, 12)


def some_covariance() -> Floats:
    root = np.random.default_rng(8).normal(size=(N_VISIBLE, N_VISIBLE))
    covariance = root @ root.T / N_VISIBLE + 0.4 * np.eye(N_VISIBLE)
    return covariance.astype(np.float32)


# A careful member whose prior says nothing of the class, and a bold one whose prior does.
MEMBERS = Member(
    prior=CorrelatedPrior(
        jnp.array([[0.1] * N_VISIBLE, [0.0] * N_VISIBLE]), jnp.stack([some_covariance()] * 2)
    ),
    prior_sees_labels=jnp.array([False, True]),
    fold=jnp.array([0, 1]),
    learning_rate=jnp.array([3e-3, 1e-2]),
    weight_decay=jnp.array([1e-2, 0.0]),
    most_hidden=jnp.array([0.9, 0.6]),
    as_they_are=jnp.array([0.5, 0.0]),
    label_weight=jnp.array([1.0, 2.0]),
    dropped=jnp.array([0.5, 0.0]),
)


def put_aside() -> Bools:
    """Entries that the first fold may not learn from and the second may."""
    _, observed = small_table()
    drawn = np.random.default_rng(9).random((N_ROWS, 5)) < 0.2
    return observed & drawn[:, COLUMN_OF_UNIT]


def small_folds(behind: float = 0.0, behind_aside: float | None = None) -> Table:
    """Two folds; ``behind`` stands in the holes, ``behind_aside`` over what the first put aside."""
    visible, observed = small_table()
    visible = np.where(observed, visible, np.float32(behind))
    if behind_aside is not None:
        visible[put_aside()] = behind_aside
    return Table(jnp.asarray(visible), jnp.asarray(np.stack([observed & ~put_aside(), observed])))


def read_table_of(table: Table, n_rows: int = 10**6) -> ReadTable:
    """The same rows, read; of so many that it reads the rows of this many steps at once."""
    visible, training = np.asarray(table.visible), np.asarray(table.training)
    n_folds, _, n_visible = training.shape
    return ReadTable(lambda rows: (visible[rows], training[:, rows]), n_folds, n_rows, n_visible)


def trained(
    table: TableSource,
    n_steps: int = STEPS_AT_ONCE,
    seed: int = 5,
    members: Member = MEMBERS,
    seeds: Sequence[int] = SEEDS,
    shape: PredictiveShape = SHAPE,
) -> tuple[PredictiveState, list[tuple[int, Floats]]]:
    told: list[tuple[int, Floats]] = []

    def after(step: int, losses: Floats) -> bool:
        told.append((step, losses))
        return False

    state = first_state(shape, STANDARD, FIRST_BIAS, seeds)
    state = train_predictively(
        shape, STANDARD, members, state, table, N_ROWS, range(n_steps), seed, after
    ).state
    return jax.device_get(state), told


def of_member(tree: Any, member: int) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[member], tree)


@pytest.mark.parametrize("shape", [SHAPE, HALVED])
def test_the_error_goes_down(shape: PredictiveShape) -> None:
    _, told = trained(small_folds(), n_steps=8 * STEPS_AT_ONCE, shape=shape)
    assert [step for step, _ in told] == list(range(50, 401, 50))
    errors = np.array([errors for _, errors in told])
    assert errors.shape == (8, 2)
    # Of the careful member nine features of ten are hidden, and half of the hidden units left out;
    # of halves the bold one leaves out as many.
    assert np.all(errors[-2:].mean(axis=0) < [0.98, 0.6 if shape is SHAPE else 0.9] * errors[0])


@pytest.mark.parametrize("shape", [SHAPE, HALVED])
def test_one_seed_gives_the_same_bits_and_another_does_not(shape: PredictiveShape) -> None:
    state, told = trained(small_folds(), shape=shape)
    assert_finite(state)
    again, told_again = trained(small_folds(), shape=shape)
    assert_same_bits(again, state)
    assert_same_bits(told_again, told)
    other, _ = trained(small_folds(), seed=6, shape=shape)
    assert not are_same_bits(other.parameters, state.parameters)


@pytest.mark.parametrize("behind", [np.nan, 1e20])
def test_nothing_behind_a_hole_is_read(behind: float) -> None:
    before, _ = trained(small_folds())
    assert_finite(before)
    assert_same_bits(trained(small_folds(behind))[0], before)


@pytest.mark.parametrize("behind", [np.nan, 1e20])
def test_what_a_fold_puts_aside_is_not_read_by_it(behind: float) -> None:
    before, _ = trained(small_folds())
    assert_finite(before)
    after, _ = trained(small_folds(behind_aside=behind))
    assert_same_bits(of_member(after, 0), of_member(before, 0))
    assert not are_same_bits(of_member(after, 1), of_member(before, 1))


def test_a_member_does_not_know_of_its_companions() -> None:
    together, told = trained(small_folds())
    for member in (0, 1):
        only = jax.tree.map(lambda leaf, member=member: leaf[member : member + 1], MEMBERS)
        alone, told_alone = trained(small_folds(), members=only, seeds=SEEDS[member : member + 1])
        of_both = zip(
            jax.tree.leaves(alone.parameters), jax.tree.leaves(together.parameters), strict=True
        )
        for one, other in of_both:
            np.testing.assert_allclose(one[0], other[member], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(told_alone[0][1][0], told[0][1][member], rtol=1e-4)


def test_steps_pass_over_the_rows_and_need_not_be_a_multiple_of_those_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows: list[NDArray[np.int32]] = []
    paces: list[Floats] = []

    def recorded(*arguments: Any) -> tuple[PredictiveState, Floats]:
        rows.append(np.concatenate(arguments[5].rows))
        paces.append(np.concatenate(arguments[5].pace)[:, 0])
        return arguments[3], np.zeros(1, np.float32)

    monkeypatch.setattr(predictive_training, "_some_steps", recorded)
    n_steps = STEPS_AT_ONCE + 3
    _, told = trained(small_folds(), n_steps)
    assert [step for step, _ in told] == [STEPS_AT_ONCE, n_steps]
    # Both members take the same steps, one after the other or at the same time.
    np.testing.assert_array_equal(rows[0], rows[1])
    rows, paces = rows[::2], paces[::2]
    assert [part.shape for part in rows] == [(STEPS_AT_ONCE, 16), (3, 16)]
    pace = np.concatenate(paces)
    # It rises within the first twentieth and falls as a cosine, to a hundredth.
    np.testing.assert_allclose(pace, predictive_training._pace(np.arange(n_steps) / n_steps))
    assert pace[0] < 0.05 < 0.9 < pace[3]
    assert np.all(np.diff(pace[3:]) < 0)
    assert pace[-1] < 0.02
    drawn = np.concatenate(rows).ravel()
    for first in range(0, len(drawn) - N_ROWS, N_ROWS):
        np.testing.assert_array_equal(np.sort(drawn[first : first + N_ROWS]), np.arange(N_ROWS))
    assert np.any(drawn[:N_ROWS] != drawn[N_ROWS : 2 * N_ROWS])


def test_it_ends_when_told_to() -> None:
    told = []

    def after(step: int, losses: Floats) -> bool:
        told.append(step)
        return step >= 2 * STEPS_AT_ONCE

    state = first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS)
    steps = range(8 * STEPS_AT_ONCE)
    ended = train_predictively(
        SHAPE, STANDARD, MEMBERS, state, small_folds(), N_ROWS, steps, 5, after
    )
    assert told == [STEPS_AT_ONCE, 2 * STEPS_AT_ONCE]
    assert ended.n_taken == told[-1]
    assert not ended.is_whole


def test_whoever_ends_it_with_the_last_step_has_ended_it() -> None:
    state = first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS)
    steps = range(2 * STEPS_AT_ONCE)
    ended = train_predictively(
        SHAPE,
        STANDARD,
        MEMBERS,
        state,
        small_folds(),
        N_ROWS,
        steps,
        5,
        lambda step, _: step == steps.stop,
    )
    assert ended.n_taken == steps.stop
    assert not ended.is_whole


def in_rounds(
    table: TableSource, *rounds: range
) -> tuple[PredictiveState, list[int], list[Floats]]:
    state = first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS)
    ends, all_errors = [], []

    def after(step: int, errors: Floats) -> bool:
        ends.append(step)
        all_errors.append(errors)
        return False

    for steps in rounds:
        state, n_taken, is_whole = train_predictively(
            SHAPE, STANDARD, MEMBERS, state, table, N_ROWS, steps, 5, after
        )
        assert (n_taken, is_whole) == (steps.stop, True)
    return jax.device_get(state), ends, all_errors


def test_a_later_round_goes_on_from_where_it_was() -> None:
    first, second = range(2 * STEPS_AT_ONCE), range(2 * STEPS_AT_ONCE, 6 * STEPS_AT_ONCE)
    held, ends, errors = in_rounds(small_folds(), first, second)
    read, *_ = in_rounds(read_table_of(small_folds()), first, second)
    assert_same_bits(read, held)
    assert ends == [STEPS_AT_ONCE * part for part in range(1, 7)]
    assert np.mean(errors[-1]) < np.mean(errors[1])


def test_a_later_round_has_a_rate_of_its_own_and_other_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = []
    compiled = predictive_training._some_steps

    def watched(*arguments: Any) -> Any:
        rows, keys, pace, _, _ = arguments[5]
        given.append((np.asarray(keys)[0, 0, 1], np.concatenate(pace)[:, 0], np.asarray(rows)))
        return compiled(*arguments)

    monkeypatch.setattr(predictive_training, "_some_steps", watched)
    monkeypatch.setattr(predictive_training, "groups_of", lambda n: [slice(0, n)])
    in_rounds(small_folds(), range(STEPS_AT_ONCE), range(STEPS_AT_ONCE, 3 * STEPS_AT_ONCE))
    firsts, paces, rows = zip(*given, strict=True)
    # By the number of the step its random numbers are drawn.
    assert firsts == (0, STEPS_AT_ONCE, 2 * STEPS_AT_ONCE)
    right = predictive_training._pace(np.array([0.0, 0.0, 0.5, 1 - 1 / STEPS_AT_ONCE]))
    np.testing.assert_allclose([*(part[0] for part in paces), paces[0][-1]], right)
    assert not np.array_equal(rows[0], rows[1])


def test_rows_beyond_the_last_are_padding() -> None:
    table = small_folds()
    before, _ = trained(table)
    # The first rows of the table, taken for all of it: what follows them has no say.
    n_rows = N_ROWS - 20
    wrong = table._replace(visible=table.visible.at[n_rows:].set(3.0))
    states = [first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS) for _ in range(2)]
    one, other = (
        train_predictively(
            SHAPE,
            STANDARD,
            MEMBERS,
            state,
            own,
            n_rows,
            range(STEPS_AT_ONCE),
            5,
            lambda *_: False,
        ).state
        for state, own in zip(states, (table, wrong), strict=True)
    )
    assert_same_bits(other, one)
    assert not are_same_bits(one.parameters, before.parameters)


def test_a_first_state_has_the_bias_and_gain_of_prior_and_marginals() -> None:
    parameters = jax.device_get(first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS))[0]
    # Numbers and the class follow the prior; yes/no features do not, and knots do by their place.
    gain = [1, 1, 0, 0, 1, 1, 1, *KNOTS.ravel()]
    np.testing.assert_array_equal(np.flatnonzero(columns_without_slope(SHAPE)), [2, 3])
    for member in (0, 1):
        joined = np.concatenate(parameters.gain, axis=1)
        np.testing.assert_allclose(joined[member], gain, rtol=1e-6)
        biases = np.concatenate(parameters.visible_bias, axis=1)
        np.testing.assert_array_equal(biases[member], FIRST_BIAS)
        starts = np.concatenate(parameters.start_bias, axis=1)
        np.testing.assert_array_equal(starts[member], FIRST_BIAS)
    np.testing.assert_array_equal(parameters.hidden_bias, np.zeros((2, N_HIDDEN)))
    weights = np.concatenate(parameters.weights, axis=1)
    assert weights.shape == (2, N_VISIBLE + 2 * N_KNOTS, N_HIDDEN)
    assert 0.03 < weights.std() < 0.07
    assert np.all(weights[0] != weights[1])


def base_by_rows(
    member: int, visible: Floats, shown: Bools, sees_labels: bool
) -> NDArray[np.float64]:
    """What the prior expects of hidden units, row by row, in float64."""
    mean = np.asarray(MEMBERS.prior.mean[member], np.float64)
    covariance = some_covariance().astype(np.float64)
    values = (visible - np.asarray(STANDARD.mean)) / np.asarray(STANDARD.scale)
    expected = np.zeros(visible.shape)
    heard = sees_labels | ~IS_TARGET_UNIT
    for row, own in enumerate(shown):
        seen, asked = own & heard, ~own & heard
        away = np.linalg.solve(covariance[np.ix_(seen, seen)], (values[row] - mean)[seen])
        expected[row, asked] = mean[asked] + covariance[np.ix_(asked, seen)] @ away
    return expected


@pytest.mark.parametrize("member", [0, 1])
def test_a_prior_that_does_not_see_labels_neither_reads_nor_says_any(member: int) -> None:
    visible, shown = small_table()
    one = jax.tree.map(lambda leaf: leaf[member], MEMBERS)
    compiled = jax.jit(prior_base, static_argnums=0)
    base = np.asarray(compiled(SHAPE, STANDARD, one, visible, shown))
    right = base_by_rows(member, visible, shown, sees_labels=member == 1)
    np.testing.assert_allclose(base, right, atol=2e-3)
    assert not np.any(base[shown])
    changed = np.where(IS_TARGET_UNIT & shown, 1 - visible, visible)
    after = np.asarray(compiled(SHAPE, STANDARD, one, changed, shown))
    assert np.array_equal(after, base) == (member == 0)


def test_without_weights_a_member_answers_with_prior_and_marginals() -> None:
    visible, shown = small_table()
    one = jax.tree.map(lambda leaf: leaf[1], MEMBERS)
    parameters = of_member(first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS)[0], 1)
    parameters = parameters._replace(weights=jax.tree.map(np.zeros_like, parameters.weights))
    compiled = jax.jit(member_sweep, static_argnums=0)
    units = SHAPE.columns.wide.widened(visible, STANDARD.knots)
    sweep, base = compiled(SHAPE, STANDARD, one, parameters, units, shown, shown)
    right = base_by_rows(1, visible, shown, sees_labels=True)
    np.testing.assert_allclose(np.asarray(base), right, atol=2e-3)
    wide = np.hstack([right, np.repeat(right[:, :2], N_KNOTS, axis=1)])
    expected = FIRST_BIAS + np.concatenate(parameters.gain) * wide
    np.testing.assert_allclose(np.concatenate(sweep.inputs, axis=1), expected, atol=5e-3)


@pytest.mark.parametrize("is_read", [False, True])
def test_what_is_compiled_ahead_is_not_compiled_again(is_read: bool) -> None:
    own = replace(SHAPE, n_hidden=7 if is_read else 5)
    table = read_table_of(small_folds()) if is_read else small_folds()
    state = first_state(own, STANDARD, FIRST_BIAS, SEEDS)
    compile_training(own, STANDARD, MEMBERS, state, table, STEPS_AT_ONCE)
    steps = range(2 * STEPS_AT_ONCE)
    with counted_compilations() as compiled:
        train_predictively(own, STANDARD, MEMBERS, state, table, N_ROWS, steps, 5, lambda *_: False)
        assert not compiled
        other = replace(SHAPE, n_hidden=8 if is_read else 4)
        state = first_state(other, STANDARD, FIRST_BIAS, SEEDS)
        train_predictively(
            other, STANDARD, MEMBERS, state, table, N_ROWS, steps, 5, lambda *_: False
        )
        assert compiled == ["jit(_some_steps)"]


@pytest.mark.parametrize("shape", [SHAPE, HALVED])
@pytest.mark.parametrize("n_rows", [10**6, 1000, 1])
def test_rows_that_are_read_as_it_goes_teach_the_same(n_rows: int, shape: PredictiveShape) -> None:
    read = read_table_of(small_folds(), n_rows)
    at_once = read.steps_at_once(SHAPE.batch_size)
    for n_steps in (STEPS_AT_ONCE + 8, 8):
        held, _ = trained(small_folds(), n_steps=n_steps, shape=shape)
        found, told = trained(read, n_steps=n_steps, shape=shape)
        assert_same_bits(found, held)
        assert [step for step, _ in told] == [
            min(first + at_once, n_steps) for first in range(0, n_steps, at_once)
        ]


def test_an_interruption_while_rows_are_read_keeps_what_was_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = predictive_training.parts_of_steps

    def interrupted(table: TableSource, in_steps: Any) -> Any:
        yield next(parts(table, in_steps))
        raise KeyboardInterrupt  # in whoever waits for the next

    expected, _ = trained(small_folds(), n_steps=3 * STEPS_AT_ONCE)
    monkeypatch.setattr(predictive_training, "parts_of_steps", interrupted)
    with pytest.warns(TrainingInterrupted, match="keeps what it has learned so far"):
        found, told = trained(read_table_of(small_folds()), n_steps=3 * STEPS_AT_ONCE)
    assert [step for step, _ in told] == [STEPS_AT_ONCE]
    assert not are_same_bits(found.parameters, expected.parameters)
    first = jax.device_get(first_state(SHAPE, STANDARD, FIRST_BIAS, SEEDS))
    assert not are_same_bits(found.parameters, first.parameters)
