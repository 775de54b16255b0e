"""Fitting an ensemble: priors, members, class-conditional Gaussians and trees of every fold."""

from __future__ import annotations

import itertools
import warnings
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.base.progress import Progress
from halfseen.data.schema import Encoded
from halfseen.ensemble.machine import member_predictions
from halfseen.ensemble.model import ClassPriors, Ensemble, Fold, class_predictions
from halfseen.ensemble.prior import (
    GaussianPrior,
    Ints,
    Moments,
    Rows,
    conditional_means,
    covariance_of,
    expected_moments,
    fit_prior,
)
from halfseen.ensemble.problem import HeldOut, Problem, hold_out, inputs_from_mean
from halfseen.ensemble.training import Trainer, run_steps
from halfseen.ensemble.trees import boost_trees, fit_forest

# What is compiled for a table.
PROGRAMS = (inputs_from_mean, expected_moments, conditional_means, run_steps,
            member_predictions, class_predictions)  # fmt: skip

_MOST_PRIOR_ROWS, _MOST_TREE_ROWS = 6000, 20_000
_N_ROUNDS = 12  # of EM
_SHRINKAGES = (0.002, 0.02, 0.06, 0.2, 0.5)
# A class has, beside its own rows, some of the covariance within all classes, and of their mean.
_ROWS_OF_COVARIANCE, _ROWS_OF_MEAN = 0.6, 2.0  # the first for each unit
_WITHIN_SHRINKAGE = 0.05
_FEWEST_CLASS_ROWS = 50
# Bounds of time: of the covariances of classes, and of the splits that boosting tries.
_MOST_CLASS_WORK, _MOST_BOOSTING_WORK = 1e8, 8e7
_ROWS_OF_CLASS = 500  # above which boosting takes more rounds


def fit_ensemble(
    problem: Problem, progress: Progress,
    *, trees: bool, class_gaussians: bool, indicator: bool, n_jobs: int,
) -> tuple[Ensemble, list[HeldOut]]:  # fmt: skip
    """Fit every part to the training entries of its fold; the entries held out of each fold."""
    held_out = [hold_out(problem, fold) for fold in range(problem.config.n_folds)]
    n_search = problem.config.n_search_predict
    ensemble = Ensemble(problem.schema, problem.units, problem.scale, n_search, problem.seed)
    with ThreadPoolExecutor(n_jobs, thread_name_prefix="halfseen") as pool:
        try:
            priors = _fit_priors(problem, held_out, pool, progress)
            trainer = Trainer(problem, held_out, ensemble, progress, indicator=indicator)
            of_members = [pool.submit(trainer.train, *fold) for fold in enumerate(priors)]
            of_classes = [
                pool.submit(_fit_class_priors, problem, *fold)
                for fold in enumerate(held_out if class_gaussians else ())
            ]
            members, classes = progress.results(of_members), progress.results(of_classes)
            for member, own in itertools.zip_longest(members, classes):
                ensemble.folds.append(Fold(member, own, forests={}, boosted={}))
            if trees and problem.schema.targets and not progress.is_over:
                with warnings.catch_warnings():  # in this thread: all threads share the filters
                    warnings.filterwarnings("ignore", message="The number of unique classes")
                    _fit_trees(problem, held_out, ensemble, pool, progress)
        except BaseException:
            progress.was_interrupted = True  # which ends the training in other threads
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return ensemble, held_out


def _fit_priors(
    problem: Problem, held_out: list[HeldOut], pool: Executor, progress: Progress
) -> list[GaussianPrior]:
    """One prior for each fold; the shrinkage of all is the best one in the first fold."""
    rows = problem.some(np.arange(len(problem.observed)), _MOST_PRIOR_ROWS, 11)
    values, weight, config = problem.standard(rows), problem.row_weight[rows], problem.config
    towards = Moments(np.zeros(values.shape[1]), np.eye(values.shape[1]))
    fit = partial(fit_prior, rank=config.rank, n_rounds=_N_ROUNDS, n_patterns=config.n_patterns)
    n_fits, done = len(_SHRINKAGES) + len(held_out) - 1, itertools.count(1)

    def fitted(fold: int, shrinkage: float) -> GaussianPrior:
        seen, seed = problem.units.by_unit(held_out[fold].training[rows]), [problem.seed, 12, fold]
        prior = fit(values, seen, weight, towards, (0.0, shrinkage), seed=seed)
        progress("priors", next(done), n_fits)
        return prior

    progress("priors", 0, n_fits)
    tried = list(pool.map(lambda shrinkage: fitted(0, shrinkage), _SHRINKAGES))
    best = int(np.argmin([_prior_loss(problem, held_out[0], prior) for prior in tried]))
    rest = pool.map(lambda fold: fitted(fold, _SHRINKAGES[best]), range(1, len(held_out)))
    return [tried[best], *rest]


def _prior_loss(problem: Problem, held: HeldOut, prior: GaussianPrior) -> float:
    """Mean logarithm of the squared error, over the units of features and those of targets."""
    values, seen = problem.standard(held.rows), problem.units.by_unit(held.training[held.rows])
    found = conditional_means(prior, values, seen, n_steps=problem.config.n_search_predict)
    squared, judged = (np.asarray(found) - values) ** 2, problem.units.by_unit(held.entries)
    loss = 0.0
    for units in (~problem.target_units, problem.target_units):
        entries = judged & units
        if entries.any():
            loss += units.sum() * float(np.log(squared[entries].mean() + 1e-12))
    return loss if np.isfinite(loss) else np.inf


