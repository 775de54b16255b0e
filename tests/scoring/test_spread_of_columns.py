import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.scoring import spread_of_columns


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_is_the_standard_deviation_of_what_is_known(seed):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(12, 4)) * [1, 10, 100, 0.01]
    true[2:][rng.random((10, 4)) < 0.4] = np.nan
    assert spread_of_columns(true) == pytest.approx(np.nanstd(true, axis=0), rel=1e-12)


def test_equal_values_have_exactly_none():
    constant = np.full((30, 1), 0.1)
    assert constant.std() != 0
    assert spread_of_columns(constant).tolist() == [0.0]


def test_nothing_known_and_a_single_value_have_none():
    assert spread_of_columns([[None, 7.0], [np.nan, None]]).tolist() == [0.0, 0.0]


def test_one_dimension_is_one_column():
    assert spread_of_columns([0.0, None, 2.0]).tolist() == [1.0]


def test_what_is_no_number_is_named():
    with pytest.raises(ValueError, match=r"true at .*row 1.* is inf"):
        spread_of_columns([[0.0], [np.inf]])
