"""Fitting an ensemble: priors, members, class-conditional Gaussians and trees of every fold."""

from __future__ import annotations

import itertools
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Encoded
from halfseen.ensemble.machine import Member, member_predictions
from halfseen.ensemble.model import ClassPriors, Ensemble, Fold, class_predictions
from halfseen.ensemble.prior import (
    GaussianPrior,
    Moments,
    conditional_means,
    expected_moments,
    fit_prior,
)
from halfseen.ensemble.problem import Bools, Floats, Ints, Problem, Progress, Stopper
from halfseen.ensemble.training import Trainer, run_steps
from halfseen.ensemble.trees import Trees, boost_trees, fit_forest
from halfseen.ensemble.validation import HeldOut, hold_out

Rows = NDArray[np.float32]

# What is compiled for a table.
PROGRAMS = (expected_moments, conditional_means, run_steps, member_predictions, class_predictions)

_MOST_PRIOR_ROWS, _MOST_TREE_ROWS = 6000, 20_000
_PRIOR_ROUNDS = 12
_SHRINKAGES = (0.002, 0.02, 0.06, 0.2, 0.5)
# A class has, beside its own rows, some of the covariance within all classes, and of their mean.
_ROWS_OF_COVARIANCE, _ROWS_OF_MEAN = 0.6, 2.0  # the first for each unit
_WITHIN_SHRINKAGE = 0.05
_FEWEST_CLASS_ROWS = 50
# Bounds of time: of the covariances of classes, and of the splits that boosting tries.
_MOST_CLASS_WORK, _MOST_BOOSTING_WORK = 1e8, 8e7
_ROWS_OF_CLASS = 500  # above which boosting takes more rounds


