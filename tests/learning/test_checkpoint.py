"""A training that was broken off goes on as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halfseen.learning.checkpoint import KIND, VERSION, Checkpoint, fingerprint_of
from halfseen.learning.history import EpochRecord, History
from halfseen.learning.lossy_cd import LossyCD
from halfseen.learning.mean_field_cd import MeanFieldCD
from halfseen.learning.objective import Objective
from halfseen.learning.persistent_cd import PersistentCD
from halfseen.learning.row_source import HeldRows
from halfseen.learning.trainer import Trainer, TrainingPlan, TrainingResult
from halfseen.storage import SealError, read_sealed
from learning import killable
from learning.small import (
    PERSISTENT_PLAN,
    PLAN,
    are_same_bits,
    assert_same_bits,
    small_monitor,
    small_table,
)

# The same mathematics is held by tests/rbm.
pytestmark = pytest.mark.long

OBJECTIVES = [
    PLAN.objective,
    LossyCD(1, 0.01),
    PersistentCD(1, 30, 0.01),
    PERSISTENT_PLAN.objective,
    MeanFieldCD(3, 0.01),
]


def stop_after(n_epochs: int) -> Callable[[EpochRecord], bool]:
    return lambda record: record.epoch + 1 == n_epochs


def trained(
    plan: TrainingPlan,
    path: Path,
    stop: int = 1000,
    *,
    every: int = 1,
    resume: bool = True,
    is_monitored: bool = False,
) -> TrainingResult:
    visible, observed = small_table()
    monitor, training = small_monitor(visible, observed) if is_monitored else (None, observed)
    checkpoint = Checkpoint(path, every, resume)
    return Trainer(plan, monitor, checkpoint, (stop_after(stop),)).train(visible, training)


def arrays_in(path: Path) -> dict[str, Any]:
    return read_sealed(path, kind=KIND, newest_version=VERSION).arrays


def without_seconds(history: History) -> list[EpochRecord]:
    return [replace(record, seconds=0.0) for record in history]


def assert_same_training(
    one: TrainingResult, other: TrainingResult, one_path: Path, other_path: Path
) -> None:
    """Results, records, and every leaf of the states that the files hold."""
    assert_same_bits(one.machines, other.machines)
    assert without_seconds(one.history) == without_seconds(other.history)
    assert one.history.stop_reason == other.history.stop_reason
    assert one.history.best_epoch == other.history.best_epoch
    found, expected = arrays_in(one_path), arrays_in(other_path)
    assert [leaf.dtype for leaf in found.values()] == [leaf.dtype for leaf in expected.values()]
    assert_same_bits(found, expected)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda one: type(one).__name__)
def test_a_training_that_goes_on_is_one_that_never_stopped(
    objective: Objective, tmp_path: Path
) -> None:
    plan = replace(PLAN, objective=objective, n_epochs=5)
    whole = trained(plan, tmp_path / "whole")
    broken_off = trained(plan, tmp_path / "parts", stop=2)
    assert len(broken_off.history) == 2
    assert not are_same_bits(broken_off.machines, whole.machines)
    resumed = trained(plan, tmp_path / "parts")
    assert_same_training(resumed, whole, tmp_path / "parts", tmp_path / "whole")


def test_judgement_and_look_ahead_go_on_as_well(tmp_path: Path) -> None:
    plan = replace(PLAN, n_epochs=30, patience=2, learning_rate=0.5)
    whole = trained(plan, tmp_path / "whole", is_monitored=True)
    assert whole.history.stop_reason == "look-ahead"
    n_epochs = len(whole.history)
    trained(plan, tmp_path / "parts", stop=n_epochs - 1, is_monitored=True)
    resumed = trained(plan, tmp_path / "parts", is_monitored=True)
    assert_same_training(resumed, whole, tmp_path / "parts", tmp_path / "whole")


def test_a_training_that_is_over_stays_over(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    first = trained(PLAN, path)
    calls: list[EpochRecord] = []
    again = Trainer(PLAN, None, Checkpoint(path, 1, True), (calls.append,)).train(*small_table())
    assert calls == []
    assert_same_bits(first.machines, again.machines)
    assert first.history == again.history


def test_the_file_is_written_every_so_many_epochs(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    checkpoint = Checkpoint(path, every=3, resume=True)
    assert [epoch for epoch in range(10) if checkpoint.is_due(epoch)] == [2, 5, 8]
    trained(PLAN, path, stop=2, every=3)
    assert not path.exists()
    trained(PLAN, path, stop=5, every=3)
    resumed = trained(PLAN, path, every=3)
    assert [record.epoch for record in resumed.history] == list(range(6))
    assert_same_bits(resumed.machines, trained(PLAN, tmp_path / "other").machines)


def test_a_file_that_is_not_to_be_resumed_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    trained(replace(PLAN, seed=99), path)
    result = trained(PLAN, path, resume=False)
    assert_same_bits(result.machines, trained(PLAN, tmp_path / "other").machines)
    assert_same_bits(arrays_in(path), arrays_in(tmp_path / "other"))


def resume_with(path: Path, plan: TrainingPlan, visible: Any, observed: Any) -> TrainingResult:
    return Trainer(plan, None, Checkpoint(path, 1, True)).train(visible, observed)


def test_other_data_and_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    trained(PLAN, path, stop=2)
    visible, observed = small_table()
    first = tuple(np.argwhere(observed)[0])
    other_value, fewer, behind = visible.copy(), observed.copy(), visible.copy()
    other_value[first] += 1
    fewer[first] = False
    behind[~observed] = 5.0
    words = r"checkpoint .*other data or other settings.*same data.*remove the file.*resume=False"
    for plan, values, seen in (
        (PLAN, other_value, observed),
        (PLAN, visible, fewer),
        (PLAN, visible[:-1], observed[:-1]),
        (replace(PLAN, learning_rate=0.03), visible, observed),
        (replace(PLAN, seed=8), visible, observed),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            resume_with(path, plan, values, seen)
        assert str(path) in str(caught.value)
    with pytest.raises(ValueError, match=words):
        Trainer(PLAN, small_monitor(visible, observed)[0], Checkpoint(path, 1, True)).train(
            visible, observed
        )
    # What stands behind a hole is no data.
    assert len(resume_with(path, PLAN, behind, observed).history) == PLAN.n_epochs


def test_a_fingerprint_tells_masks_apart() -> None:
    visible = np.zeros((2, 3), np.float32)
    seen = np.zeros((2, 3), bool)
    one, other = seen.copy(), seen.copy()
    one[0, 0], other[1, 2] = True, True
    prints = {fingerprint_of(HeldRows(visible, mask), PLAN) for mask in (seen, one, other)}
    prints.add(fingerprint_of(HeldRows(visible.reshape(3, 2), seen.reshape(3, 2)), PLAN))
    assert len(prints) == 4


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "something else"])
def test_a_damaged_file_is_refused(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    trained(PLAN, path, stop=1)
    content = path.read_bytes()
    damaged = {
        "cut": content[:-7],
        "flipped": content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
        "empty": b"",
        "something else": b"\x80\x04 a pickle, perhaps",
    }
    path.write_bytes(damaged[damage])
    with pytest.raises(SealError, match="checkpoint"):
        trained(PLAN, path)


def process(checkpoint: Path, result: Path, pause: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "learning.killable", str(checkpoint), str(result), str(pause)],
        cwd=Path(killable.__file__).parents[1],
    )


def test_a_training_that_was_killed_goes_on(tmp_path: Path) -> None:
    checkpoint, result = tmp_path / "checkpoint", tmp_path / "result.npz"
    victim = process(checkpoint, result, pause=0.2)
    try:
        deadline = time.monotonic() + 120
        while not checkpoint.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
    finally:
        victim.send_signal(signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    assert not result.exists()
    n_done = len(
        read_sealed(checkpoint, kind=KIND, newest_version=VERSION).document["history"]["records"]
    )
    assert 1 <= n_done < killable.PLAN.n_epochs

    assert process(checkpoint, result, pause=0.0).wait(120) == 0
    found = np.load(result)
    assert len(found["seconds"]) == killable.PLAN.n_epochs
    expected = killable.train(None, pause=0.0).machines
    for index, leaf in enumerate(expected):
        np.testing.assert_array_equal(found[f"arr_{index}"], leaf)
