"""The correlated priors of an ensemble, one for each fold, and how far they are shrunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    USUAL_SHRINKAGE,
    PriorSettings,
    fit_prior,
    prior_loss,
    rows_of_prior,
)
from halfseen.learning.wide_prior_fit import RANK_OF_WIDE, fit_wide_prior
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.tables import EncodedTable

_ROUNDS, _ROUNDS_OF_A_TRIAL = 7, 4
_ROUNDS_OF_SMALL, _ROUNDS_OF_A_SMALL_TRIAL = 12, 7
_ROUNDS_OF_LARGE, _ROUNDS_OF_A_LARGE_TRIAL = 3, 2
_ROWS_OF_A_TRIAL = 25  # whose conditional covariance is looked at
_FEW_PAIRS_PER_UNIT = 3
_FIRST_SHRINKAGE = 0.2
_ENTRIES_OF_SMALL, _FEW_UNITS = 200_000, 60
_ENTRIES_OF_LARGE, _UNITS_OF_LARGE = 1_000_000, 500
_FIRST_TRIED = (0.02, USUAL_SHRINKAGE)
_WORTH_GOING_DOWN = 0.98
_HARDLY_ANY = 0.01
_MOST_ROWS_OF_EXACT = 1500
_OPERATIONS_OF_EXACT = 1e9  # of a round


def priors_of_folds(
    encoded: EncodedTable,
    standard: Standard,
    folds: list[HeldOut],
    shrinkages: Sequence[float],
    is_target: NDArray[np.bool_],
    seed: int,
) -> tuple[list[Prior], dict[float, float]]:
    """One prior for each fold, of what the fold may learn from.

    Of the shrinkages offered, if any are, it is the one under which the first prior expects best
    what was put aside, sought from the middle of them. Beside the priors the loss of every
    shrinkage that was tried.
    """
    # Of a long table only the rows that are looked at are put into standard units.
    rows = rows_of_prior(encoded.n_rows, seed)
    visible, observed = encoded.rows(rows)
    values = _in_standard_units(visible, standard)
    settings, of_trials = prior_settings(observed.shape[0], observed.shape[1], observed.mean())
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
            prior = _fitted_prior(values, training, _shrunk_by(of_trials, shrinkage), seed)
            return prior_loss(prior, judged, shown, judging, is_target)

        losses = losses_downhill(lambda tried: fits_side_by_side(loss_of, tried), shrinkages)
        settings = _shrunk_by(settings, min(losses, key=lambda share: losses[share]))
    priors = fits_side_by_side(
        lambda fold: _fitted_prior(values, fold.training_of(rows, observed), settings, seed), folds
    )
    return priors, losses


def prior_settings(n_rows: int, n_visible: int, seen: float) -> tuple[PriorSettings, PriorSettings]:
    """How a prior is fitted to so many rows, of which this share is seen, and how in a trial.

    Where two units are seen together in few rows for each unit, rounds begin with a covariance that
    is shrunk far; of a small table there are more of them, and fewer of a large one of many units,
    of which a few rows say as much as many rows of few.

    Examples
    --------
    >>> [settings.n_rounds for settings in prior_settings(600, 80, 0.5)]
    [12, 7]
    """
    n_operations = n_rows * (n_visible * min(seen, 1.0 - seen)) ** 3
    is_exact = n_rows <= _MOST_ROWS_OF_EXACT and n_operations <= _OPERATIONS_OF_EXACT
    few_pairs = n_rows * seen**2 < _FEW_PAIRS_PER_UNIT * n_visible
    first_shrinkage = _FIRST_SHRINKAGE if few_pairs else 0.0
    n_entries = n_rows * n_visible
    is_large = n_entries > _ENTRIES_OF_LARGE or n_visible > _UNITS_OF_LARGE
    if n_visible > MOST_UNITS_OF_FULL_RANK and is_large:
        n_rounds, of_a_trial = _ROUNDS_OF_LARGE, _ROUNDS_OF_A_LARGE_TRIAL
        usual = PriorSettings(n_rows_of_covariance=_ROWS_OF_A_TRIAL, n_search_steps=15)
    else:
        n_rounds, of_a_trial = _ROUNDS, _ROUNDS_OF_A_TRIAL
        usual = PriorSettings(first_shrinkage=first_shrinkage, is_exact=is_exact)
        if few_pairs and n_entries <= _ENTRIES_OF_SMALL and n_visible > _FEW_UNITS:
            n_rounds, of_a_trial = _ROUNDS_OF_SMALL, _ROUNDS_OF_A_SMALL_TRIAL
    return (
        usual._replace(n_rounds=n_rounds),
        usual._replace(n_rounds=of_a_trial, n_rows_of_covariance=_ROWS_OF_A_TRIAL),
    )


def _shrunk_by(settings: PriorSettings, shrinkage: float) -> PriorSettings:
    """The same with this shrinkage; with more rounds if it is hardly any, and pairs are few."""
    if shrinkage >= _HARDLY_ANY or not settings.first_shrinkage:
        return settings._replace(shrinkage=shrinkage, is_exact=False)
    return settings._replace(shrinkage=shrinkage, n_rounds=2 * settings.n_rounds)


def losses_downhill(
    losses_of: Callable[[Sequence[float]], list[float]], shrinkages: Sequence[float]
) -> dict[float, float]:
    """The losses of shrinkages that were tried, two at a time, as far as it goes downhill.

    From the two in the middle to that side of them where the loss is less; downwards, where trials
    take longer, only if it is less by two parts in a hundred.

    Parameters
    ----------
    losses_of : callable
        The losses of some shrinkages.
    shrinkages : sequence of float
        Those to choose from, in increasing order.

    Examples
    --------
    >>> def distance(tried):
    ...     return [abs(share - 0.3) for share in tried]
    >>> list(losses_downhill(distance, (0.002, 0.02, 0.05, 0.15, 0.4, 0.7, 0.9)))
    [0.02, 0.05, 0.15, 0.4, 0.7, 0.9]
    """
    first = [place for place, share in enumerate(shrinkages) if share in _FIRST_TRIED]
    lowest = max(0, min(first[0], len(shrinkages) - 2)) if first else 0
    next_ones = range(lowest, min(len(shrinkages), lowest + 2))
    losses: dict[float, float] = {}
    while next_ones:
        tried = [shrinkages[place] for place in next_ones]
        losses |= dict(zip(tried, losses_of(tried), strict=True))
        best = shrinkages.index(min(losses, key=lambda share: losses[share]))
        places = [shrinkages.index(share) for share in losses]
        if best == min(places):
            higher = shrinkages[best + 1] if best + 1 < len(shrinkages) else shrinkages[best]
            if losses[shrinkages[best]] > _WORTH_GOING_DOWN * losses[higher]:
                break
            next_ones = range(max(0, best - 2), best)
        elif best == max(places):
            next_ones = range(best + 1, min(len(shrinkages), best + 3))
        else:
            break
    return losses


def prior_of_zeros(n_rows: int, n_visible: int) -> Prior:
    """Of the shape that a prior has which is fitted to so many rows and units."""
    zeros = np.zeros(n_visible, np.float32)
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        rank = min(RANK_OF_WIDE, n_rows) if n_visible > MOST_UNITS else RANK
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
