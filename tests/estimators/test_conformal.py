"""Conformal levels: ranks, coverage, and what lies between the levels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.estimators.conformal import LEVELS, at_level, column_quantiles, held_out_quantiles


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200))
def test_rank_of_a_finite_sample(scores: list[float]) -> None:
    quantiles = held_out_quantiles(np.array(scores))
    ordered = sorted(scores)
    for level, quantile in zip(LEVELS, quantiles, strict=True):
        rank = math.ceil(round((len(scores) + 1) * float(level), 6))
        assert quantile == ordered[min(rank, len(scores)) - 1]
    assert (np.diff(quantiles) >= 0).all()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_coverage_of_exchangeable_scores(level: float) -> None:
    random = np.random.default_rng(0)
    # Of uniform scores the quantile is the share of new ones it covers.
    covered = [at_level(held_out_quantiles(random.random(19)), level) for _ in range(4000)]
    assert np.mean(covered) == pytest.approx(math.ceil(20 * level) / 20, abs=0.01)
    assert np.mean(covered) >= level - 0.01


def test_no_scores_promise_nothing() -> None:
    assert np.isinf(held_out_quantiles(np.zeros(0))).all()
    quantiles = column_quantiles(np.zeros(0), np.zeros(0, np.int64), 2)
    assert quantiles.shape == (2, len(LEVELS))
    assert np.isinf(quantiles).all()
    assert np.isinf(at_level(quantiles, 0.333)).all()


def test_columns_are_drawn_to_all_columns() -> None:
    random = np.random.default_rng(1)
    scores = random.random((4000, 3)) * [1.0, 10.0, 5.0]
    judged = np.ones(scores.shape, bool)
    judged[10:, 1] = False
    judged[:, 2] = False
    quantiles = at_level(column_quantiles(scores[judged], np.nonzero(judged)[1], 3), 0.9)
    common = at_level(held_out_quantiles(scores[judged]), 0.9)
    own = at_level(held_out_quantiles(scores[:10, 1]), 0.9)
    assert quantiles[0] == pytest.approx(0.9, abs=0.03)
    assert quantiles[1] == pytest.approx(0.2 * own + 0.8 * common)
    assert quantiles[2] == common


@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6))
def test_between_levels(one: float, other: float) -> None:
    quantiles = np.stack([LEVELS, LEVELS**2])
    low, high = at_level(quantiles, min(one, other)), at_level(quantiles, max(one, other))
    assert (low <= high).all()
    inside = min(max(one, LEVELS[0]), LEVELS[-1])
    assert at_level(quantiles, one)[0] == pytest.approx(inside)


def test_levels_of_the_table_are_met_exactly() -> None:
    quantiles = held_out_quantiles(np.random.default_rng(2).random(500))
    assert [at_level(quantiles, float(level)) for level in LEVELS] == quantiles.tolist()
