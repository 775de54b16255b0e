"""The correlated priors of an ensemble, one for each fold, and how far they are shrunk."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.fits_side_by_side import fits_side_by_side
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
from halfseen.tables import EncodedTable

_ROUNDS_OF_A_TRIAL = 4
_ROWS_OF_A_TRIAL = 25  # whose conditional covariance is looked at


def priors_of_folds(
    encoded: EncodedTable,
    standard: Standard,
    folds: list[HeldOut],
    shrinkages: Sequence[float],
    seed: int,
) -> tuple[list[Prior], dict[float, float]]:
    """One prior for each fold, of what the fold may learn from.

    Of the shrinkages offered, if any are, it is the one under which the first prior expects best
    what was put aside. Beside the priors the loss of every shrinkage that was tried.
    """
    n_visible = encoded.n_visible
    settings, n_rounds = PriorSettings(), _ROUNDS_OF_A_TRIAL
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        # Rounds are dear here; of so many units a few rows say as much as many rows of few.
        settings = PriorSettings(
            n_rounds=3, n_rows_of_covariance=25, n_search_steps=15, n_further_steps=6
        )
        n_rounds = 2
    # Of a long table only the rows that are looked at are put into standard units.
    rows = rows_of_prior(encoded.n_rows, seed)
    visible, observed = encoded.rows(rows)
    values = _in_standard_units(visible, standard)
    losses: dict[float, float] = {}
    if shrinkages and folds[0].judging.any():
        fold = folds[0]
        asked = fold.judging.any(axis=1)
        judging = fold.judging[asked]
        judged_visible, judged_observed = encoded.rows(fold.judged_rows[asked])
        judged = _in_standard_units(judged_visible, standard)
        shown = judged_observed & ~judging
        training = fold.training_of(rows, observed)

        def loss_of(shrinkage: float) -> float:
            # Each from the same start: after more rounds a covariance of many holes is worse.
            trial = settings._replace(
                shrinkage=shrinkage, n_rounds=n_rounds, n_rows_of_covariance=_ROWS_OF_A_TRIAL
            )
            prior = _fitted_prior(values, training, trial, seed)
            return prior_loss(prior, judged, shown, judging)

        losses = dict(zip(shrinkages, fits_side_by_side(loss_of, shrinkages), strict=True))
        settings = settings._replace(shrinkage=min(losses, key=lambda share: losses[share]))
    priors = fits_side_by_side(
        lambda fold: _fitted_prior(values, fold.training_of(rows, observed), settings, seed), folds
    )
    return priors, losses


def prior_of_zeros(n_rows: int, n_visible: int) -> Prior:
    """Of the shape that a prior has which is fitted to so many rows and units."""
    zeros = np.zeros(n_visible, np.float32)
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        rank = min(RANK, n_rows) if n_visible > MOST_UNITS else RANK
        return LowRankPrior(
            *jax.device_put((zeros, zeros, np.zeros((n_visible, rank), np.float32)))
        )
    of_pairs = np.zeros((n_visible, n_visible), np.float32)
    return CorrelatedPrior(*jax.device_put((zeros, of_pairs)))


def _fitted_prior(
    values: NDArray[np.float32], observed: NDArray[np.bool_], settings: PriorSettings, seed: int
) -> Prior:
    if values.shape[1] > MOST_UNITS:
        return fit_wide_prior(values, observed, settings.shrinkage, seed)
    return fit_prior(values, observed, settings, seed)


def _in_standard_units(visible: NDArray[np.float32], standard: Standard) -> NDArray[np.float32]:
    away = visible - np.asarray(standard.mean)
    values: NDArray[np.float32] = (away / np.asarray(standard.scale)).astype(np.float32)
    return values
