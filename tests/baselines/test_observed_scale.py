from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from halfseen.baselines._observed_scale import observed_scale

entries = st.one_of(st.just(np.nan), st.floats(-1e6, 1e6).map(lambda x: round(x, 3)))


@given(arrays(np.float64, (5, 3), elements=entries))
def test_there_and_back(table: np.ndarray) -> None:
    scale = observed_scale(table)
    assert np.isfinite(scale.mean).all()
    assert (scale.spread > 0).all()
    back = scale.restored(scale.standardised(table))
    np.testing.assert_allclose(back, table, rtol=1e-9, atol=1e-6)


def test_constants_are_not_blown_up_by_rounding() -> None:
    scale = observed_scale(np.full((7, 1), 0.1 + 1e5))
    np.testing.assert_array_equal(scale.spread, [1.0])


def test_agrees_with_numpy_on_observed_entries() -> None:
    table = np.random.default_rng(0).standard_normal((20, 3)) * 4 + 2
    table[::3, 1] = np.nan
    scale = observed_scale(table)
    np.testing.assert_allclose(scale.mean, np.nanmean(table, axis=0))
    np.testing.assert_allclose(scale.spread, np.nanstd(table, axis=0))
