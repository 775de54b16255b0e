"""Ctrl-C, errors in callbacks, and a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from estimators.bits import answers, assert_same_bits, assert_same_model
from estimators.tables import LIGHT
from halfseen import HalfseenClassifier, TrainingInterrupted
from halfseen.learning.history import EpochRecord

LONGER = LIGHT | {"n_epochs": 12}


def test_control_c_leaves_a_usable_model(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    def interrupt(record: EpochRecord) -> None:
        if record.epoch == 2:
            raise KeyboardInterrupt

    model = HalfseenClassifier(**LONGER, callbacks=(interrupt,))
    with pytest.warns(TrainingInterrupted, match="interrupted"):
        model.fit(table, classes)
    assert model.history_.stop_reason == "interrupted"
    assert model.n_iter_ == 3
    # The best parameters so far are those of a fit that planned to end here.
    assert model.history_.best_epoch == 1
    shorter = HalfseenClassifier(**LONGER | {"n_epochs": 2}).fit(table, classes)
    assert_same_bits(model.machine_.weights, shorter.machine_.weights)
    assert np.isfinite(model.predict_proba(table)).all()
    assert np.isfinite(model.score(table, classes))


def test_a_callback_may_end_training(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    seen: list[int] = []

    def watch(record: EpochRecord) -> bool:
        seen.append(record.epoch)
        return record.epoch == 4

    model = HalfseenClassifier(**LONGER, callbacks=[watch]).fit(table, classes)
    assert seen == [0, 1, 2, 3, 4]
    assert model.history_.stop_reason == "callback"
    assert model.n_iter_ == 5


def test_a_fit_that_fails_leaves_no_model(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    def fail(record: EpochRecord) -> None:
        raise RuntimeError("no more")

    model = HalfseenClassifier(**LIGHT).fit(table, classes)
    model.set_params(callbacks=(fail,))
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(table.rename(columns={"size": "width"}), classes)
    with pytest.raises(NotFittedError):
        model.predict(table)
    model.set_params(callbacks=()).fit(table, classes)
    assert model.predict(table).shape == (40,)


VICTIM = """
import os, signal, sys
from estimators.tables import LIGHT, classes_of_rows, holed_table
from halfseen import HalfseenClassifier

def die(record):
    if record.epoch == 7:
        os.kill(os.getpid(), signal.SIGKILL)

table = holed_table()
HalfseenClassifier(
    **LIGHT | {"n_epochs": 12}, checkpoint=sys.argv[1], checkpoint_every=3, callbacks=(die,)
).fit(table, classes_of_rows(table))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed like this")
def test_a_killed_fit_goes_on_as_if_nothing_had_happened(
    table: pd.DataFrame, classes: NDArray[Any], tmp_path: Path
) -> None:
    path = tmp_path / "fit.checkpoint"
    tests = str(Path(__file__).parents[1])
    died = subprocess.run(
        [sys.executable, "-c", VICTIM, str(path)],
        env=os.environ | {"PYTHONPATH": tests},
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert path.exists()

    epochs: list[int] = []
    resumed = HalfseenClassifier(
        **LONGER,
        checkpoint=path,
        checkpoint_every=3,
        resume=True,
        callbacks=(lambda record: epochs.append(record.epoch),),
    ).fit(table, classes)
    assert epochs == [6, 7, 8, 9, 10, 11]
    uninterrupted = HalfseenClassifier(**LONGER).fit(table, classes)
    assert_same_model(resumed, uninterrupted)
    assert_same_bits(answers(resumed, table, classes), answers(uninterrupted, table, classes))
    assert_same_bits(resumed.history_["loss"], uninterrupted.history_["loss"])

    with pytest.raises(ValueError, match="belongs to a fit of other data or other settings"):
        HalfseenClassifier(**LONGER, checkpoint=path, resume=True).fit(table[1:], classes[1:])


def test_resume_without_a_file_begins_at_the_beginning(
    table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier, tmp_path: Path
) -> None:
    path = tmp_path / "fit.checkpoint"
    model = HalfseenClassifier(**LIGHT, checkpoint=str(path), checkpoint_every=2, resume=True)
    assert_same_model(model.fit(table, classes), of_classes)
    assert path.exists()
