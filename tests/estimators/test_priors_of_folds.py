"""Priors of the folds: what is fitted has the shape that was compiled for."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
import pytest

from halfseen.estimators.priors_of_folds import (
    losses_downhill,
    prior_of_zeros,
    prior_settings,
)
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


OFFERED = (0.002, 0.02, 0.05, 0.15, 0.4, 0.7, 0.9)


@pytest.mark.parametrize(
    ("best", "tried"),
    [
        (0.002, (0.02, 0.05, 0.002)),
        (0.02, (0.02, 0.05, 0.002)),
        (0.05, (0.02, 0.05, 0.15, 0.4)),
        (0.15, (0.02, 0.05, 0.15, 0.4)),
        (0.4, (0.02, 0.05, 0.15, 0.4, 0.7, 0.9)),
        (0.9, (0.02, 0.05, 0.15, 0.4, 0.7, 0.9)),
    ],
)
def test_the_least_loss_is_found_by_going_downhill(best: float, tried: tuple[float, ...]) -> None:
    def losses_of(shares: Sequence[float]) -> list[float]:
        return [1.0 + abs(np.log(share / best)) for share in shares]

    losses = losses_downhill(losses_of, OFFERED)
    assert tuple(losses) == tried
    assert min(losses, key=lambda share: losses[share]) == best


def test_downwards_only_where_it_is_worth_it() -> None:
    flat = losses_downhill(lambda shares: [1.0 + 0.01 * share for share in shares], OFFERED)
    assert tuple(flat) == (0.02, 0.05)


@pytest.mark.parametrize("offered", [OFFERED[:2], OFFERED[:1], OFFERED[3:]])
def test_of_a_few_shrinkages_the_first_two_are_tried(offered: tuple[float, ...]) -> None:
    losses = losses_downhill(lambda shares: [1.0] * len(shares), offered)
    assert tuple(losses)[:2] == offered[:2]


def test_small_tables_take_more_rounds_and_wide_ones_are_not_solved_row_by_row() -> None:
    settings, trial = prior_settings(200, 150, 0.7)
    assert settings.is_exact
    assert settings.first_shrinkage > 0
    assert trial.n_rounds < settings.n_rounds
    assert prior_settings(6000, 20, 0.7)[0].first_shrinkage == 0
    wide, _ = prior_settings(400, 1400, 0.5)
    assert not wide.is_exact
    assert wide.n_rounds < settings.n_rounds
