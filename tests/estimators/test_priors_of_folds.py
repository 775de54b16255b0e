"""Priors of the folds: what is fitted has the shape that was compiled for."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from halfseen.estimators.priors_of_folds import prior_of_zeros
from halfseen.learning.prior_fit import MOST_UNITS_OF_FULL_RANK, RANK, PriorSettings, fit_prior


@pytest.mark.parametrize("n_visible", [3, MOST_UNITS_OF_FULL_RANK + 1])
def test_a_prior_of_zeros_is_like_a_fitted_one(n_visible: int) -> None:
    values = np.random.default_rng(0).normal(size=(RANK, n_visible)).astype(np.float32)
    settings = PriorSettings(n_rounds=1, n_rows_of_covariance=2, n_search_steps=2)
    fitted = fit_prior(values, np.ones(values.shape, bool), settings, seed=0)
    found = jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), prior_of_zeros(n_visible))
    assert found == jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), fitted)
