"""What is fitted to held-out entries: the weights of the stack, intervals and prediction sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from halfseen.base.conformal import ConformalIntervals, ConformalSets
from halfseen.base.estimator import Calibration
from halfseen.data.schema import Encoded
from halfseen.ensemble.model import (
    Ensemble,
    Fold,
    Predictions,
    Residuals,
    Stack,
    weighted_sum,
)
from halfseen.ensemble.problem import Problem
from halfseen.ensemble.stacking import Pool, fit_pool, mixture_weights, number_weights, pooled
from halfseen.ensemble.validation import HeldOut

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_N_PARTS = 5  # of cross-fitting
# Intervals are calibrated on rows of which these shares of the features are kept.
_KEPT, _MOST_MASKED_ROWS = (1.0, 0.5, 0.2, 0.05), 2048
# Residuals of draws: rows that are predicted in halves, and validation entries that outweigh them.
_MOST_ROWS_IN_HALVES, _ENTRIES_OF_HALVES, _SLOPE_STRENGTH = 1024, 200.0, 10.0
_N_QUANTILES, _FEWEST_OF_COLUMN = 99, 50


class Judged(NamedTuple):
    """Held-out entries of one fold, and what its parts predict of them."""

    truth: NDArray[np.float32]  # (n_rows, n_units)
    codes: NDArray[np.int64]  # (n_rows, n_targets)
    features: Bools  # (n_rows, n_units), held-out features
    targets: Bools  # (n_rows, n_targets), held-out targets
    knows: Bools  # (n_rows,), whether some target is shown
    weight: Floats  # (n_rows,)
    known: Predictions  # with the other targets shown
    new: Predictions  # with all targets hidden
    fewer: list[Masked]  # the same, with ever fewer features shown
    halves: list[Masked]  # rows by one half of their features and by the other


class Masked(NamedTuple):
    """Numbers that are masked, and what is predicted of them."""

    truth: NDArray[np.float32]  # (n_rows, n_gaussian)
    asked: Bools  # (n_rows, n_gaussian)
    share: Floats  # (n_rows,), of the features that is shown
    numbers: Floats  # (n_predictions, n_rows, n_gaussian)
    spread: Floats  # (n_rows, n_gaussian)


def judge(problem: Problem, ensemble: Ensemble, fold: Fold, held: HeldOut) -> Judged:
    """Predict the held-out entries of a fold by what is fitted to its training entries."""
    schema, n_features = problem.schema, len(problem.schema.features)
    asked = np.flatnonzero(held.entries.any(axis=1))
    rows, entries = held.rows[asked], held.entries[asked]
    by_unit = problem.units.entry_of_unit
    is_target = np.asarray(problem.scale.is_target)
    target_units = [schema.units_of(n_features + j).start for j in range(len(schema.targets))]
    seen = problem.observed[rows] & ~entries
    shown = seen[:, by_unit]
    values = problem.encoded.values[rows]
    features = Encoded(values, shown & ~is_target)
    known = new = ensemble.predictions(Encoded(values, shown), [fold])
    if target_units:
        new = ensemble.predictions(features, [fold])
    hidden = entries[:, by_unit] & ~is_target
    fewer = _ever_fewer(problem, ensemble, fold, rows, features.observed, hidden)
    halves = _halves(problem, ensemble, fold)
    return Judged(
        values, problem.target_codes[rows], hidden,
        entries[:, by_unit[target_units]], np.asarray(shown[:, target_units].any(axis=1)),
        problem.row_weight[rows], known, new, fewer, halves,
    )  # fmt: skip


def _ever_fewer(
    problem: Problem,
    ensemble: Ensemble,
    fold: Fold,
    rows: NDArray[np.int64],
    shown: Bools,
    held: Bools,
) -> list[Masked]:
    """Predictions of held-out numbers from all, and from ever fewer, of the features of a row.

    Masks are nested: what one hides, the next ones hide too [1]_.

    .. [1] Zaffran, Josse, Romano and Dieuleveut, "Predictive Uncertainty Quantification with
       Missing Covariates", arXiv 2405.15641 (CP-MDA-Nested).
    """
    asked = held[:, : problem.units.layer.n_gaussian]
    some = problem.some(np.flatnonzero(asked.any(axis=1)), _MOST_MASKED_ROWS, 29)
    rows, shown, asked = rows[some], shown[some], asked[some]
    uniform = np.random.default_rng([problem.seed, 31]).random((len(rows), problem.units.n_entries))
    return [
        _masked(problem, ensemble, fold, rows, shown & problem.by_unit(uniform < kept), asked)
        for kept in _KEPT
    ]


def _halves(problem: Problem, ensemble: Ensemble, fold: Fold) -> list[Masked]:
    """Predictions of all numbers of some rows, by one half of the features and by the other."""
    n_gaussian = problem.units.layer.n_gaussian
    if not n_gaussian:
        return []
    rows = problem.some(np.arange(problem.n_rows), _MOST_ROWS_IN_HALVES, 37)
    seen = problem.by_unit(problem.observed[rows] & ~problem.is_target)
    coin = np.random.default_rng([problem.seed, 41]).random((len(rows), problem.units.n_entries))
    found = []
    for half in (coin < 0.5, coin >= 0.5):
        asked = seen & problem.by_unit(half)
        found.append(_masked(problem, ensemble, fold, rows, seen & ~asked, asked[:, :n_gaussian]))
    return found


def _masked(
    problem: Problem,
    ensemble: Ensemble,
    fold: Fold,
    rows: NDArray[np.int64],
    shown: Bools,
    asked: Bools,
) -> Masked:
    values = problem.encoded.values[rows]
    found = ensemble.predictions(Encoded(values, shown), [Fold(fold.members, fold.class_priors)])
    first = np.unique(problem.units.entry_of_unit, return_index=True)[1]
    share = shown[:, first[~problem.is_target]].mean(axis=1)
    return Masked(values[:, : asked.shape[1]], asked, share, found.numbers, found.spread)


class _Numbers(NamedTuple):
    """Masked numbers, entry by entry."""

    truth: Floats
    mean: Floats
    spread: Floats
    number: NDArray[np.int64]
    share: Floats

    @classmethod
    def of(cls, parts: Iterable[Masked], weights: Floats) -> _Numbers:
        found: list[tuple[NDArray[Any], ...]] = [(np.zeros(0),) * 5]
        for part in parts:
            at = np.nonzero(part.asked)
            mean = weighted_sum(weights.T[:, None], part.numbers)
            found.append((part.truth[at], mean[at], part.spread[at], at[1], part.share[at[0]]))
        truth, mean, spread, number, share = map(np.concatenate, zip(*found, strict=True))
        return cls(truth.astype(np.float64), mean, spread, number.astype(np.int64), share)


def fit_stack(problem: Problem, ensemble: Ensemble, judged: list[Judged]) -> Stack:
    """Weights under which the held-out entries are predicted best."""
    layer = problem.units.layer
    numbers = slice(0, layer.n_gaussian)
    at = [np.nonzero(one.features[:, numbers]) for one in judged]
    weights = number_weights(
        np.concatenate(
            [one.known.numbers[:, a[0], a[1]] for one, a in zip(judged, at, strict=True)], axis=1
        ),
        np.concatenate(
            [one.truth[a].astype(np.float64) for one, a in zip(judged, at, strict=True)]
        ),
        np.concatenate([a[1] for a in at]),
        layer.n_gaussian,
        np.concatenate([one.weight[a[0]] for one, a in zip(judged, at, strict=True)]),
    )
    given, weight = zip(*[_given_to_truth(problem, one) for one in judged], strict=True)
    discrete = mixture_weights(np.concatenate(given, axis=1), np.concatenate(weight))
    everything = [np.ones(len(one.truth), bool) for one in judged]
    alone = ensemble.folds[0].class_priors is not None
    pools = [
        _fit_pools(problem, judged, context, everything, alone) for context in ("new", "known")
    ]
    return Stack(weights, discrete, pools, _residuals(layer.n_gaussian, weights, judged))


def _residuals(n_gaussian: int, weights: Floats, judged: list[Judged]) -> Residuals:
    """Residuals of the numbers of many rows, as large as those of validation entries are.

    Few validation entries do not tell where the residuals of a column lie: an error of their mean
    would be one of every mean that is estimated from draws.
    """
    halves = _Numbers.of((part for one in judged for part in one.halves), weights)
    by_kept = [
        _Numbers.of(parts, weights) for parts in zip(*(one.fewer for one in judged), strict=True)
    ]
    held = by_kept[0]
    trusted = len(held.truth) / (len(held.truth) + _ENTRIES_OF_HALVES)
    slope = trusted * _slope(held) + (1 - trusted) * _slope(halves)

    def size(of: _Numbers) -> float:
        residual = (of.truth - slope * of.mean) / of.spread
        return float(np.mean(residual**2)) if len(residual) else 1.0

    shares = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    residual = (halves.truth - slope * halves.mean) / halves.spread
    residual *= np.sqrt(trusted * size(held) / max(size(halves), 1e-9) + 1 - trusted)
    pooled = residual if len(residual) else norm.ppf(shares)
    counts = np.bincount(halves.number, minlength=n_gaussian) / max(len(judged), 1)
    quantiles = np.zeros((n_gaussian, _N_QUANTILES))
    for j in range(n_gaussian):
        own = residual[halves.number == j]
        quantiles[j] = np.quantile(own if len(own) >= _FEWEST_OF_COLUMN else pooled, shares)
    scale = np.maximum(np.sqrt(np.mean(quantiles**2, axis=1)), 1e-3)
    by_share = by_kept[::-1]  # from the rows of which least is shown to those of which all is
    factors = [trusted * size(one) / max(size(held), 1e-9) + 1 - trusted for one in by_share]
    shown = [one.share.sum() / max(len(one.share), 1) for one in by_share]
    return Residuals(
        slope, quantiles, scale, np.maximum(counts, 1.0), np.array(shown), np.sqrt(factors)
    )


def _slope(of: _Numbers) -> float:
    """Slope of the truth over what is predicted, pulled to one; columns have means of their own."""
    counts = np.maximum(np.bincount(of.number), 1)
    truth, mean = (
        part - (np.bincount(of.number, part) / counts)[of.number] for part in (of.truth, of.mean)
    )
    return float((truth @ mean + _SLOPE_STRENGTH) / (mean @ mean + _SLOPE_STRENGTH))


def _given_to_truth(problem: Problem, one: Judged) -> tuple[Floats, Floats]:
    """Probabilities given to the true values of held-out discrete features."""
    layer = problem.units.layer
    n_gaussian = layer.n_gaussian
    truth, entries = one.truth[:, n_gaussian:], one.features[:, n_gaussian:]
    binary = np.arange(truth.shape[1]) < layer.n_bernoulli
    single, ones = np.nonzero(entries & binary), np.nonzero(entries & ~binary & (truth > 0.5))
    p, t = one.known.discrete[:, single[0], single[1]], truth[single]
    given = np.concatenate(
        [t * p + (1 - t) * (1 - p), one.known.discrete[:, ones[0], ones[1]]], axis=1
    )
    return given, one.weight[np.concatenate([single[0], ones[0]])]


def _fit_pools(
    problem: Problem, judged: list[Judged], context: str, some: list[Bools], fitted_alone: bool
) -> list[Pool]:
    """The pool of each target: targets of two classes share one, and so do all others."""
    rows = [
        own & (one.knows if context == "known" else True)
        for one, own in zip(judged, some, strict=True)
    ]
    if not any(one.targets[own].any() for one, own in zip(judged, rows, strict=True)):
        rows = some
    n_classes = [len(column.categories) for column in problem.schema.targets]
    pools: dict[bool, Pool] = {}
    for binary in {n == 2 for n in n_classes}:
        log_proba, codes, weights = [], [], []
        for j, n in enumerate(n_classes):
            if (n == 2) != binary:
                continue
            for one, own in zip(judged, rows, strict=True):
                asked = own & one.targets[:, j]
                log_proba.append(getattr(one, context).targets[j][:, asked])
                codes.append(one.codes[asked, j])
                weights.append(one.weight[asked])
        pools[binary] = fit_pool(
            log_proba,
            codes,
            weights,
            _first_powers(log_proba, codes, weights, problem, context, fitted_alone),
        )
    return [pools[n == 2] for n in n_classes]


def _first_powers(
    log_proba: list[Floats],
    codes: list[NDArray[np.int64]],
    weights: list[Floats],
    problem: Problem,
    context: str,
    last_alone: bool,
) -> Floats:
    """Equal powers to begin with; trees and Gaussians of classes do not see known targets.

    Gaussians of classes may be much too confident: theirs is times what it would be alone.
    """
    n_predictions = len(log_proba[0])
    n_readers = len(problem.config.kinds) + 1
    powers = np.ones(n_predictions)
    if context == "known":
        powers[n_readers:] = 0.0
    powers /= powers.sum()
    if last_alone:
        alone = fit_pool([p[-1:] for p in log_proba], codes, weights, np.ones(1))
        powers[-1] *= alone.powers[0]
    return powers


def calibrate(problem: Problem, ensemble: Ensemble, judged: list[Judged]) -> Calibration:
    """Conformal intervals and sets, from predictions that features alone allow."""
    schema = problem.schema
    assert ensemble.stack is not None
    alone = ensemble.folds[0].class_priors is not None
    found = _Numbers.of((part for one in judged for part in one.fewer), ensemble.stack.numbers)
    intervals = ConformalIntervals.fit(
        found.truth, found.mean, schema.unit_column[found.number], len(schema.features),
        found.spread, found.share,
    )  # fmt: skip
    proba = [
        [np.zeros((len(one.truth), len(c.categories))) for c in schema.targets] for one in judged
    ]
    for part in range(_N_PARTS if schema.targets else 0):
        # Pools are fitted to the other rows, so that no entry is judged by weights that it chose.
        own = [np.arange(len(one.truth)) % _N_PARTS == part for one in judged]
        pools = _fit_pools(problem, judged, "new", [~rows for rows in own], alone)
        for one, rows, into in zip(judged, own, proba, strict=True):
            for j, pool in enumerate(pools):
                into[j][rows] = pooled(one.new.targets[j][:, rows], pool)
    return Calibration(intervals, _sets(problem, judged, proba))


def _sets(
    problem: Problem, judged: list[Judged], proba: list[list[Floats]]
) -> tuple[ConformalSets, ...]:
    schema = problem.schema
    known = np.concatenate([one.targets for one in judged])
    codes = np.maximum(np.concatenate([one.codes for one in judged]), 0)
    of_target = [np.concatenate([p[j] for p in proba]) for j in range(len(schema.targets))]
    if schema.target_type == "multilabel-indicator":
        return (ConformalSets.fit(np.stack(of_target, 1), codes, known),)
    return tuple(ConformalSets.fit(p, codes[:, j], known[:, j]) for j, p in enumerate(of_target))
