"""Priors of the folds: what is fitted has the shape that was compiled for."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from halfseen.estimators.priors_of_folds import prior_of_zeros
from halfseen.learning.prior_fit import (
    MOST_UNITS,
    MOST_UNITS_OF_FULL_RANK,
    PriorSettings,
    fit_prior,
)
from halfseen.learning.wide_prior_fit import fit_wide_prior

SETTINGS = PriorSettings(n_rounds=1, n_rows_of_covariance=2, n_search_steps=2)


@pytest.mark.parametrize(
    ("n_rows", "n_visible"),
    [(20, 3), (20, MOST_UNITS_OF_FULL_RANK + 1), (20, MOST_UNITS + 1), (80, MOST_UNITS + 1)],
)
def test_a_prior_of_zeros_is_like_a_fitted_one(n_rows: int, n_visible: int) -> None:
    values = np.random.default_rng(0).normal(size=(n_rows, n_visible)).astype(np.float32)
    observed = np.ones(values.shape, bool)
    if n_visible > MOST_UNITS:
        fitted = fit_wide_prior(values, observed, SETTINGS.shrinkage, seed=0)
    else:
        fitted = fit_prior(values, observed, SETTINGS, seed=0)
    found = jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), prior_of_zeros(n_rows, n_visible))
    assert found == jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), fitted)
