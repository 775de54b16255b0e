import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.scoring import rmse, standardised_rmse

rng = np.random.default_rng(0)
TRUE = rng.normal(size=(30, 3))
HIDDEN = rng.random((30, 3)) < 0.4
FILLED = np.where(HIDDEN, rng.normal(size=(30, 3)), TRUE)


def test_is_the_rmse_of_the_standardised_table():
    spread = TRUE.std(axis=0)
    expected = rmse(TRUE / spread, FILLED / spread, HIDDEN)
    assert standardised_rmse(TRUE, FILLED, HIDDEN) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(
    st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3),
    st.lists(st.floats(-10, 10), min_size=3, max_size=3),
)
def test_units_do_not_matter(scale, shift):
    changed = standardised_rmse(TRUE * scale + shift, FILLED * scale + shift, HIDDEN)
    assert changed == pytest.approx(standardised_rmse(TRUE, FILLED, HIDDEN), rel=1e-6)


def test_filling_in_the_mean_of_everything_scores_one():
    everything = np.ones_like(HIDDEN)
    mean = np.broadcast_to(TRUE.mean(axis=0), TRUE.shape)
    assert standardised_rmse(TRUE, mean, everything) == pytest.approx(1.0, rel=1e-12)


def test_unknown_truth_does_not_enter_the_spread():
    rows = np.vstack([TRUE, np.full((2, 3), np.nan)])
    filled = np.vstack([FILLED, np.full((2, 3), 77.0)])
    hidden = np.vstack([HIDDEN, np.ones((2, 3), dtype=bool)])
    assert standardised_rmse(rows, filled, hidden) == standardised_rmse(TRUE, FILLED, HIDDEN)


def test_constant_columns_are_skipped():
    constant = np.full((30, 1), 0.1)  # its computed standard deviation is not exactly zero
    assert constant.std() != 0
    true, filled = np.hstack([TRUE, constant]), np.hstack([FILLED, constant + 5])
    hidden = np.hstack([HIDDEN, np.ones((30, 1), dtype=bool)])
    assert standardised_rmse(true, filled, hidden) == standardised_rmse(TRUE, FILLED, HIDDEN)


def test_nothing_but_constant_columns():
    with pytest.raises(ValueError, match="constant"):
        standardised_rmse([[1.0], [1.0]], [[2.0], [1.0]], [[True], [False]])


def test_one_dimension():
    assert standardised_rmse([0.0, 2.0], [1.0, 2.0], [True, False]) == 1.0
