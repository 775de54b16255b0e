import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from halfseen.tables.is_heavy_tailed_count import is_heavy_tailed_count


def one_of(n: int, high: float, low: float = 0.0) -> NDArray[np.float64]:
    """One high value among n; its skewness is (n - 2) / sqrt(n - 1)."""
    values = np.full(n, low)
    values[n // 2] = high
    return values


def test_skewness_must_be_above_three() -> None:
    assert not is_heavy_tailed_count(one_of(11, 50.0))  # 2.85
    assert is_heavy_tailed_count(one_of(12, 50.0))  # 3.02


def test_the_maximum_must_be_ten() -> None:
    assert not is_heavy_tailed_count(one_of(50, 9.0))
    assert is_heavy_tailed_count(one_of(50, 10.0))


@pytest.mark.parametrize("stranger", [-1.0, 0.5])
def test_all_must_be_whole_and_not_negative(stranger: float) -> None:
    values = one_of(50, 1000.0)
    assert is_heavy_tailed_count(values)
    values[0] = stranger
    assert not is_heavy_tailed_count(values)


def test_a_tail_to_the_left_is_none() -> None:
    assert not is_heavy_tailed_count(one_of(50, 0.0, low=100.0))


@pytest.mark.parametrize("values", [np.zeros(20), np.full(20, 50.0), np.array([50.0])])
def test_constants_have_no_tail(values: NDArray[np.float64]) -> None:
    assert not is_heavy_tailed_count(values)


@pytest.mark.parametrize("high", [1e100, np.finfo(np.float64).max])
def test_the_largest_counts(high: float) -> None:
    assert is_heavy_tailed_count(one_of(12, high))
    assert not is_heavy_tailed_count(one_of(11, high))


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=12, max_size=60),
    st.integers(10, 10**6),
    st.sampled_from([np.float32, np.float64]),
)
def test_agrees_with_scipy(small: list[int], high: int, dtype: type[np.floating]) -> None:
    values = np.array([*small, high], dtype=dtype)
    skewness = float(stats.skew(values.astype(np.float64)))
    if abs(skewness - 3.0) > 1e-9:
        assert is_heavy_tailed_count(values) == (skewness > 3.0)
