"""The correlated priors of an ensemble, one for each fold, and how far they are shrunk."""

from __future__ import annotations

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.held_out import HeldOut
from halfseen.learning.predictive_member import Standard
from halfseen.learning.prior_fit import (
    MOST_UNITS,
    MOST_UNITS_OF_FULL_RANK,
    RANK,
    PriorSettings,
    fit_prior,
    prior_loss,
    rows_of_prior,
)
from halfseen.learning.wide_prior_fit import fit_wide_prior
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.tables import Encoded

_SHRINKAGES = (0.002, 0.02, 0.05, 0.15)
_STRONG_SHRINKAGES = (0.05, 0.2, 0.4, 0.7, 0.9)
_ROWS_PER_UNIT = 5  # below which a covariance is mostly noise
_ROUNDS_OF_A_TRIAL = 6


def priors_of_folds(
    encoded: Encoded, standard: Standard, folds: list[HeldOut], seed: int
) -> tuple[list[Prior], dict[float, float]]:
    """One prior for each fold, of what the fold may learn from; shrinkage by what it put aside.

    Beside them the loss of every shrinkage that was tried.
    """
    n_visible = encoded.visible.shape[1]
    settings, n_rounds = PriorSettings(), _ROUNDS_OF_A_TRIAL
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        # Rounds are dear here; of so many units a few rows say as much as many rows of few.
        settings = PriorSettings(n_rounds=5, n_rows_of_covariance=25, n_search_steps=15)
        n_rounds = 2
    # Of a long table only the rows that are looked at are put into standard units.
    rows = rows_of_prior(len(encoded.visible), seed)
    values = _in_standard_units(encoded, standard, rows)
    first, *others = folds
    offered = shrinkages_offered(*encoded.visible.shape)
    tried: dict[float, Prior] = {}
    losses: dict[float, float] = {}
    start: Prior | None = None
    if offered and first.judging.any():
        judged = _in_standard_units(encoded, standard, first.judged_rows)
        for shrinkage in offered:
            trial = settings._replace(shrinkage=shrinkage, n_rounds=n_rounds)
            start = _fitted_prior(values, first.training[rows], trial, seed, start)
            tried[shrinkage] = start
            losses[shrinkage] = prior_loss(
                start, judged, first.training[first.judged_rows], first.judging
            )
        best = min(losses, key=lambda share: losses[share])
        settings, start = settings._replace(shrinkage=best), tried[best]
    # Another fold must not begin where entries that it puts aside had a say.
    return [
        _fitted_prior(values, first.training[rows], settings, seed, start),
        *(_fitted_prior(values, fold.training[rows], settings, seed, None) for fold in others),
    ], losses


def prior_of_zeros(n_visible: int) -> Prior:
    """Of the shape that a fitted prior of so many units has."""
    zeros = np.zeros(n_visible, np.float32)
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        return LowRankPrior(*map(jax.device_put, (zeros, zeros, np.zeros((n_visible, RANK)))))
    return CorrelatedPrior(*map(jax.device_put, (zeros, np.zeros((n_visible, n_visible)))))


def _fitted_prior(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    settings: PriorSettings,
    seed: int,
    start: Prior | None,
) -> Prior:
    """Fitted anew, or in half of the rounds from where another fit ended."""
    if values.shape[1] > MOST_UNITS:
        return fit_wide_prior(values, observed, settings.shrinkage, seed)
    if not isinstance(start, CorrelatedPrior):
        return fit_prior(values, observed, settings, seed)
    fewer = settings._replace(n_rounds=settings.n_rounds // 2)
    return fit_prior(values, observed, fewer, seed, start)


def shrinkages_offered(n_rows: int, n_visible: int) -> tuple[float, ...]:
    """Shrinkages of the prior to choose from; none if the table is wide and long.

    Of few rows for each unit a covariance is mostly noise, and may have to be shrunk far.

    Examples
    --------
    >>> shrinkages_offered(2000, 30), shrinkages_offered(100, 600)
    ((0.002, 0.02, 0.05, 0.15), (0.05, 0.2, 0.4, 0.7, 0.9))
    """
    if n_rows < n_visible:
        return _STRONG_SHRINKAGES
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        return ()  # trials are dear here
    if n_rows < _ROWS_PER_UNIT * n_visible:
        return (*_SHRINKAGES, *_STRONG_SHRINKAGES[2:])
    return _SHRINKAGES


def _in_standard_units(
    encoded: Encoded, standard: Standard, rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    away = encoded.visible[rows] - np.asarray(standard.mean)
    values: NDArray[np.float32] = (away / np.asarray(standard.scale)).astype(np.float32)
    return values
