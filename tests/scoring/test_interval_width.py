import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.scoring import interval_width


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_is_the_mean_width_in_spreads(seed):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(15, 3)) * [1, 10, 100]
    true[rng.random(true.shape) < 0.2] = np.nan
    true[:2], hidden = [[0, 0, 0], [1, 2, 3]], rng.random(true.shape) < 0.5
    hidden[0] = True
    lower = rng.normal(size=true.shape)
    upper = lower + rng.random(true.shape)
    widths = [
        (upper[i, j] - lower[i, j]) / np.nanstd(true[:, j])
        for i, j in np.ndindex(true.shape)
        if hidden[i, j] and not np.isnan(true[i, j])
    ]
    assert interval_width(true, lower, upper, hidden) == pytest.approx(np.mean(widths))


def test_units_do_not_matter():
    true = np.array([[1.0], [2.0], [4.0]])
    hidden = np.ones(true.shape, bool)
    width = interval_width(true, true - 1, true + 2, hidden)
    assert interval_width(9 * true, 9 * (true - 1), 9 * (true + 2), hidden) == pytest.approx(width)


def test_constant_columns_are_skipped_and_alone_refused():
    true = np.array([[0.0, 5.0], [2.0, 5.0]])
    margin = np.array([1.0, 50.0])
    lower, upper = true - margin, true + margin
    hidden = np.ones(true.shape, bool)
    assert interval_width(true, lower, upper, hidden) == 2.0
    with pytest.raises(ValueError, match="constant, so there is no spread"):
        interval_width(true, lower, upper, [[False, True], [False, True]])
