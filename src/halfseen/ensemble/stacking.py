"""Stacking and calibration: what is fitted to held-out entries.

Numbers are combined by non-negative least squares, discrete features by a mixture, and targets by a
logarithmic opinion pool, whose powers also calibrate: powers with a sum below one say that the
predictions were too confident. Intervals and prediction sets are conformal.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import logsumexp
from scipy.stats import norm

from halfseen.base.conformal import ConformalIntervals
from halfseen.base.estimator import Calibration, conformal_sets
from halfseen.data.schema import Encoded
from halfseen.ensemble.model import (
    LEAST_PROBABILITY,
    Ensemble,
    Fold,
    Pool,
    Predictions,
    Residuals,
    Stack,
    pooled,
    weighted_sum,
)
from halfseen.ensemble.prior import Bools, Floats, Ints
from halfseen.ensemble.problem import HeldOut, Problem

# Strength of the pull to equal weights and to common weights, in validation entries.
_COMMON_STRENGTH, _COLUMN_STRENGTH = 30.0, 100.0
# Errors smaller than this, in standard units, make entries count for more.
_LARGE_ERROR = 0.5
_MIXTURE_STRENGTH, _MIXTURE_ROUNDS = 30.0, 100
_POWER_STRENGTH, _SHIFT_STRENGTH = 10.0, 100.0
_LARGEST_POWER, _LARGEST_SHIFT = 5.0, 3.0
_N_PARTS = 5  # of cross-fitting
# Intervals are calibrated on rows of which all features are kept, and these shares of them.
_KEPT, _MOST_MASKED_ROWS = (0.5, 0.2, 0.05), 2048
# Residuals of draws: rows that are predicted in halves, and validation entries that outweigh them.
_MOST_ROWS_IN_HALVES, _ENTRIES_OF_HALVES, _SLOPE_STRENGTH = 1024, 200.0, 10.0
_N_QUANTILES, _FEWEST_OF_COLUMN = 99, 50


class Numbers(NamedTuple):
    """Held-out numbers, one after the other, and what is predicted of each."""

    truth: Floats  # (n_entries,)
    predicted: Floats  # (n_predictions, n_entries)
    spread: Floats
    number: Ints  # its place among the numbers
    share: Floats  # of the features of its row that is shown
    weight: Floats  # of its row

    def mean(self, weights: Floats) -> Floats:
        """Weighted sum of the predictions."""
        return weighted_sum(weights[self.number].T, self.predicted)


class Targets(NamedTuple):
    """Rows with held-out entries, along the last axis, and what is predicted of their targets."""

    codes: Ints  # (n_targets, n_rows)
    held: Bools  # (n_targets, n_rows)
    knows: Bools  # (n_rows,), whether some target is shown
    weight: Floats  # (n_rows,)
    part: Ints  # (n_rows,), of cross-fitting
    new: list[Floats]  # log-probabilities by target, (n_predictions, n_classes, n_rows)
    known: list[Floats]  # the same, with the other targets shown


class Judged(NamedTuple):
    """Held-out entries, and what is predicted of them by what is fitted to others."""

    numbers: Numbers  # with all else shown
    given: tuple[Floats, Floats]  # to true discrete features: probabilities, weights of the rows
    fewer: list[Numbers]  # from all features of a row, and from ever fewer
    halves: Numbers  # all numbers of some rows, by one half of the features and by the other
    targets: Targets


def judge(problem: Problem, ensemble: Ensemble, held_out: list[HeldOut], n_jobs: int) -> Judged:
    """Predict the held-out entries of each fold by what is fitted to its training entries."""
    with ThreadPoolExecutor(n_jobs) as pool:
        parts = pool.map(partial(_judge_fold, problem, ensemble), ensemble.folds, held_out)
        judged: Judged = _joined(list(parts))
    return judged


def _joined(parts: list[Any]) -> Any:
    """Arrays of several parts, one after the other along the last axis."""
    return jax.tree.map(lambda *arrays: np.concatenate(arrays, axis=-1), *parts)


def _judge_fold(problem: Problem, ensemble: Ensemble, fold: Fold, held: HeldOut) -> Judged:
    """The same for one fold. Masks are nested: what one hides, those of fewer features hide [1]_.

    .. [1] Zaffran, Josse, Romano and Dieuleveut, "Predictive Uncertainty Quantification with
       Missing Covariates", arXiv 2405.15641 (CP-MDA-Nested).
    """
    n_gaussian, n_entries = problem.units.layer.n_gaussian, problem.units.n_entries

    def from_features(rows: Ints, seen: Bools, asked: Bools) -> Numbers:
        encoded = Encoded(
            problem.encoded.values[rows], problem.units.by_unit(seen & ~problem.is_target)
        )
        found = ensemble.predictions(encoded, [fold._replace(forests={}, boosted={})])
        return _numbers(problem, rows, seen, asked, found)

    own = np.flatnonzero(held.entries.any(axis=1))
    rows, entries = held.rows[own], held.entries[own]
    seen, values = held.training[rows], problem.encoded.values[rows]
    shown = problem.units.by_unit(seen)
    known = new = ensemble.predictions(Encoded(values, shown), [fold])
    if problem.schema.targets:
        new = ensemble.predictions(Encoded(values, shown & ~problem.target_units), [fold])
    some = problem.some(np.flatnonzero(entries[:, :n_gaussian].any(axis=1)), _MOST_MASKED_ROWS, 29)
    is_some = np.isin(np.arange(len(rows)), some)
    uniform = np.random.default_rng([problem.seed, 31]).random((len(some), n_entries))
    fewer = [_numbers(problem, rows, seen, entries & is_some[:, None], new)] + [
        from_features(rows[some], seen[some] & (uniform < kept), entries[some]) for kept in _KEPT
    ]
    with_numbers = np.arange(len(problem.observed) if n_gaussian else 0)
    many = problem.some(with_numbers, _MOST_ROWS_IN_HALVES, 37)
    coin = np.random.default_rng([problem.seed, 41]).random((len(many), n_entries))
    observed = problem.observed[many]
    halves = [
        from_features(many, observed & ~half, observed & half) for half in (coin < 0.5, coin >= 0.5)
    ]
    targets = Targets(
        codes=problem.target_codes[rows].T,
        held=entries[:, problem.target_entries].T,
        knows=np.asarray(seen[:, problem.target_entries].any(axis=1)),
        weight=problem.row_weight[rows],
        part=np.arange(len(rows)) % _N_PARTS,
        new=[log_proba.swapaxes(1, 2) for log_proba in new.targets],
        known=[log_proba.swapaxes(1, 2) for log_proba in known.targets],
    )
    numbers = _numbers(problem, rows, seen, entries, known)
    given = _given_to_truth(problem, rows, entries, known)
    return Judged(numbers, given, fewer, _joined(halves), targets)


def _numbers(
    problem: Problem, rows: Ints, seen: Bools, asked: Bools, found: Predictions
) -> Numbers:
    """Numbers among the entries that are asked for."""
    row, number = np.nonzero(asked[:, : problem.units.layer.n_gaussian])
    return Numbers(
        truth=problem.encoded.values[rows[row], number].astype(np.float64),
        predicted=found.numbers[:, row, number],
        spread=found.spread[row, number],
        number=number,
        share=seen[:, ~problem.is_target].mean(axis=1)[row],
        weight=problem.row_weight[rows[row]],
    )


def _given_to_truth(
    problem: Problem, rows: Ints, asked: Bools, found: Predictions
) -> tuple[Floats, Floats]:
    """Probabilities given to the true values of discrete features, and weights of their rows."""
    layer = problem.units.layer
    truth = problem.encoded.values[rows][:, layer.n_gaussian :]
    counts = problem.units.by_unit(asked & ~problem.is_target)[:, layer.n_gaussian :]
    counts[:, layer.n_bernoulli :] &= truth[:, layer.n_bernoulli :] > 0.5  # the category alone
    row, unit = np.nonzero(counts)
    p, t = found.discrete[:, row, unit], truth[row, unit]
    return t * p + (1 - t) * (1 - p), problem.row_weight[rows[row]]


def fit_stack(problem: Problem, ensemble: Ensemble, judged: Judged) -> Stack:
    """Weights under which the held-out entries are predicted best."""
    weights = number_weights(judged.numbers, problem.units.layer.n_gaussian)
    contexts = ("new", "known")
    pools = [_fit_pools(problem, ensemble, judged.targets, context) for context in contexts]
    residuals = _residuals(weights, judged, problem.config.n_folds)
    return Stack(weights, mixture_weights(*judged.given), pools, residuals)


def _residuals(weights: Floats, judged: Judged, n_folds: int) -> Residuals:
    """Residuals of the numbers of many rows, as large as those of validation entries are.

    Few validation entries do not tell where the residuals of a column lie: an error of their mean
    would be one of every mean that is estimated from draws.
    """
    held, halves = judged.fewer[0], judged.halves
    trusted = len(held.truth) / (len(held.truth) + _ENTRIES_OF_HALVES)
    slope = trusted * _slope(held, weights) + (1 - trusted) * _slope(halves, weights)

    def residuals(of: Numbers) -> Floats:
        return np.asarray((of.truth - slope * of.mean(weights)) / of.spread)

    def size(of: Numbers) -> float:
        return float(np.mean(residuals(of) ** 2)) if len(of.truth) else 1.0

    def size_beside(of: Numbers, others: Numbers) -> float:
        return trusted * size(of) / max(size(others), 1e-9) + 1 - trusted

    shares = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    residual = residuals(halves) * np.sqrt(size_beside(held, halves))
    of_all = residual if len(residual) else norm.ppf(shares)
    counts = np.bincount(halves.number, minlength=len(weights)) / n_folds
    quantiles = np.zeros((len(weights), _N_QUANTILES))
    for j in range(len(weights)):
        own = residual[halves.number == j]
        quantiles[j] = np.quantile(own if len(own) >= _FEWEST_OF_COLUMN else of_all, shares)
    by_share = judged.fewer[::-1]  # from rows of which least is shown to those of which all is
    return Residuals(
        slope,
        quantiles,
        scale=np.maximum(np.sqrt(np.mean(quantiles**2, axis=1)), 1e-3),
        n_entries=np.maximum(counts, 1.0),
        shares=np.array([one.share.sum() / max(len(one.share), 1) for one in by_share]),
        factors=np.sqrt([size_beside(one, held) for one in by_share]),
    )


def _slope(of: Numbers, weights: Floats) -> float:
    """Slope of the truth over what is predicted, pulled to one; columns have means of their own."""
    counts = np.maximum(np.bincount(of.number), 1)
    truth, mean = (
        part - (np.bincount(of.number, part) / counts)[of.number]
        for part in (of.truth, of.mean(weights))
    )
    return float((truth @ mean + _SLOPE_STRENGTH) / (mean @ mean + _SLOPE_STRENGTH))


def _fit_pools(
    problem: Problem, ensemble: Ensemble, targets: Targets, context: str, rows: Any = True
) -> list[Pool]:
    """The pool of each target: targets of two classes share one, and so do all others."""
    if context == "known" and targets.held[:, rows & targets.knows].any():
        rows = rows & targets.knows
    n_classes = np.array([len(column.categories) for column in problem.schema.targets])
    pools: dict[bool, Pool] = {}
    for binary in np.unique(n_classes == 2).tolist():
        entries = []
        for j in np.flatnonzero((n_classes == 2) == binary):
            own = rows & targets.held[j]
            log_proba = getattr(targets, context)[j][..., own]
            entries.append((log_proba, targets.codes[j, own], targets.weight[own]))
        # Trees and Gaussians of classes do not see known targets.
        n_seeing = 2 if context == "known" else len(log_proba)
        powers = (np.arange(len(log_proba)) < n_seeing) / n_seeing
        if ensemble.folds[0].class_priors:
            # They may be much too confident: theirs is times what it would be alone.
            last = [(log_proba[-1:], codes, weight) for log_proba, codes, weight in entries]
            powers[-1] *= fit_pool(last, np.ones(1)).powers[0]
        pools[binary] = fit_pool(entries, powers)
    return [pools[n == 2] for n in n_classes]


def calibrate(problem: Problem, ensemble: Ensemble, judged: Judged) -> Calibration:
    """Conformal intervals and sets, from predictions that features alone allow."""
    schema, targets, numbers = problem.schema, judged.targets, _joined(judged.fewer)
    mean, column = numbers.mean(ensemble.stack.numbers), schema.unit_column[numbers.number]
    intervals = ConformalIntervals.fit(
        numbers.truth, mean, column, len(schema.features), numbers.spread, numbers.share
    )
    proba = [np.zeros(log_proba.shape[:0:-1]) for log_proba in targets.new]
    for part in range(_N_PARTS if schema.targets else 0):
        # Pools are fitted to the other rows, so that no entry is judged by weights that it chose.
        rows = targets.part == part
        for j, pool in enumerate(_fit_pools(problem, ensemble, targets, "new", ~rows)):
            proba[j][rows] = pooled(targets.new[j][..., rows].swapaxes(1, 2), pool)
    codes = list(np.maximum(targets.codes, 0))
    return Calibration(intervals, conformal_sets(schema, proba, codes, targets.held.T))


def number_weights(of: Numbers, n_columns: int) -> Floats:
    """Non-negative weights of predictions for each column, (n_columns, n_predictions).

    They have a sum of one or less: the rest is the weight of the mean of the column, which is 0 in
    standard units. Columns are pulled to common weights, and these to equal ones.
    """
    n_predictions, n_entries = of.predicted.shape
    equal = np.append(np.full(n_predictions, 1.0 / n_predictions), 0.0)
    if not n_entries:
        return np.tile(equal[:-1], (n_columns, 1))
    root = np.sqrt(of.weight)
    with_mean, truth = np.vstack([of.predicted, np.zeros(n_entries)]) * root, of.truth * root
    common, usual = _pulled_least_squares(with_mean, truth, equal, 1.0, _COMMON_STRENGTH)
    weights = np.tile(common, (n_columns, 1))
    for j in np.unique(of.number):
        own = with_mean[:, of.number == j], truth[of.number == j]
        weights[j], _ = _pulled_least_squares(*own, common, usual, _COLUMN_STRENGTH)
    return weights[:, :-1]


def _pulled_least_squares(
    predictions: Floats, truth: Floats, towards: Floats, usual_error: float, strength: float
) -> tuple[Floats, float]:
    """Non-negative least squares of sum one, pulled towards given weights; and the least error."""
    # Mean squared error of the best prediction, as if ten more entries had the usual one.
    best = ((predictions - truth) ** 2).sum(axis=1).min()
    error = float((best + 10.0 * usual_error) / (len(truth) + 10.0))
    pull = np.sqrt(strength * min(1.0, error / _LARGE_ERROR))
    # One heavy equation keeps the sum at one.
    n_predictions, heavy = len(towards), 1e3 * np.sqrt(len(truth))
    equations = [predictions.T, pull * np.eye(n_predictions), np.full(n_predictions, heavy)]
    right = np.concatenate([truth, pull * towards, [heavy]])
    # The triangle of a QR factorisation holds all that least squares needs.
    triangle = np.asarray(np.linalg.qr(np.column_stack([np.vstack(equations), right]), mode="r"))
    weights = nnls(triangle[:, :-1], triangle[:, -1], maxiter=1000)[0]
    return np.asarray(weights / weights.sum()), error


def mixture_weights(probabilities: Floats, entry_weight: Floats) -> Floats:
    """Weights of a mixture under which true values are most probable, pulled to equal ones.

    `probabilities`, of shape (n_predictions, n_entries), are those given to the true values.
    """
    n_predictions, n_entries = probabilities.shape
    weights = np.full(n_predictions, 1.0 / n_predictions)
    for _ in range(_MIXTURE_ROUNDS if n_entries else 0):
        share = weights[:, None] * np.maximum(probabilities, LEAST_PROBABILITY)
        counts = (share / share.sum(axis=0)) @ entry_weight + _MIXTURE_STRENGTH / n_predictions
        weights = counts / counts.sum()
    return weights


def fit_pool(targets: list[tuple[Floats, Ints, Floats]], start: Floats) -> Pool:
    """Powers and shift under which true classes are most probable, pulled to those at the start.

    A target is given by log-probabilities of shape (n_predictions, n_classes, n_entries), codes of
    the true classes, and weights of the entries. Only targets of two classes have a shift.
    """
    start = np.append(start, 0.0)
    n_predictions = len(start) - 1
    pull = np.append(np.full(n_predictions, _POWER_STRENGTH * n_predictions), _SHIFT_STRENGTH)
    has_shift = all(log_p.shape[1] == 2 for log_p, _, _ in targets)

    def loss(sought: Floats) -> tuple[float, Floats]:
        away = sought - start
        value, slope = 0.5 * float(pull @ away**2), pull * away
        for log_p, code, weight in targets:
            heights = np.tensordot(sought[:-1], log_p, axes=1)
            if has_shift:
                heights[1] += sought[-1]
            total, true = logsumexp(heights, axis=0), (code, np.arange(len(code)))
            value += float(weight @ (total - heights[true]))
            excess = np.exp(heights - total)
            excess[true] -= 1.0
            excess *= weight
            slope[:-1] += np.einsum("cr,kcr->k", excess, log_p)
            if has_shift:
                slope[-1] += excess[1].sum()
        return value, slope

    largest = _LARGEST_SHIFT if has_shift else 0.0
    bounds = [(0.0, _LARGEST_POWER)] * n_predictions + [(-largest, largest)]
    found = minimize(loss, start, jac=True, bounds=bounds).x
    return Pool(found[:-1], float(found[-1]))
