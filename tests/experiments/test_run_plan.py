from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from experiments.one_process import PLAN, OneProcess, study, write_flowers
from halfseen.experiments import run_cell
from halfseen.experiments import run_plan as module
from halfseen.experiments.record import RECORDS, read_records
from halfseen.experiments.run_folder import RunFolderError, locked, read_run_folder
from halfseen.experiments.run_plan import Took, seconds_left

WITHOUT_TUNING = PLAN.replace("tuning_tries = 2", "tuning_tries = 0")


def contents(run: Path) -> dict[str, str]:
    """Records without what two runs of the same cell may differ in."""
    found = {}
    for record in read_records(run):
        values = {**asdict(record), "seconds": None, "megabytes": None}
        found[record.key] = repr(values)
    return found


def test_every_cell_has_a_record_and_settings_are_chosen_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, notes = study(tmp_path, monkeypatch)
    assert outcome == (4, 4, 0, 0, 0)
    assert [record.realisation for record in notes.records] == [0, 0, 1, 1]
    assert notes.tunings == ["flowers-transductive-at_random-50-50-nearest_neighbours"]
    tuned = [record for record in read_records(tmp_path) if record.method == "nearest_neighbours"]
    assert len({json.dumps(dict(record.settings)) for record in tuned}) == 1
    assert [record.n_tried for record in tuned] == [2, 2]
    assert all(record.versions["halfseen"] for record in tuned)


def test_results_depend_on_the_plan_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(tmp_path / "one", monkeypatch, n_workers=1)
    study(tmp_path / "three", monkeypatch, n_workers=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


def test_finished_cells_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(tmp_path, monkeypatch, PLAN.replace("realisations = 2", "realisations = 1"))
    before = (tmp_path / RECORDS).read_bytes()
    outcome, notes = study(tmp_path, monkeypatch)
    assert (outcome.n_done, notes.n_done_before, len(notes.records)) == (4, 2, 2)
    assert notes.tunings == []
    assert (tmp_path / RECORDS).read_bytes().startswith(before)


def test_a_failure_is_recorded_and_tried_again_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    with monkeypatch.context() as patch:
        patch.setattr(run_cell, "hidden_rows", broken)
        outcome, _ = study(tmp_path, patch)
    assert outcome.n_failed == 4
    assert {record.why for record in read_records(tmp_path)} == {"ZeroDivisionError: by zero"}
    outcome, notes = study(tmp_path, monkeypatch)
    assert outcome.n_failed == 4
    assert not notes.records
    outcome, notes = study(tmp_path, monkeypatch, retry_failed=True)
    assert (outcome.n_done, outcome.n_failed, len(notes.tunings)) == (4, 0, 1)


class Slow(OneProcess):
    """Nothing ends in time."""

    def schedule(self, function: Callable[..., Any], args: Any, timeout: float) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(TimeoutError())
        return future


def test_a_method_that_is_too_slow_once_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = WITHOUT_TUNING.replace("realisations = 2", "")
    outcome, notes = study(tmp_path, monkeypatch, plan, pool=Slow)
    assert (outcome.n_cells, outcome.n_failed, outcome.n_left_out) == (20, 2, 18)
    reasons = {record.why for record in notes.records if record.status == "left_out"}
    assert reasons == {"realisation 0 took longer than 600 s, so the others were not begun"}
    outcome, _ = study(tmp_path, monkeypatch, plan, retry_failed=True)
    assert outcome.n_done == 20


def test_tuning_that_is_too_slow_leaves_the_methods_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SlowTuning(OneProcess):
        def schedule(self, function: Callable[..., Any], args: Any, timeout: float) -> Future[Any]:
            of = Slow if args[0].kind == "tune" else OneProcess
            return of().schedule(function, args, timeout)

    outcome, _ = study(tmp_path, monkeypatch, pool=SlowTuning)
    assert outcome.n_done == 4
    reasons = [record.why for record in read_records(tmp_path)]
    assert reasons == ["", "", *["not tuned: tuning took longer than 1200 s"] * 2]


def test_a_method_that_cannot_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = PLAN.replace('"nearest_neighbours"', '"mc1"').replace(
        "title", 'tasks = "inductive"\ntitle'
    )
    outcome, notes = study(tmp_path, monkeypatch, plan)
    assert (outcome.n_done, outcome.n_left_out, notes.tunings) == (2, 2, [])


def test_two_cannot_run_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with locked(tmp_path), pytest.raises(RunFolderError, match="another process"):
        study(tmp_path, monkeypatch)


def sleep_or_die(job: module.Job, *_: object) -> None:
    """Never end, or take the process along."""
    if job.cell.method == "column_prior":
        time.sleep(60)
    os._exit(3)


def test_processes_end_late_or_die_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = WITHOUT_TUNING.replace("tuning_tries = 0", "tuning_tries = 0, seconds = 0.1")
    plan = plan.replace("realisations = 2", "realisations = 1")
    with monkeypatch.context() as patch:
        patch.setattr(module, "do_job", sleep_or_die)
        outcome, _ = study(tmp_path, patch, plan, n_workers=2, pool=None)
    assert outcome.n_failed == 2
    assert [record.why for record in read_records(tmp_path)] == [
        "took longer than 0.1 s",
        "its process ended with code 3",
    ]
    assert "OMP_NUM_THREADS" not in os.environ or os.environ["OMP_NUM_THREADS"] != "1"


RUN = """
import sys
from pathlib import Path
from halfseen.experiments.run_folder import new_run_folder
from halfseen.experiments.run_plan import run_plan

class Nobody:
    def __getattr__(self, name):
        return lambda *_: None

if __name__ == "__main__":
    run = Path(sys.argv[2])
    run_plan(new_run_folder(sys.argv[1], run), run, n_workers=1, watcher=Nobody())
"""


def test_killed_and_resumed_it_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run, script = tmp_path / "plan.toml", tmp_path / "run", tmp_path / "script.py"
    text = PLAN.replace("realisations = 2", "realisations = 40")
    plan.write_text(text)
    script.write_text(RUN)
    write_flowers(tmp_path)
    process = subprocess.Popen([sys.executable, str(script), str(plan), str(run)])
    patience = time.monotonic() + 60
    while len(read_records(run)) < 3 and time.monotonic() < patience:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_before = len(read_records(run))
    before = (run / RECORDS).read_bytes()
    assert 3 <= n_before < 80
    assert read_run_folder(run).title == "Flowers"
    outcome, notes = study(run, monkeypatch, text)
    assert (outcome.n_done, len(notes.records)) == (80, 80 - n_before)
    assert (run / RECORDS).read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    study(tmp_path / "whole", monkeypatch, text)
    assert contents(run) == contents(tmp_path / "whole")


def test_how_long_the_rest_takes() -> None:
    assert seconds_left([], [("mc1", "scene")], 2) is None
    done = [Took("mc1", "scene", 100.0), Took("cle", "scene", 1.0)]
    assert seconds_left(done, [("mc1", "scene"), ("cle", "scene")], 50) == 100.0
    assert seconds_left(done, [], 2) == 0.0
