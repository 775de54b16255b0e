"""What is fitted to held-out entries: the weights of the stack, intervals and prediction sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from halfseen.base.conformal import ConformalIntervals, ConformalSets
from halfseen.base.estimator import Calibration
from halfseen.data.schema import Encoded
from halfseen.ensemble.model import Ensemble, Fold, Predictions, Stack, weighted_sum
from halfseen.ensemble.problem import Problem
from halfseen.ensemble.stacking import Pool, fit_pool, mixture_weights, number_weights, pooled
from halfseen.ensemble.validation import HeldOut

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_N_PARTS = 5  # of cross-fitting
# Intervals are calibrated on rows of which these shares of the features are kept.
_KEPT, _MOST_MASKED_ROWS = (1.0, 0.5, 0.2, 0.05), 2048


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
    masked: list[Masked]  # the same, with ever fewer features shown


class Masked(NamedTuple):
    """Rows of which some of the features are masked, and what is predicted of their numbers."""

    rows: NDArray[np.int64]  # places among the judged rows
    share: Floats  # (n_rows,), of the features that is shown
    predictions: Predictions


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
    masked = _ever_fewer(problem, ensemble, fold, features, hidden)
    return Judged(
        values, problem.target_codes[rows], hidden,
        entries[:, by_unit[target_units]], np.asarray(shown[:, target_units].any(axis=1)),
        problem.row_weight[rows], known, new, masked,
    )  # fmt: skip


def _ever_fewer(
    problem: Problem, ensemble: Ensemble, fold: Fold, features: Encoded, held: Bools
) -> list[Masked]:
    """Predictions of held-out numbers from all, and from ever fewer, of the features of a row.

    Masks are nested: what one hides, the next ones hide too [1]_.

    .. [1] Zaffran, Josse, Romano and Dieuleveut, "Predictive Uncertainty Quantification with
       Missing Covariates", arXiv 2405.15641 (CP-MDA-Nested).
    """
    n_gaussian, by_unit = problem.units.layer.n_gaussian, problem.units.entry_of_unit
    rows = problem.some(np.flatnonzero(held[:, :n_gaussian].any(axis=1)), _MOST_MASKED_ROWS, 29)
    numbers_only = Fold(fold.members, fold.class_priors)
    uniform = np.random.default_rng([problem.seed, 31]).random((len(rows), problem.units.n_entries))
    first = np.unique(by_unit, return_index=True)[1]
    of_features = first[~problem.is_target]
    found = []
    for kept in _KEPT if len(rows) else ():
        shown = features.observed[rows] & (uniform < kept)[:, by_unit]
        predicted = ensemble.predictions(Encoded(features.values[rows], shown), [numbers_only])
        found.append(Masked(rows, shown[:, of_features].mean(axis=1), predicted))
    return found


_N_QUANTILES, _FEWEST_OF_COLUMN = 99, 50  # of residuals


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
    return Stack(weights, discrete, pools, *_residuals(layer.n_gaussian, weights, judged))


def _residuals(n_gaussian: int, weights: Floats, judged: list[Judged]) -> tuple[Floats, Floats]:
    """Quantiles and root mean square of (truth - mean) / spread, of each number or of all."""
    found, column = [np.zeros(0)], [np.zeros(0, np.int64)]
    for one in judged:
        rows, numbers = np.nonzero(one.features[:, :n_gaussian])
        mean = weighted_sum(weights.T[:, None], one.known.numbers)[rows, numbers]
        found.append((one.truth[rows, numbers] - mean) / one.known.spread[rows, numbers])
        column.append(numbers)
    residual, of_column = np.concatenate(found), np.concatenate(column)
    shares = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    pooled = residual if len(residual) else norm.ppf(shares)
    quantiles, scale = np.zeros((n_gaussian, _N_QUANTILES)), np.zeros(n_gaussian)
    for j in range(n_gaussian):
        own = residual[of_column == j]
        own = own if len(own) >= _FEWEST_OF_COLUMN else pooled
        quantiles[j] = np.quantile(own, shares)
        scale[j] = max(float(np.sqrt(np.mean(own**2))), 1e-3)
    return quantiles, scale


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
    schema, layer = problem.schema, problem.units.layer
    assert ensemble.stack is not None
    alone = ensemble.folds[0].class_priors is not None
    n_gaussian = layer.n_gaussian
    parts: list[tuple[NDArray[Any], ...]] = [(np.zeros(0),) * 5]
    for one in judged:
        for rows, share, predicted in one.masked:
            at = np.nonzero(one.features[rows, :n_gaussian])
            mean = weighted_sum(ensemble.stack.numbers.T[:, None], predicted.numbers)[at]
            column = schema.unit_column[at[1]]
            truth = one.truth[rows][at]
            parts.append((truth, mean, column, predicted.spread[at], share[at[0]]))
    truth, mean, column, spread, share = (np.concatenate(p) for p in zip(*parts, strict=True))
    intervals = ConformalIntervals.fit(truth, mean, column, len(schema.features), spread, share)
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
