"""Ways to hide features: what decides, and what does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.hiding import (
    FEATURE_HIDING,
    hide_blocks,
    hide_by_other_columns,
    hide_by_own_value,
    hide_exact_per_row,
)
from halfseen.experiments.hiding.source_columns import source_columns
from halfseen.experiments.hiding.untied_ranks import untied_ranks

X = np.random.default_rng(0).normal(size=(4000, 6))


@given(st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_every_row_loses_the_same_share_of_what_it_has(rate, seed):
    table = np.where(np.random.default_rng(seed).random((20, 9)) < 0.3, np.nan, 0.0)
    hidden = hide_exact_per_row(table, rate, seed)
    n_known = (~np.isnan(table)).sum(axis=1)
    assert not hidden[np.isnan(table)].any()
    np.testing.assert_array_equal(hidden.sum(axis=1), np.floor(rate * n_known + 1e-9))


def test_every_column_is_as_likely_in_exact_hiding():
    assert np.abs(hide_exact_per_row(X, 0.5, 0).mean(axis=0) - 0.5).max() < 0.03
    # 0.29 * 100 is a little less than 29.
    assert (hide_exact_per_row(np.zeros((3, 100)), 0.29, 0).sum(axis=1) == 29).all()


def test_the_cause_is_never_hidden_and_nothing_else_decides():
    hidden = hide_by_other_columns(X, 0.5, 0)
    assert not hidden[:, 0::2].any()
    changed = X.copy()
    changed[:, 1::2] = -X[:, 1::2]
    np.testing.assert_array_equal(hide_by_other_columns(changed, 0.5, 0), hidden)
    for cause in (0, 2, 4):
        assert X[hidden[:, cause + 1], cause].mean() > 0.4 > -0.4
        assert X[~hidden[:, cause + 1], cause].mean() < -0.4


def test_large_values_hide():
    hidden = hide_by_own_value(X, 0.5, 0)
    assert X[hidden].mean() > 0.4 > -0.4 > X[~hidden].mean()


def test_the_probability_is_the_logistic_of_the_rank():
    hidden = hide_by_own_value(np.sort(np.random.default_rng(1).normal(size=(500, 400)), 0), 0.5, 0)
    rank = np.arange(500) / 499
    expected = 1 / (1 + np.exp(-6 * (rank - 0.5)))
    assert np.abs(hidden.mean(axis=1) - expected).max() < 5 * np.sqrt(0.25 / 400)


def test_a_block_is_one_run():
    hidden = hide_blocks(X, 0.5, 0).astype(int)
    starts = np.diff(np.pad(hidden, [(0, 0), (1, 0)]), axis=1) == 1
    assert (starts.sum(axis=1) == 1).all()
    assert (hidden.sum(axis=1) == 3).all()


@pytest.mark.parametrize("name", ["by_own_value", "by_other_columns"])
def test_equal_values_are_hidden_alike_wherever_they_stand(name):
    zeros_then_ones = np.repeat([0.0, 1.0], 4000)[:, None] * np.ones(2)
    hidden = FEATURE_HIDING[name](zeros_then_ones, 0.5, 0)[:, 1]
    halves = hidden.reshape(4, 2000).mean(axis=1)
    assert abs(halves[0] - halves[1]) < 0.06
    assert abs(halves[2] - halves[3]) < 0.06
    assert halves[2:].min() > halves[:2].max() + 0.4


@given(st.integers(0, 2**32 - 1))
def test_ranks_follow_values_and_know_no_ties(seed):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 4, size=(30, 3)).astype(float)
    values[generator.random(values.shape) < 0.2] = np.nan
    ranks = untied_ranks(values, generator)
    assert ((ranks > 0) & (ranks < 1)).all()
    for column, places in zip(values.T, ranks.T, strict=True):
        known = ~np.isnan(column)
        assert np.unique(places[known]).size == known.sum()
        in_order = column[known][np.argsort(places[known])]
        assert (np.diff(in_order) >= 0).all()


def test_a_block_of_columns_is_one_source_in_the_place_of_its_first():
    table = np.array([[1.0, 7.0, 0.0, 0.0], [0.0, 8.0, 1.0, 0.0], [np.nan, 9.0, np.nan, np.nan]])
    sources = source_columns(table, np.array([9, 5, 9, 9]))
    np.testing.assert_array_equal(sources.values, [[0, 7], [1, 8], [np.nan, 9]])
    np.testing.assert_array_equal(sources.source_of_column, [0, 1, 0, 0])


def test_every_column_by_itself_needs_no_blocks():
    np.testing.assert_array_equal(source_columns(X, np.arange(6)).values, X)
    np.testing.assert_array_equal(source_columns(X, None).values, X)
