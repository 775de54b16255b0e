from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.one_process import PLAN, OneProcess, study, write_flowers
from halfseen.experiments import run_cell
from halfseen.experiments.record import CELLS, read_records
from halfseen.experiments.run_folder import RunFolderError, locked, read_run_folder
from halfseen.experiments.worker_pool import Ended


def contents(run: Path) -> dict[str, dict[str, object]]:
    """Records without what two runs of the same cell may differ in."""
    found = {}
    for path in (run / CELLS).glob("*.json"):
        record = json.loads(path.read_text())
        del record["seconds"], record["megabytes"]
        found[path.name] = record
    return found


def stamps(run: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (run / CELLS).glob("*.json")}


def test_every_cell_has_a_record_and_settings_are_chosen_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, notes = study(tmp_path, monkeypatch)
    assert outcome == (4, 4, 0, 0, 0)
    assert notes.tunings == ["flowers-transductive-at_random-50-50-nearest_neighbours"]
    tuned = [record for record in read_records(tmp_path) if record.method == "nearest_neighbours"]
    assert len({json.dumps(dict(record.settings)) for record in tuned}) == 1
    assert [record.n_tried for record in tuned] == [2, 2]
    assert all(record.versions["halfseen"] for record in tuned)


def test_first_realisation_of_all_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, notes = study(tmp_path, monkeypatch)
    assert [record.realisation for record in notes.records] == [0, 0, 1, 1]


def test_results_hang_on_the_plan_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(tmp_path / "one", monkeypatch, n_workers=1)
    study(tmp_path / "three", monkeypatch, n_workers=3)  # which also turns the order about
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


def test_finished_cells_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(tmp_path, monkeypatch, PLAN.replace("realisations = 2", "realisations = 1"))
    before = stamps(tmp_path)
    outcome, notes = study(tmp_path, monkeypatch)
    assert (outcome.n_done, notes.n_done_before, len(notes.records)) == (4, 2, 2)
    assert notes.tunings == []
    assert {name: stamp for name, stamp in stamps(tmp_path).items() if name in before} == before


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
    outcome, _ = study(tmp_path, monkeypatch, retry_failed=True)
    assert (outcome.n_done, outcome.n_failed) == (4, 0)


class Slow(OneProcess):
    """Nothing ends in time."""

    def ended(self) -> list[Ended]:
        return [Ended(self.jobs.pop(), None, "took longer than 600 s", True, 600.0)]


def test_a_method_that_is_too_slow_once_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLAN.replace("tuning_tries = 2", "tuning_tries = 0").replace("realisations = 2", "")
    outcome, notes = study(tmp_path, monkeypatch, plan, pool=Slow)
    assert (outcome.n_cells, outcome.n_failed, outcome.n_left_out) == (20, 2, 18)
    reasons = {record.why for record in notes.records if record.status == "left_out"}
    assert reasons == {"realisation 0 took longer than 600 s, so the others were not begun"}
    outcome, _ = study(tmp_path, monkeypatch, plan, retry_failed=True)
    assert outcome.n_done == 20


def test_a_method_that_cannot_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = PLAN.replace('"nearest_neighbours"', '"mc1"').replace(
        "title", 'tasks = "inductive"\ntitle'
    )
    outcome, notes = study(tmp_path, monkeypatch, plan)
    assert (outcome.n_done, outcome.n_left_out, notes.tunings) == (2, 2, [])


def test_two_cannot_run_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with locked(tmp_path), pytest.raises(RunFolderError, match="another process"):
        study(tmp_path, monkeypatch)


def test_killed_and_resumed_it_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run = tmp_path / "plan.toml", tmp_path / "run"
    text = PLAN.replace("realisations = 2", "realisations = 40")
    plan.write_text(text)
    write_flowers(tmp_path)
    command = [sys.executable, "-m", "halfseen", "experiment", "run", str(plan), "-o", str(run)]
    process = subprocess.Popen([*command, "--cores", "1", "--quiet"])
    patience = time.monotonic() + 60
    while len(list((run / CELLS).glob("*.json"))) < 3 and time.monotonic() < patience:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    _wait_until_nobody_writes(run)
    before = stamps(run)
    assert 3 <= len(before) < 80
    study_of_run = read_run_folder(run)
    assert study_of_run.title == "Flowers"
    outcome, notes = study(run, monkeypatch, text)
    assert (outcome.n_done, len(notes.records)) == (80, 80 - len(before))
    assert {name: stamp for name, stamp in stamps(run).items() if name in before} == before
    study(tmp_path / "whole", monkeypatch, text)
    assert contents(run) == contents(tmp_path / "whole")


def _wait_until_nobody_writes(run: Path) -> None:
    """The worker notices at once that the process that started it is gone."""
    patience = time.monotonic() + 10
    while time.monotonic() < patience:
        before = stamps(run)
        time.sleep(0.3)
        if stamps(run) == before:
            return
    raise AssertionError("the worker goes on")
