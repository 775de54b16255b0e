"""Companion and ensemble, fitted in turn or side by side."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from estimators.bits import assert_same_model
from estimators.tables import PREDICTIVE
from halfseen import HalfseenClassifier, TrainingInterrupted
from halfseen.estimators import rbm_base, two_halves
from halfseen.estimators.fitting import Fitted, Surroundings
from halfseen.estimators.two_halves import (
    can_go_side_by_side,
    fit_in_turn,
    fit_side_by_side,
)
from halfseen.learning.checkpoint import Checkpoint
from halfseen.learning.epoch import LONG
from halfseen.learning.history import EpochRecord, History

SILENT = Surroundings(verbose=False)
ENSEMBLE: Any = "an ensemble"


class Companion:
    """Epochs that last until they are ended, or until there have been so many."""

    def __init__(self, n_epochs: int = 10**6) -> None:
        self.n_epochs = n_epochs
        self.has_begun = threading.Event()

    def __call__(self, surroundings: Surroundings) -> Fitted:
        history = History(stop_reason="epochs")
        for epoch in range(self.n_epochs):
            record = EpochRecord(epoch, 0.0, 0.1, 1.0, 1.0)
            history.add(record)
            ended = any([callback(record) for callback in surroundings.callbacks])
            self.has_begun.set()
            if ended:
                history.stop_reason = "callback"
                break
        machine: Any = threading.current_thread()
        return Fitted(machine, history)


def side_by_side(companion: Companion, ensemble: Any, seconds: float = np.inf) -> Any:
    return fit_side_by_side(companion, ensemble, SILENT, companion.n_epochs, seconds)


def test_both_ways_learn_the_same(
    table: pd.DataFrame, classes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = []
    for together in (True, False):
        monkeypatch.setattr(rbm_base, "can_go_side_by_side", lambda *_, now=together: now)
        models.append(HalfseenClassifier(**PREDICTIVE).fit(table, classes))
    assert_same_model(*models)
    assert models[0].history_.stop_reason == models[1].history_.stop_reason


def test_the_companion_has_a_thread_of_its_own() -> None:
    halves = side_by_side(Companion(3), lambda _: threading.current_thread())
    assert halves.prediction is threading.main_thread()
    assert halves.companion.machine is not threading.main_thread()
    assert len(halves.companion.history) == 3
    assert halves.companion.history.stop_reason == "epochs"


@pytest.mark.parametrize(
    ("surroundings", "n_rows"),
    [
        (Surroundings(callbacks=[lambda record: None]), 100),
        (Surroundings(Checkpoint("fit.checkpoint", 1, False)), 100),
        (SILENT, LONG),
    ],
    ids=["callbacks", "checkpoint", "long table"],
)
def test_some_fits_go_in_turn(
    surroundings: Surroundings, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_halves, "usable_cores", lambda: 2)
    assert can_go_side_by_side(SILENT, 100)
    assert not can_go_side_by_side(surroundings, n_rows)
    monkeypatch.setattr(two_halves, "usable_cores", lambda: 1)
    assert not can_go_side_by_side(SILENT, 100)


def test_either_half_may_be_left_out() -> None:
    assert fit_in_turn(None, lambda _: ENSEMBLE, SILENT) == (None, ENSEMBLE)
    companion, prediction = fit_in_turn(Companion(2), None, SILENT)
    assert companion is not None
    assert prediction is None


def test_time_ends_the_companion_too() -> None:
    halves = side_by_side(Companion(), lambda _: ENSEMBLE, seconds=0.0)
    assert halves.prediction is ENSEMBLE
    assert halves.companion.history.stop_reason == "time"
    assert len(halves.companion.history) == 1


def test_control_c_before_the_ensemble_could_answer_ends_both() -> None:
    companion = Companion()

    def interrupted(_: Any) -> Any:
        companion.has_begun.wait(60)
        raise KeyboardInterrupt

    with pytest.warns(TrainingInterrupted, match="the likelihood-trained machine does"):
        halves = side_by_side(companion, interrupted)
    assert halves.prediction is None
    assert halves.companion.history.stop_reason == "interrupted"


def test_control_c_while_only_the_companion_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not by a signal: processes in the background are often started deaf to it.
    presses = iter([KeyboardInterrupt])
    really_wait = two_halves.wait

    def pressed(*arguments: Any) -> Any:
        for press in presses:
            raise press
        return really_wait(*arguments)

    monkeypatch.setattr(two_halves, "wait", pressed)
    with pytest.warns(TrainingInterrupted, match="the companion was interrupted"):
        halves = side_by_side(Companion(), lambda _: ENSEMBLE)
    assert halves.prediction is ENSEMBLE
    assert halves.companion.history.stop_reason == "interrupted"


def test_an_error_in_either_half_is_an_error_of_the_fit() -> None:
    def broken(*_: Any) -> Any:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        side_by_side(Companion(), broken)
    with pytest.raises(ValueError, match="no such thing"):
        fit_side_by_side(broken, lambda _: ENSEMBLE, SILENT, 1, np.inf)
    left = [t.name for t in threading.enumerate() if t.name.startswith("halfseen-companion")]
    assert left == []


def test_an_ensemble_does_not_go_on_without_its_companion() -> None:
    def broken(_: Surroundings) -> Any:
        raise ValueError("no such thing")

    def ensemble(is_of_no_use: Callable[[], bool]) -> Any:
        ends = time.monotonic() + 60
        while not is_of_no_use():
            assert time.monotonic() < ends
        return ENSEMBLE

    with pytest.raises(ValueError, match="no such thing"):
        fit_side_by_side(broken, ensemble, SILENT, 1, np.inf)


def test_fits_in_several_threads_leave_the_process_as_it_was(
    table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    before = list(warnings.filters), _blas_threads()
    alone = HalfseenClassifier(**PREDICTIVE).fit(table, classes)
    with ThreadPoolExecutor(3) as pool:
        fits = [pool.submit(HalfseenClassifier(**PREDICTIVE).fit, table, classes) for _ in range(5)]
        for fit in fits:
            assert_same_model(fit.result(), alone)
    assert (list(warnings.filters), _blas_threads()) == before


def _blas_threads() -> list[int]:
    pools = ThreadpoolController().select(user_api="blas").info()
    return [int(pool["num_threads"]) for pool in pools]


def test_filters_of_warnings_are_left_as_they_were(
    table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    before = list(warnings.filters)
    HalfseenClassifier(**PREDICTIVE).fit(table, classes)
    assert list(warnings.filters) == before


def test_progress_is_shown_while_only_the_companion_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_halves.ProgressLine, "quiet_seconds", 0.0)
    monkeypatch.setattr(two_halves.ProgressLine, "seconds_between", 0.01)
    companion = Companion()
    fit_side_by_side(companion, lambda _: ENSEMBLE, Surroundings(verbose=True), 7, 0.2)
    said = capsys.readouterr().err
    assert "companion, epoch" in said
    assert "companion, epoch: time" in said
