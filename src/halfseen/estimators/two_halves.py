"""The two halves of a fit: the likelihood-trained companion, and the predictive ensemble."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple, Self

import jax

from halfseen.base.estimator import TrainingInterrupted
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.estimators.fitting import Fitted, Surroundings
from halfseen.learning.epoch import LONG
from halfseen.learning.history import EpochRecord, StopReason
from halfseen.learning.one_thread import thread_pools
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.machine.compilation_cache import kept_compilations
from halfseen.machine.usable_cores import usable_cores

TrainCompanion = Callable[[Surroundings], Fitted]
# Told whom to ask now and then whether going on is of no use.
FitEnsemble = Callable[[Callable[[], bool]], FittedPrediction]


class Halves(NamedTuple):
    """What a fit leaves behind; a half that was not asked for, or was interrupted, is None."""

    companion: Fitted | None
    prediction: FittedPrediction | None


def can_go_side_by_side(surroundings: Surroundings, n_rows: int) -> bool:
    """Whether the halves may be fitted at the same time.

    Not where callbacks or checkpoints expect one thread, nor where there is but one core; long
    tables would need more memory, and hardly less time. On an accelerator both would wait for it.

    Examples
    --------
    >>> can_go_side_by_side(Surroundings(callbacks=[print]), n_rows=100)
    False
    """
    is_watched = surroundings.checkpoint is not None or len(surroundings.callbacks) > 0
    alone = is_watched or n_rows >= LONG or usable_cores() < 2
    return not alone and jax.default_backend() == "cpu"


def fit_in_turn(
    train_companion: TrainCompanion | None,
    fit_ensemble: FitEnsemble | None,
    surroundings: Surroundings,
) -> Halves:
    """The companion first, then the ensemble; either may be left out.

    Who interrupts the companion does not wait for the ensemble: the likelihood answers.
    """
    companion = None if train_companion is None else train_companion(surroundings)
    if fit_ensemble is None or (companion and companion.history.stop_reason == "interrupted"):
        return Halves(companion, None)
    try:
        return Halves(companion, fit_ensemble(lambda: False))
    except KeyboardInterrupt:
        if companion is None:
            raise
        return _without_ensemble(companion)


def fit_side_by_side(
    train_companion: TrainCompanion,
    fit_ensemble: FitEnsemble,
    surroundings: Surroundings,
    n_epochs: int,
    max_seconds: float,
) -> Halves:
    """Both halves at the same time: much of a first fit is compilation, which takes one core.

    Results are those of :func:`fit_in_turn`. Ctrl-C ends training of the ensemble; pressed
    again, or before the ensemble could answer, it ends the companion too. So do ``max_seconds``.
    If the companion fails, the ensemble ends early.
    """
    thread_pools()  # while nobody else is busy
    beside = _CompanionBeside(train_companion, surroundings.verbose, n_epochs, max_seconds)
    with kept_compilations(), beside:
        try:
            prediction = fit_ensemble(beside.has_failed)
        except KeyboardInterrupt:
            beside.stop()
            return _without_ensemble(beside.ended())
        return Halves(beside.ended(), prediction)


def _without_ensemble(companion: Fitted) -> Halves:
    warnings.warn(
        "interrupted before the ensemble could answer; the likelihood-trained machine does",
        TrainingInterrupted,
        stacklevel=5,
    )
    return Halves(companion, None)


class _CompanionBeside:
    """A companion that is trained by another thread, and can be stopped after any epoch."""

    def __init__(
        self,
        train_companion: TrainCompanion,
        verbose: Verbosity,
        n_epochs: int,
        max_seconds: float,
    ) -> None:
        self._line = ProgressLine("companion, epoch", n_epochs, verbose)
        self._ends = time.monotonic() + max_seconds
        self._n_done = 0
        self._stopped_by: StopReason | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="halfseen-companion")
        # The ensemble has the line of progress, until nobody but the companion is left.
        self._silent = Surroundings(callbacks=[self._after_epoch], verbose=False)
        self._train_companion = train_companion

    def __enter__(self) -> Self:
        self._trained = self._thread.submit(self._train_companion, self._silent)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.shutdown()

    def has_failed(self) -> bool:
        """Whether it has ended with an error."""
        return self._trained.done() and self._trained.exception() is not None

    def stop(self) -> None:
        """Let it end after the epoch that is under way."""
        self._stopped_by = self._stopped_by or "interrupted"

    def ended(self) -> Fitted:
        """Wait for the end, with progress; Ctrl-C stops it."""
        while not self._trained.done():
            try:
                wait([self._trained], self._line.seconds_between)
                self._line.show(self._n_done)
            except KeyboardInterrupt:
                self.stop()
                warnings.warn(
                    "the companion was interrupted; it keeps the best parameters found so far",
                    TrainingInterrupted,
                    stacklevel=5,
                )
        self._line.close("failed" if self.has_failed() else self._stopped_by or "done")
        fitted = self._trained.result()
        if fitted.history.stop_reason == "callback":
            fitted.history.stop_reason = self._stopped_by
        return fitted

    def _after_epoch(self, record: EpochRecord) -> bool:
        self._n_done = record.epoch + 1
        if self._stopped_by is None and time.monotonic() > self._ends:
            self._stopped_by = "time"
        return self._stopped_by is not None