def fit_ensemble(
    problem: Problem,
    *,
    trees: bool,
    class_gaussians: bool,
    indicator: bool,
    n_jobs: int,
    stopper: Stopper,
    progress: Progress,
) -> tuple[Ensemble, list[HeldOut]]:
    """Fit every part to the training entries of its fold; the entries held out of each fold."""
    config, n_kinds = problem.config, len(problem.config.kinds)
    held_out = [
        hold_out(
            problem.observed, problem.target_codes, problem.is_target, config.validation_fraction,
            problem.target_entries, [problem.seed, fold],
        )
        for fold in range(config.n_folds)
    ]  # fmt: skip
    ensemble = Ensemble(problem.schema, problem.units, problem.scale, config.n_search_predict, [])

    def predict(encoded: Encoded, member: Member) -> Rows:
        return ensemble.member_predictions(encoded, [member])[0].mean

    with ThreadPoolExecutor(n_jobs, thread_name_prefix="halfseen") as pool:
        try:
            priors = _fit_priors(problem, held_out, pool, progress)
            trainer = Trainer(problem, held_out, predict, stopper, progress, indicator=indicator)
            jobs = [
                pool.submit(trainer.train, place, priors[place // n_kinds])
                for place in range(config.n_folds * n_kinds)
            ]
            members = stopper.results(jobs)
            ensemble.folds = [
                Fold(members[first : first + n_kinds]) for first in range(0, len(members), n_kinds)
            ]
            if class_gaussians and not stopper:
                _fit_class_priors(problem, held_out, ensemble.folds)
            if trees and problem.schema.targets and not stopper:
                with warnings.catch_warnings():  # in this thread: all threads share the filters
                    warnings.filterwarnings("ignore", message="The number of unique classes")
                    _fit_trees(problem, held_out, ensemble, pool, progress)
        except BaseException:
            stopper.end()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return ensemble, held_out


def _fit_priors(
    problem: Problem, held_out: list[HeldOut], pool: ThreadPoolExecutor, progress: Progress
) -> list[GaussianPrior]:
    """One prior for each fold; the shrinkage of all is the best one in the first fold."""
    rows = problem.some(np.arange(problem.n_rows), _MOST_PRIOR_ROWS, 11)
    values, weight = problem.standard(rows), problem.row_weight[rows]
    n_units, n_folds = values.shape[1], len(held_out)
    identity = Moments(np.zeros(n_units), np.eye(n_units))
    n_fits, done = len(_SHRINKAGES) + n_folds - 1, itertools.count(1)

    def fitted(fold: int, shrinkage: float) -> GaussianPrior:
        seen = problem.by_unit(held_out[fold].training(problem.observed)[rows])
        prior = _fit(problem, values, seen, weight, identity, (0.0, shrinkage),
                     problem.config.rank, 12, fold)  # fmt: skip
        progress("priors", next(done), n_fits)
        return prior

    progress("priors", 0, n_fits)
    tried = list(pool.map(lambda shrinkage: fitted(0, shrinkage), _SHRINKAGES))
    best = int(np.argmin([_prior_loss(problem, held_out[0], prior) for prior in tried]))
    rest = pool.map(lambda fold: fitted(fold, _SHRINKAGES[best]), range(1, n_folds))
    return [tried[best], *rest]


def _fit(
    problem: Problem,
    values: NDArray[Any],
    seen: Bools,
    weight: Floats,
    towards: Moments,
    shrinkage: tuple[float, float],
    rank: int,
    *stream: int,
) -> GaussianPrior:
    return fit_prior(
        values, seen, weight, towards, shrinkage, rank=rank, n_rounds=_PRIOR_ROUNDS,
        n_patterns=problem.config.n_patterns, seed=[problem.seed, *stream],
    )  # fmt: skip


def _prior_loss(problem: Problem, held: HeldOut, prior: GaussianPrior) -> float:
    """Mean logarithm of the squared error, over the units of features and those of targets."""
    values = problem.standard(held.rows)
    seen = problem.by_unit(problem.observed[held.rows] & ~held.entries)
    found = conditional_means(prior, values, seen, n_steps=problem.config.n_search_predict)
    squared, judged = (np.asarray(found) - values) ** 2, problem.by_unit(held.entries)
    loss = 0.0
    for units in (~problem.target_units, problem.target_units):
        entries = judged & units
        if entries.any():
            loss += units.sum() * float(np.log(squared[entries].mean() + 1e-12))
    return loss if np.isfinite(loss) else np.inf


def _fit_class_priors(problem: Problem, held_out: list[HeldOut], folds: list[Fold]) -> None:
    """A Gaussian of the features for each class, where the target is one column."""
    codes, n_units = problem.target_codes, problem.units.layer.n_units
    if codes.shape[1] != 1 or (codes >= 0).sum() < _FEWEST_CLASS_ROWS:
        return
    n_classes = len(problem.schema.targets[0].categories)
    if n_classes * n_units**3 > _MOST_CLASS_WORK:
        return
    for fold, held in enumerate(held_out):
        folds[fold].class_priors = _class_priors(problem, held, n_classes, fold)


def _class_priors(problem: Problem, held: HeldOut, n_classes: int, fold: int) -> ClassPriors:
    rows, values, seen, code = _labelled_rows(problem, held, fold)
    weight = problem.row_weight[rows]
    n_units, rank = values.shape[1], min(problem.config.rank, problem.config.class_rank)
    of_class = np.eye(n_classes)[code] * weight[:, None]
    means = (of_class.T @ np.where(seen, values, 0.0)) / (of_class.T @ seen + _ROWS_OF_MEAN)
    identity = Moments(np.zeros(n_units), np.eye(n_units))
    # The covariance within classes is that of deviations from the means of the classes.
    within = _fit(problem, values - means[code], seen, weight, identity, (0.0, _WITHIN_SHRINKAGE),
                  rank, 13, fold)  # fmt: skip
    loading, noise = np.asarray(within.loading, np.float64), np.asarray(within.noise, np.float64)
    covariance = loading @ loading.T + np.diag(noise)
    counts = np.bincount(code, minlength=n_classes).astype(np.float64)
    # Rows are padded to one number for all classes, a power of two, so that few programs compile.
    size = 1 << int(max(counts.max(), 8) - 1).bit_length()

    def fitted(c: int) -> GaussianPrior:
        own = np.flatnonzero(code == c)
        padded = np.append(own, np.zeros(size - len(own), np.int64))
        real = np.arange(size) < len(own)
        n_common = max(5.0, _ROWS_OF_COVARIANCE * n_units)
        shares = _ROWS_OF_MEAN / (len(own) + _ROWS_OF_MEAN), n_common / (len(own) + n_common)
        own_weight = np.where(real, weight[padded], 0.0) if len(own) else np.ones(size)
        return _fit(problem, values[padded], seen[padded] & real[:, None], own_weight,
                    Moments(means[c], covariance), shares, rank, 14, fold, c)  # fmt: skip

    priors = [fitted(c) for c in range(n_classes)]
    log_share = np.log((counts + 1) / (counts + 1).sum())
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *priors)
    return ClassPriors(stacked, jnp.asarray(log_share, jnp.float32))


def _labelled_rows(problem: Problem, held: HeldOut, fold: int) -> tuple[Ints, Rows, Bools, Ints]:
    """Rows of known class that a fold may learn from: places, values, features seen, codes."""
    training = held.training(problem.observed)
    labelled = np.flatnonzero(training[:, problem.target_entries[0]])
    rows = problem.some(labelled, _MOST_PRIOR_ROWS, 17, fold)
    seen = problem.by_unit(training[rows]) & ~problem.target_units
    return rows, problem.standard(rows), seen, problem.target_codes[rows, 0]


def _fit_trees(
    problem: Problem,
    held_out: list[HeldOut],
    ensemble: Ensemble,
    pool: ThreadPoolExecutor,
    progress: Progress,
) -> None:
    """Trees for each target of each fold, on features as the prior of the fold completes them."""
    config, schema = problem.config, problem.schema
    n_rounds = _boosting_rounds(problem)
    jobs = []
    for fold, held in enumerate(held_out):
        training = held.training(problem.observed)
        labelled = np.flatnonzero(training[:, problem.target_entries].any(axis=1))
        rows = problem.some(labelled, _MOST_TREE_ROWS, 19, fold)
        seen = problem.by_unit(training[rows]) & ~problem.target_units
        X = ensemble.completed_by_prior(
            Encoded(problem.encoded.values[rows], seen), ensemble.folds[fold]
        )
        for j, entry in enumerate(problem.target_entries):
            known = training[rows, entry]
            codes = problem.target_codes[rows[known], j]
            if len(np.unique(codes)) < 2:
                continue
            weight = None if problem.weight is None else problem.weight[rows[known]]
            marginal = schema.probabilities(schema.marginals[None], j)[0]
            seed = int(np.random.SeedSequence([problem.seed, fold, j]).generate_state(1)[0]) >> 1
            forest = pool.submit(
                fit_forest, X[known], codes, marginal, config.n_trees, weight, seed
            )
            jobs.append((fold, "forests", j, forest))
            if n_rounds:
                boosted = pool.submit(
                    boost_trees, X[known], codes, len(marginal), n_rounds, weight, seed
                )
                jobs.append((fold, "boosted", j, boosted))
    done: list[tuple[int, str, int, Trees]] = []
    for fold, kind, j, job in jobs:
        done.append((fold, kind, j, job.result()))
        progress("trees", len(done), len(jobs))
    for fold, kind, j, trees in done:
        getattr(ensemble.folds[fold], kind)[j] = trees


def _boosting_rounds(problem: Problem) -> int:
    """Rounds of boosting, more where classes have many rows; none where they would take long."""
    n_rows = min(int((problem.target_codes >= 0).sum(axis=0).max()), _MOST_TREE_ROWS)
    n_classes = [len(column.categories) for column in problem.schema.targets]
    plenty = min(max(n_rows / (_ROWS_OF_CLASS * max(n_classes)), 1.0), 2.0)
    n_rounds = round(problem.config.n_boosting_rounds * plenty)
    n_trees = sum(n if n > 2 else 1 for n in n_classes)
    per_round = n_trees * n_rows * max(1.0, 0.4 * len(problem.schema.features))
    return n_rounds if n_rounds * per_round <= _MOST_BOOSTING_WORK else 0