def _fit_class_priors(problem: Problem, fold: int, held: HeldOut) -> ClassPriors | None:
    """A Gaussian of the features for each class, where the target is one column."""
    codes, n_units = problem.target_codes, problem.units.layer.n_units
    if codes.shape[1] != 1 or (codes >= 0).sum() < _FEWEST_CLASS_ROWS:
        return None
    n_classes = len(problem.schema.targets[0].categories)
    if n_classes * n_units**3 > _MOST_CLASS_WORK:
        return None
    rows, seen = problem.labelled(held.training, _MOST_PRIOR_ROWS, 17, fold)
    values, weight, code = problem.standard(rows), problem.row_weight[rows], codes[rows, 0]
    config, rank = problem.config, min(problem.config.rank, problem.config.class_rank)
    n_patterns = max(8, config.n_patterns // 4)  # as classes lean on what they have in common
    fit = partial(fit_prior, rank=rank, n_rounds=_N_ROUNDS, n_patterns=n_patterns)
    of_class = np.eye(n_classes)[code] * weight[:, None]
    means = (of_class.T @ np.where(seen, values, 0.0)) / (of_class.T @ seen + _ROWS_OF_MEAN)
    # The covariance within classes is that of deviations from the means of the classes.
    towards = Moments(np.zeros(n_units), np.eye(n_units)), (0.0, _WITHIN_SHRINKAGE)
    within = fit(values - means[code], seen, weight, *towards, seed=[problem.seed, 13, fold])
    covariance = covariance_of(within)
    counts = np.bincount(code, minlength=n_classes).astype(np.float64)
    # Rows are padded to one number for all classes, a power of two, so that few programs compile.
    size = 1 << int(max(counts.max(), 8) - 1).bit_length()
    n_common = max(5.0, _ROWS_OF_COVARIANCE * n_units)

    def fitted(c: int) -> GaussianPrior:
        own = np.flatnonzero(code == c)
        padded, real = np.pad(own, (0, size - len(own))), np.arange(size) < len(own)
        own_weight = np.where(real, weight[padded], 0.0) if len(own) else np.ones(size)
        shares = _ROWS_OF_MEAN / (len(own) + _ROWS_OF_MEAN), n_common / (len(own) + n_common)
        towards = Moments(means[c], covariance), shares
        seen_, seed = seen[padded] & real[:, None], [problem.seed, 14, fold, c]
        return fit(values[padded], seen_, own_weight, *towards, seed=seed)

    log_share = np.log((counts + 1) / (counts + 1).sum()).astype(np.float32)
    priors = map(fitted, range(n_classes))
    stacked = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *priors)
    return ClassPriors(stacked, jnp.asarray(log_share))


def _fit_trees(
    problem: Problem, held_out: list[HeldOut], ensemble: Ensemble, pool: Executor,
    progress: Progress,
) -> None:  # fmt: skip
    """Trees for each target of each fold, on features as the prior of the fold completes them."""
    schema, n_trees, n_rounds = problem.schema, problem.config.n_trees, _boosting_rounds(problem)
    jobs = []

    def completed_rows(place: int, fold: Fold, held: HeldOut) -> tuple[Ints, Rows]:
        rows, seen = problem.labelled(held.training, _MOST_TREE_ROWS, 19, place)
        encoded = Encoded(problem.encoded.values[rows], seen)
        predicted = ensemble.of_member(encoded, fold.member)
        return rows, ensemble.completed_features(encoded, predicted)

    parts = range(len(held_out)), ensemble.folds, held_out
    tables = pool.map(completed_rows, *parts)
    for place, fold, held, (rows, completed) in zip(*parts, list(tables), strict=True):
        for j, entry in enumerate(problem.target_entries):
            known = held.training[rows, entry]
            codes = problem.target_codes[rows[known], j]
            if len(np.unique(codes)) < 2:
                continue
            weight = problem.row_weight[rows[known]]
            marginal = schema.probabilities(schema.marginals[None], j)[0]
            seed = int(np.random.SeedSequence([problem.seed, place, j]).generate_state(1)[0]) >> 1
            table = completed[known], codes, weight, marginal, seed
            jobs.append((fold.forests, j, pool.submit(fit_forest, *table, n_trees)))
            if n_rounds:
                jobs.append((fold.boosted, j, pool.submit(boost_trees, *table, n_rounds)))
    for done, (trees, j, job) in enumerate(jobs, start=1):
        trees[j] = job.result()
        progress("trees", done, len(jobs))


def _boosting_rounds(problem: Problem) -> int:
    """Rounds of boosting, more where classes have many rows; none where they would take long."""
    n_rows = min(int((problem.target_codes >= 0).sum(axis=0).max()), _MOST_TREE_ROWS)
    n_classes = [len(column.categories) for column in problem.schema.targets]
    plenty = min(max(n_rows / (_ROWS_OF_CLASS * max(n_classes)), 1.0), 2.0)
    n_rounds = round(problem.config.n_boosting_rounds * plenty)
    n_trees = sum(n if n > 2 else 1 for n in n_classes)
    per_round = n_trees * n_rows * max(1.0, 0.4 * len(problem.schema.features))
    return n_rounds if n_rounds * per_round <= _MOST_BOOSTING_WORK else 0
