"""Which entries are put aside, on tables of every shape."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.learning.held_out import MOST_JUDGED_ROWS, HeldOut, hold_out
from halfseen.tables import Encoded
from learning.small import COLUMN_OF_UNIT, IS_TARGET_UNIT, Bools, Floats, small_table


def held(visible: Floats, observed: Bools, share: float, seed: int = 0) -> HeldOut:
    return hold_out(Encoded(visible, observed), COLUMN_OF_UNIT, IS_TARGET_UNIT, share, seed)


def put_aside(held_out: HeldOut, n_rows: int) -> Bools:
    """The judging entries at their places in the whole table."""
    aside = np.zeros((n_rows, len(COLUMN_OF_UNIT)), bool)
    aside[held_out.judged_rows] = held_out.judging
    return aside


tables = st.builds(small_table, seed=st.integers(0, 10_000), n_rows=st.integers(0, 60))


@given(tables, st.floats(0, 0.9), st.integers(0, 100))
@settings(deadline=None)
def test_entries_either_train_or_judge(
    table: tuple[Floats, Bools], share: float, seed: int
) -> None:
    visible, observed = table
    held_out = held(visible, observed, share, seed)
    aside = put_aside(held_out, len(visible))
    np.testing.assert_array_equal(held_out.training(observed) | aside, observed)
    assert not np.any(held_out.training(observed) & aside)
    assert np.all(np.diff(held_out.judged_rows) > 0)


@given(tables, st.floats(0, 0.9))
@settings(deadline=None)
def test_columns_go_together_and_no_row_loses_everything(
    table: tuple[Floats, Bools], share: float
) -> None:
    visible, observed = table
    held_out = held(visible, observed, share)
    np.testing.assert_array_equal(
        held_out.training(observed)[:, 4:],
        np.repeat(held_out.training(observed)[:, 4:5], 3, axis=1),
    )
    kept = held_out.training(observed).any(axis=1)
    np.testing.assert_array_equal(kept, observed.any(axis=1))


@given(tables, st.floats(0, 0.9))
@settings(deadline=None)
def test_shares_are_rounded_down_and_known_classes_stay_known(
    table: tuple[Floats, Bools], share: float
) -> None:
    visible, observed = table
    held_out = held(visible, observed, share)
    aside = put_aside(held_out, len(visible))
    for unit in range(4):
        assert aside[:, unit].sum() <= share * observed[:, unit].sum()
    for unit in (4, 5, 6):
        known = observed[:, unit] & (visible[:, unit] == 1)
        judged = known & aside[:, unit]
        assert judged.sum() <= share * known.sum()
        assert not known.any() or (known & held_out.training(observed)[:, unit]).any()


def full_table(n_rows: int) -> tuple[Floats, Bools]:
    visible = np.zeros((n_rows, 7), np.float32)
    visible[:, :2] = np.random.default_rng(0).normal(size=(n_rows, 2))
    visible[np.arange(n_rows), 4 + np.arange(n_rows) % 3] = 1
    return visible, np.ones((n_rows, 7), bool)


def test_counts_where_nothing_is_missing() -> None:
    visible, observed = full_table(100)
    aside = put_aside(held(visible, observed, 0.25), 100)
    np.testing.assert_array_equal(aside.sum(axis=0)[:4], [25, 25, 25, 25])
    # Classes of 34, 33 and 33 rows, each rounded down.
    of_class = [aside[visible[:, unit] == 1, unit].sum() for unit in (4, 5, 6)]
    assert of_class == [8, 8, 8]


def test_a_class_of_few_rows_is_not_touched() -> None:
    visible, observed = full_table(100)
    visible[:, 4:] = [1, 0, 0]
    visible[:9, 4:] = [0, 0, 1]
    aside = put_aside(held(visible, observed, 0.1), 100)
    assert aside[:9, 6].sum() == 0
    assert aside[9:, 4].sum() == 9


def test_labels_of_a_binary_target_are_strata() -> None:
    visible = np.zeros((100, 2), np.float32)
    visible[:9, 1] = 1
    observed = np.ones((100, 2), bool)
    held_out = hold_out(Encoded(visible, observed), np.arange(2), np.array([False, True]), 0.1, 0)
    judged = held_out.judging[:, 1]
    assert judged[:9].sum() == 0
    assert judged[9:].sum() == 9


def test_more_rows_may_be_judged_but_not_fewer() -> None:
    table = Encoded(*full_table(20_000))
    column, is_target = np.arange(5), np.arange(5) == 4
    for asked, judged in ((6000, 6000), (100, MOST_JUDGED_ROWS)):
        held_out = hold_out(table, column, is_target, 0.1, 0, n_rows_of_long=asked)
        assert len(held_out.judged_rows) == judged


def test_rows_with_one_entry_keep_it() -> None:
    visible = np.zeros((50, 7), np.float32)
    observed = np.zeros((50, 7), bool)
    observed[:, 0] = True
    held_out = held(visible, observed, 0.9)
    assert not held_out.judging.any()
    np.testing.assert_array_equal(held_out.training(observed), observed)


@pytest.mark.parametrize(("n_rows", "label_share"), [(8192, 0.2), (40_960, 0.5)])
def test_long_tables_are_judged_by_some_rows(n_rows: int, label_share: float) -> None:
    visible, observed = full_table(n_rows)
    held_out = held(visible, observed, 0.1)
    assert len(held_out.judged_rows) == len(held_out.judging) == MOST_JUDGED_ROWS
    others = np.setdiff1d(np.arange(n_rows), held_out.judged_rows)
    assert held_out.training(observed)[others].all()
    # A row of which all five columns were drawn keeps them.
    assert 0 <= int(0.1 * MOST_JUDGED_ROWS) - held_out.judging[:, 0].sum() <= 5
    assert held_out.judging[:, 4].mean() == pytest.approx(label_share, abs=0.001)
    # Drawn from everywhere, not from the first rows.
    assert held_out.judged_rows.max() > 0.99 * n_rows


def test_the_choice_is_the_same_for_the_same_seed_only() -> None:
    visible, observed = small_table()
    first, again, other = (held(visible, observed, 0.3, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.judging, again.judging)
    assert np.any(first.judging != other.judging)


def test_values_behind_holes_do_not_matter() -> None:
    visible, observed = small_table()
    first = held(visible, observed, 0.3)
    other = held(np.where(observed, visible, np.float32(1e9)), observed, 0.3)
    np.testing.assert_array_equal(first.judging, other.judging)


def test_the_table_is_left_alone() -> None:
    visible, observed = small_table()
    before = observed.copy()
    held(visible, observed, 0.5)
    np.testing.assert_array_equal(observed, before)


@given(tables, st.floats(0, 0.9), st.floats(0.1, 0.9))
@settings(deadline=None)
def test_rows_that_keep_their_features_are_asked_for_labels_first(
    table: tuple[Floats, Bools], share: float, keep: float
) -> None:
    visible, observed = table
    held_out = hold_out(Encoded(visible, observed), COLUMN_OF_UNIT, IS_TARGET_UNIT, share, 0, keep)
    aside = put_aside(held_out, len(visible))
    np.testing.assert_array_equal(held_out.training(observed) | aside, observed)
    assert not np.any(held_out.training(observed) & aside)


def test_labels_are_put_aside_in_rows_that_keep_their_features() -> None:
    visible, _ = small_table(seed=0, n_rows=400)
    observed = np.ones_like(visible, bool)
    held_out = hold_out(Encoded(visible, observed), COLUMN_OF_UNIT, IS_TARGET_UNIT, 0.1, 0, 0.5)
    aside = put_aside(held_out, len(visible))
    asked = aside[:, IS_TARGET_UNIT].any(axis=1)
    assert asked.sum() >= 30
    assert not aside[np.ix_(asked, ~IS_TARGET_UNIT)].any()
    assert aside[:, ~IS_TARGET_UNIT].any(axis=0).all()


def test_of_new_rows_no_label_is_kept() -> None:
    random = np.random.default_rng(0)
    visible = (random.random((400, 6)) < 0.5).astype(np.float32)
    observed = random.random((400, 6)) < 0.8
    is_target = np.arange(6) >= 2
    where = np.arange(6), is_target
    held_out = hold_out(Encoded(visible, observed), *where, 0.2, 0, keep_features=0.5, new_rows=0.5)
    judging = held_out.judging[:, is_target]
    kept = held_out.training(observed)[held_out.judged_rows][:, is_target]
    is_new = judging.any(axis=1) & ~kept.any(axis=1)
    labelled = observed[:, is_target].any(axis=1).sum()
    assert is_new.sum() >= int(0.1 * labelled)
    assert (judging.any(axis=1) & kept.any(axis=1)).sum() > 20  # of others single labels
    for label in range(4):
        known = observed[held_out.judged_rows, 2 + label]
        for value in (0, 1):
            rows = known & (visible[held_out.judged_rows, 2 + label] == value)
            assert judging[rows, label].sum() <= int(0.2 * rows.sum() + 0.5)


def test_a_label_known_from_few_rows_is_not_put_aside_with_new_rows() -> None:
    visible = np.zeros((100, 3), np.float32)
    visible[:2, 2] = 1.0
    observed = np.ones((100, 3), bool)
    where = np.arange(3), np.arange(3) >= 1
    for seed in range(5):
        held_out = hold_out(Encoded(visible, observed), *where, 0.1, seed, new_rows=1.0)
        assert held_out.training(observed)[:2, 2].all()
        assert not held_out.training(observed)[:, 2].all()
    for seed in range(20):
        held_out = hold_out(Encoded(visible, observed), *where, 0.5, seed, new_rows=1.0)
        assert held_out.training(observed)[:2, 2].any()


@given(tables, st.integers(0, 100), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_some_rows_train_as_they_do_among_all(
    table: tuple[Floats, Bools], seed: int, random: Random
) -> None:
    visible, observed = table
    held_out = held(visible, observed, 0.4, seed)
    rows = np.array([random.randrange(len(visible)) for _ in range(30 if len(visible) else 0)], int)
    found = held_out.training_of(rows, observed[rows])
    np.testing.assert_array_equal(found, held_out.training(observed)[rows])
