import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.scoring import interval_coverage

seeds = st.integers(0, 2**32 - 1)


def drawn(seed):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(20, 3)).round(1)
    true[rng.random(true.shape) < 0.2] = np.nan
    lower = rng.normal(size=true.shape).round(1) - 0.5
    hidden = rng.random(true.shape) < 0.5
    true[0], hidden[0] = 0.0, True
    return true, lower, lower + rng.random(true.shape).round(1), hidden


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_is_the_share_between_the_bounds(seed):
    true, lower, upper, hidden = drawn(seed)
    held = [
        lower[place] <= true[place] <= upper[place]
        for place in np.ndindex(true.shape)
        if hidden[place] and not np.isnan(true[place])
    ]
    assert interval_coverage(true, lower, upper, hidden) == pytest.approx(sum(held) / len(held))


def test_bounds_belong_to_the_interval():
    one = [[3.0]]
    assert interval_coverage(one, one, one, [[True]]) == 1.0
    assert interval_coverage(one, [[3.1]], [[4.0]], [[True]]) == 0.0
    assert interval_coverage(one, [[2.0]], [[2.9]], [[True]]) == 0.0


def test_normal_intervals_hold_their_level():
    true = np.random.default_rng(0).normal(size=(40_000, 1))
    bound = np.full(true.shape, 1.6449)
    assert interval_coverage(true, -bound, bound, np.ones(true.shape, bool)) == pytest.approx(
        0.9, abs=0.006
    )


def test_what_cannot_be_scored_is_said():
    with pytest.raises(ValueError, match="lower bound in column 1 lies above its upper"):
        interval_coverage([[0.0, 0.0]], [[0.0, 2.0]], [[1.0, 1.0]], [[True, True]])
    with pytest.raises(ValueError, match="No hidden entry has a known true value"):
        interval_coverage([[np.nan]], [[0.0]], [[1.0]], [[True]])
    with pytest.raises(ValueError, match="finite number is needed"):
        interval_coverage([[0.0]], [[np.nan]], [[1.0]], [[True]])
