"""Fitting those who read features alone: of every fold, to be judged, and the ones that answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from halfseen.base.estimator import TrainingInterrupted
from halfseen.estimators.blind_readers import BlindReaders
from halfseen.estimators.boosted_fit import boosted_of_folds
from halfseen.estimators.class_gaussians_of_folds import class_gaussians_of_folds
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.forest_fit import grow_forest
from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.learning.held_out import HeldOut
from halfseen.learning.progress import Verbosity
from halfseen.tables import EncodedTable


class BlindOfFolds(NamedTuple):
    """Who answers, and who has learned from what each fold shows."""

    whole: BlindReaders
    of_folds: list[BlindReaders]


def nobody(folds: list[HeldOut]) -> BlindOfFolds:
    """The members answer alone."""
    return BlindOfFolds(BlindReaders(), [BlindReaders() for _ in folds])


def fit_blind_readers(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    settings: PredictiveSettings,
    shrinkage: float,
    seen: float,
    seed: int,
    verbose: Verbosity,
    is_over: Callable[[], bool],
) -> BlindOfFolds:
    """A forest, Gaussians of the classes and boosted trees, as far as the table allows.

    The trees of a forest are shared out among the folds, and all of them answer. The others answer
    as they are fitted to everything; fitted to what a fold may learn from they are judged. After
    Ctrl-C, with a warning, or once it is over, there are those that were done by then.
    """
    forest = gaussians = boosted = None
    try:
        # Fits of one kind do not fill the cores to the end.
        with ThreadPoolExecutor(1, thread_name_prefix="halfseen-gaussians") as beside:
            fitted = None
            if settings.class_gaussians:
                to_fit = ensemble, encoded, folds, shrinkage, seed
                fitted = beside.submit(class_gaussians_of_folds, *to_fit)
            forest = grow_forest(ensemble, encoded, folds, settings.n_trees, seed, verbose)
            if fitted is not None and not is_over():
                gaussians = fitted.result()
        if settings.boosts and not is_over():
            boosted = boosted_of_folds(ensemble, encoded, folds, seen, seed, verbose)
    except KeyboardInterrupt:
        warnings.warn(
            "interrupted while trees were grown; the model does without those that were not",
            TrainingInterrupted,
            stacklevel=2,
        )
    of_folds = [
        BlindReaders(
            forest,
            None if gaussians is None else gaussians.of_folds[place],
            None if boosted is None else boosted.of_folds[place],
        )
        for place in range(len(folds))
    ]
    whole = BlindReaders(
        forest,
        None if gaussians is None else gaussians.whole,
        None if boosted is None else boosted.whole,
    )
    return BlindOfFolds(whole, of_folds)
