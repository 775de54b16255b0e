"""Hiding that depends on values or places."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.experiments.hiding_not_at_random import (
    hide_blocks,
    hide_by_other_columns,
    hide_by_own_value,
)

X = np.random.default_rng(0).normal(size=(4000, 6))


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_the_rate_is_kept(rate: float) -> None:
    assert abs(hide_by_own_value(X, rate, 0).mean() - rate) < 0.02
    assert abs(hide_by_other_columns(X, rate, 0)[:, 1::2].mean() - rate) < 0.02
    assert abs(hide_blocks(X, rate, 0).mean() - rate) < 0.1


def test_the_cause_is_never_hidden_and_nothing_else_decides() -> None:
    hidden = hide_by_other_columns(X, 0.5, 0)
    assert not hidden[:, 0::2].any()
    changed = X.copy()
    changed[:, 1::2] = -X[:, 1::2]
    np.testing.assert_array_equal(hide_by_other_columns(changed, 0.5, 0), hidden)


def test_large_values_hide() -> None:
    hidden = hide_by_own_value(X, 0.5, 0)
    assert X[hidden].mean() > 0.4 > -0.4 > X[~hidden].mean()


def test_a_block_is_one_run() -> None:
    hidden = hide_blocks(X, 0.5, 0).astype(int)
    starts = np.diff(np.pad(hidden, [(0, 0), (1, 0)]), axis=1) == 1
    assert (starts.sum(axis=1) == 1).all()


@pytest.mark.parametrize("hide", [hide_by_own_value, hide_by_other_columns, hide_blocks])
def test_same_seed_same_holes(hide) -> None:
    np.testing.assert_array_equal(hide(X, 0.5, 3), hide(X, 0.5, 3))
    assert (hide(X, 0.5, 3) != hide(X, 0.5, 4)).any()
