"""The budget of predictive training, and what the user sets over it."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.estimators.predictive_settings import (
    Effort,
    predictive_settings,
    search_steps,
    with_users_choices,
)
from halfseen.learning.table_source import STEPS_AT_ONCE

EFFORTS = get_args(Effort)


@given(
    n_rows=st.integers(1, 10**7),
    n_gaussian=st.integers(0, 10**5),
    others=st.integers(1, 10**5),
    effort=st.sampled_from(EFFORTS),
)
def test_budgets_for_tables_of_any_shape(
    n_rows: int, n_gaussian: int, others: int, effort: Effort
) -> None:
    budget = predictive_settings(n_rows, n_gaussian + others, n_gaussian, effort)
    assert budget.n_steps % STEPS_AT_ONCE == budget.n_most_steps % STEPS_AT_ONCE == 0
    # Either there is one round, or room for another.
    assert budget.n_steps > 0
    assert budget.n_most_steps == budget.n_steps or budget.n_most_steps >= 2 * budget.n_steps
    assert budget.n_members == budget.n_folds * len(budget.kinds) > 0
    # Knots multiply the units, which wide tables cannot afford.
    assert budget.n_knots == 0 or n_gaussian + others + n_gaussian * budget.n_knots <= 8000
    assert budget.n_knots != 1
    assert 0 < budget.held_out_share < 1


@given(n_rows=st.integers(1, 10**6), n_visible=st.integers(1, 5000))
def test_more_effort_is_more_work(n_rows: int, n_visible: int) -> None:
    fast, default, best = (
        predictive_settings(n_rows, n_visible, n_visible, effort) for effort in EFFORTS
    )
    assert fast.n_steps <= default.n_steps <= best.n_steps
    assert default.n_most_steps <= best.n_most_steps
    assert fast.n_folds <= default.n_folds <= best.n_folds


def test_what_the_user_sets_wins() -> None:
    budget = predictive_settings(500, 8, 4, "default")
    given: dict[str, Any] = {
        "n_hidden": np.int64(7),
        "batch_size": 20,
        "held_out_share": 0.25,
        "n_machines": 3,
        "label_weight": 2,
        "learning_rate": 0.5,
        "weight_decay": 0,
        "n_epochs": 7,
    }
    chosen = with_users_choices(budget, given, 500)
    assert (chosen.n_hidden, chosen.batch_size, chosen.n_folds) == (7, 20, 3)
    assert (chosen.held_out_share, chosen.label_weight) == (0.25, 2.0)
    assert {kind.learning_rate for kind in chosen.kinds} == {0.5}
    assert {kind.weight_decay for kind in chosen.kinds} == {0.0}
    assert [kind.name for kind in chosen.kinds] == [kind.name for kind in budget.kinds]
    # Seven passes are 175 steps, rounded up.
    assert chosen.n_steps == chosen.n_most_steps == 200
    assert chosen.n_members == 3 * len(budget.kinds)


def test_auto_and_what_is_not_of_the_ensemble_change_nothing() -> None:
    budget = predictive_settings(500, 8, 4, "default")
    given = {"n_hidden": "auto", "n_epochs": "auto", "n_sweeps": 99, "momentum": 0.5}
    assert with_users_choices(budget, given, 500) == budget


@pytest.mark.parametrize(("n_rows", "expected"), [(3, 64), (1000, 1024)])
def test_a_minibatch_is_no_larger_than_the_table(n_rows: int, expected: int) -> None:
    budget = predictive_settings(n_rows, 8, 4, "default")
    assert with_users_choices(budget, {"batch_size": 10**7}, n_rows).batch_size == expected


def test_a_short_fit_of_a_long_table_has_no_trees() -> None:
    assert predictive_settings(6000, 20, 10, "fast").n_trees == 0
    assert predictive_settings(5999, 20, 10, "fast").n_trees > 0
    assert predictive_settings(6000, 20, 10, "default").n_trees > 0


def test_rounds_may_follow_in_narrow_tables_of_not_too_many_rows() -> None:
    for open_ended in (
        predictive_settings(600, 20, 10, "default"),
        predictive_settings(600, 20, 10, "best"),
        predictive_settings(999, 78, 72, "default"),
        predictive_settings(1797, 71, 61, "default"),
    ):
        assert open_ended.n_most_steps >= 3 * open_ended.n_steps
    for settled in (
        predictive_settings(600, 20, 10, "fast"),
        predictive_settings(6000, 20, 10, "default"),
        predictive_settings(600, 300, 294, "default"),
        predictive_settings(1000, 117, 103, "default"),
        predictive_settings(600, 20, 10, "default", n_targets=2),
        predictive_settings(600, 800, 800, "default"),
    ):
        assert settled.n_most_steps == settled.n_steps


def test_few_rows_have_few_knots() -> None:
    assert predictive_settings(699, 20, 10, "default").n_knots == 4
    assert predictive_settings(999, 20, 10, "default").n_knots == 8
    assert predictive_settings(1000, 20, 10, "default").n_knots == 12
    assert predictive_settings(999, 20, 10, "default", n_targets=2).n_knots == 12


def test_few_rows_have_few_hidden_units() -> None:
    sizes = [predictive_settings(n_rows, 20, 10, "default").n_hidden for n_rows in (699, 999, 1000)]
    assert sizes == [64, 128, 200]


@pytest.mark.parametrize("seen", [0.2, 0.5, 1.0])
def test_long_narrow_tables_of_one_target_are_learned_in_one_way(seen: float) -> None:
    assert len(predictive_settings(6000, 20, 10, "default", seen).kinds) == 1
    for others in (
        predictive_settings(5999, 20, 10, "default", seen),
        predictive_settings(6000, 20, 10, "fast", seen),
        predictive_settings(6000, 20, 10, "default", seen, n_targets=2),
        predictive_settings(6000, 800, 800, "default", seen),
    ):
        assert len(others.kinds) == 2


@given(n_visible=st.integers(1, 420), seen=st.floats(0.0, 1.0))
def test_the_search_is_longer_where_more_is_seen(n_visible: int, seen: float) -> None:
    in_training, in_answers = search_steps(n_visible, seen)
    assert 0 < in_training <= in_answers
    assert in_training <= search_steps(n_visible, 1.0)[0] <= 10


def test_tables_of_many_units_of_which_little_is_seen_take_fewer_steps() -> None:
    steps = [
        predictive_settings(2400, 300, 294, "default", seen, 6).n_steps for seen in (1, 0.5, 0.2)
    ]
    assert steps[0] == steps[1]
    assert 0.65 * steps[1] < steps[2] < 0.85 * steps[1]
    few = [predictive_settings(2400, 100, 50, "default", seen, 6).n_steps for seen in (0.5, 0.2)]
    assert few[0] == few[1]
