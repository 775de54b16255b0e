"""Correlation of holes."""

from __future__ import annotations

import numpy as np

from halfseen.inspection.co_missingness import co_missingness


def test_is_the_correlation_of_observed() -> None:
    observed = np.random.default_rng(0).random((4, 300)) < 0.6
    np.testing.assert_allclose(co_missingness(observed), np.corrcoef(observed), atol=1e-12)


def test_columns_that_do_not_vary() -> None:
    observed = np.array([[True, True], [True, False]])
    np.testing.assert_array_equal(co_missingness(observed), np.eye(2))
    np.testing.assert_array_equal(co_missingness(np.zeros((2, 0), bool)), np.eye(2))
