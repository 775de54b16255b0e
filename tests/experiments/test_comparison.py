"""The comparison: same masks, own processes, failures that do not lose the others."""

from __future__ import annotations

import os
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from halfseen.experiments import comparison
from halfseen.experiments.comparison import Limits, compare, in_own_process
from halfseen.experiments.comparison_cell import Task
from halfseen.experiments.data_sets import DataSet

TASK = Task("tiny", 0.4, 0.4)
LIMITS = Limits(n_settings=2)


def test_methods_run_on_the_same_masks_and_failures_are_told(tiny: DataSet) -> None:
    heard: list[str] = []
    names = ["column_prior", "gaussian_em", "no_such_method", "misgan_convolutional", "xgboost"]
    results = list(compare(TASK, names[:4], 2, LIMITS, heard.append))
    assert [result.method for result in results] == names[:4]
    prior, gaussian, unknown, images = results
    assert len(prior.scores) == len(gaussian.scores) == 2
    assert gaussian.scores[0].auc > prior.scores[0].auc
    assert (gaussian.n_tried, gaussian.n_planned) == (2, 2)
    assert set(gaussian.settings) == {"shrinkage"}
    assert not prior.not_run
    assert "unknown method" in unknown.not_run
    assert "rows that are images" in images.not_run
    assert "gaussian_em: mask 2 of 2" in heard


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (TimeoutError(), "took longer than 600 s for one mask"),
        (BrokenProcessPool(), "its process died"),
        (ImportError("needs xgboost"), "needs xgboost"),
        (KeyError("odd"), "KeyError: 'odd'"),
    ],
)
def test_what_fails_is_not_run_and_the_next_is(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, failure: Exception, told: str
) -> None:
    def failing(function: object, of: tuple[object, ...], limit: float) -> object:
        if of[1] == "mc1":
            raise failure
        return function(*of)  # type: ignore[operator]

    monkeypatch.setattr(comparison, "in_own_process", failing)
    first, second = compare(TASK, ["mc1", "column_prior"], 1, LIMITS, lambda what: None)
    assert told in first.not_run
    assert second.scores
    assert not second.not_run


def test_a_process_of_its_own() -> None:
    assert in_own_process(os.getpid, (), 60) != os.getpid()


def test_a_process_is_stopped_when_its_time_is_up() -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        in_own_process(time.sleep, (60,), 0.2)
    assert time.monotonic() - started < 30


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(BrokenProcessPool):
        in_own_process(os._exit, (1,), 60)
