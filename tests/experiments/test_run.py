"""Studies: every cell once, whatever happens on the way, and the same results in the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.flowers import PLAN, OneProcess, study, write_flowers
from halfseen.experiments import run as module
from halfseen.experiments.plan import Cell, Limits, PlanError
from halfseen.experiments.records import CellRecord, RunFileError, Tuning, locked, read_run
from halfseen.experiments.run import hidden_of, run_cell, seconds_left, tune_cell, tuning_grid

WITHOUT_TUNING = PLAN.replace("tuning_tries = 2", "tuning_tries = 0")
MORE = PLAN.replace("realisations = 2", "realisations = 3")


def contents(path: Path) -> dict[str, Any]:
    """Records without what two runs of the same cell may differ in."""
    records = read_run(path).records
    return {key: record.model_copy(update={"seconds": None}) for key, record in records.items()}


def test_every_cell_has_a_record_and_settings_are_chosen_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = study(tmp_path / "a.jsonl", monkeypatch)
    tunings = [part.series for part in parts if isinstance(part, Tuning)]
    assert tunings == ["flowers-transductive-mcar-50-50-nearest_neighbours"]
    records = [part for part in parts if isinstance(part, CellRecord)]
    assert [record.cell.realisation for record in records] == [0, 0, 1, 1]
    assert all(record.status == "done" and record.versions["halfseen"] for record in records)
    tuned = [record for record in records if record.cell.method == "nearest_neighbours"]
    assert tuned[0].settings == tuned[1].settings
    assert [record.n_tried for record in tuned] == [2, 2]


def test_results_depend_on_the_plan_alone_and_finished_cells_are_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    study(one, monkeypatch)
    before = one.read_bytes()
    parts = study(one, monkeypatch, MORE)
    assert [part.cell.realisation for part in parts if isinstance(part, CellRecord)] == [2, 2]
    assert len(parts) == 2
    assert one.read_bytes().startswith(before)
    study(two, monkeypatch, MORE, n_workers=3)
    assert contents(one) == contents(two)
    assert study(two, monkeypatch, MORE) == []


def test_runs_are_merged_by_concatenation_and_a_line_that_was_cut_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, both = (tmp_path / f"{name}.jsonl" for name in ("one", "other", "both"))
    study(one, monkeypatch)
    study(other, monkeypatch, PLAN.replace("nearest_neighbours", "gaussian_em"))
    both.write_bytes(one.read_bytes() + other.read_bytes() + b'{"record": {"key": "fl')
    assert set(contents(both)) == {*contents(one), *contents(other)}
    study(both, monkeypatch, MORE)
    assert len(contents(both)) == 8
    both.write_bytes(b'{"record": 3}\n' + both.read_bytes())
    with pytest.raises(RunFileError, match=r"both\.jsonl, line 1, is no record: record"):
        read_run(both)


def test_other_settings_under_the_same_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(tmp_path / "a.jsonl", monkeypatch)
    other = PLAN.replace(
        '"nearest_neighbours"', '{method = "nearest_neighbours", settings = {n_neighbours = 3}}'
    )
    with pytest.raises(PlanError, match="another variant"):
        study(tmp_path / "a.jsonl", monkeypatch, other)


def test_a_failure_is_recorded_and_tried_again_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(module, "hidden_of", lambda *_, **__: 1 / 0)
        study(path, patch)
    records = read_run(path).records.values()
    assert {(r.status, r.why) for r in records} == {
        ("failed", "ZeroDivisionError: division by zero")
    }
    assert study(path, monkeypatch) == []
    parts = study(path, monkeypatch, retry_failed=True)
    assert len(parts) == 5  # tuned again
    assert {record.status for record in read_run(path).records.values()} == {"done"}


class Slow(OneProcess):
    """Nothing ends in time."""

    def schedule(self, function: Callable[..., Any], args: Any, timeout: float) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(TimeoutError())
        return future


class SlowTuning(OneProcess):
    """No settings are chosen in time."""

    def schedule(self, function: Callable[..., Any], args: Any, timeout: float) -> Future[Any]:
        of = Slow if args[1] is None else OneProcess
        return of().schedule(function, args, timeout)


def test_a_method_that_is_too_slow_once_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(tmp_path / "a.jsonl", monkeypatch, WITHOUT_TUNING, pool=Slow)
    records = list(read_run(tmp_path / "a.jsonl").records.values())
    assert [record.status for record in records] == ["failed", "failed", "left_out", "left_out"]
    assert records[2].why == "realisation 0 took longer than 600 s, so the others were not begun"
    study(tmp_path / "b.jsonl", monkeypatch, pool=SlowTuning)
    reasons = [record.why for record in read_run(tmp_path / "b.jsonl").records.values()]
    assert reasons.count("not tuned: tuning took longer than 1200 s") == 2


def test_two_cannot_write_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with locked(tmp_path / "a.jsonl"), pytest.raises(RunFileError, match="another process"):
        study(tmp_path / "a.jsonl", monkeypatch)


def sleep_or_die(cell: Cell, *_: object) -> None:
    """Never end, or take the process along."""
    if cell.method == "column_prior":
        time.sleep(60)
    os._exit(3)


RUN = """
import sys
from pathlib import Path
from halfseen.experiments.plan import read_plan
from halfseen.experiments.run import run_plan

if __name__ == "__main__":
    for state in run_plan(read_plan(sys.argv[1]), Path(sys.argv[2]), n_workers=1):
        pass
"""


def test_processes_end_late_or_die_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = WITHOUT_TUNING.replace("tuning_tries = 0", "tuning_tries = 0, seconds = 2.0")
    with monkeypatch.context() as patch:
        patch.setattr(module, "do_job", sleep_or_die)
        plan = plan.replace("realisations = 2", "realisations = 1")
        study(tmp_path / "a.jsonl", patch, plan, pool=None, n_workers=2)
    reasons = {record.why for record in read_run(tmp_path / "a.jsonl").records.values()}
    assert reasons == {"took longer than 2 s", "its process ended with code 3"}


def test_killed_and_resumed_it_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run, script = tmp_path / "plan.toml", tmp_path / "run.jsonl", tmp_path / "script.py"
    text = WITHOUT_TUNING.replace("realisations = 2", "realisations = 25")
    plan.write_text(text)
    script.write_text(RUN)
    write_flowers(tmp_path)
    process = subprocess.Popen([sys.executable, str(script), str(plan), str(run)])
    patience = time.monotonic() + 90
    while time.monotonic() < patience and not (run.exists() and len(read_run(run).records) > 2):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done, before = len(read_run(run).records), run.read_bytes()
    assert 3 <= done < 50
    assert read_run(run).plans[0].plan.title == "Flowers"
    assert len(study(run, monkeypatch, text)) == 50 - done
    assert run.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    study(tmp_path / "whole.jsonl", monkeypatch, text)
    assert contents(run) == contents(tmp_path / "whole.jsonl")


def test_how_long_the_rest_takes() -> None:
    assert seconds_left([], [("mc1", "scene")], 2) is None
    done = [("mc1", "scene", 4.0), ("mc1", "yeast", 2.0), ("cle", "scene", 9.0)]
    assert seconds_left(done, [("mc1", "scene"), ("mc1", "mnist"), ("gain", "scene")], 2) == 6.0
    done = [("mc1", "scene", 100.0), ("cle", "scene", 1.0)]
    assert seconds_left(done, [("mc1", "scene"), ("cle", "scene")], 50) == 100.0
    assert seconds_left(done, [], 2) == 0.0


CELL = Cell(
    data_set="digits", task="inductive", feature_rate=0.3, label_rate=0.3, method="column_prior",
    n_rows=150, limits=Limits(tuning_tries=3),
)  # fmt: skip


def changed(**values: Any) -> Cell:
    return CELL.model_copy(update=values)


def test_images_of_different_classes_are_kept() -> None:
    record = run_cell(CELL, Tuning(series=""))
    pictures = record.pictures
    assert record.status == "done"
    assert pictures is not None
    assert pictures.shape == (8, 8)
    truth, observed, completed = (
        np.array(one) for one in (pictures.truth, pictures.observed, pictures.completed)
    )
    assert truth.shape == completed.shape == (10, 64)
    seen = observed >= 0
    assert (truth[seen] == completed[seen]).all()
    assert 0.6 < seen.mean() < 0.8


def test_what_a_method_cannot_is_left_out() -> None:
    record = run_cell(changed(method="mc1"), Tuning(series=""))
    assert (record.status, record.why) == ("left_out", "mc1 predicts no new rows")
    record = run_cell(
        changed(method="misgan_convolutional", data_set="telemetry"), Tuning(series="")
    )
    assert (record.status, record.why[:17]) == ("left_out", "convolutions need")


def test_new_rows_are_others_in_every_realisation_and_alike_for_all_methods() -> None:
    first, same = hidden_of(CELL), hidden_of(changed(method="mc1"))
    other = hidden_of(changed(realisation=1))
    assert first.is_new.sum() == 45
    assert (first.is_new == same.is_new).all()
    assert (first.is_new != other.is_new).any()
    np.testing.assert_array_equal(first.X, same.X)
    # A feature rate of new rows changes nothing of the others.
    less = hidden_of(changed(new_feature_rate=0.9))
    np.testing.assert_array_equal(less.X[~less.is_new], first.X[~first.is_new])
    assert less.asked_X[less.is_new].mean() == pytest.approx(0.9, abs=0.05)


def test_settings_are_those_of_the_first_realisation_and_never_of_what_is_set() -> None:
    cell = changed(method="nearest_neighbours")
    assert (
        tune_cell(cell).settings == tune_cell(changed(method=cell.method, realisation=4)).settings
    )
    assert "n_neighbours" not in tuning_grid(
        changed(method=cell.method, settings={"n_neighbours": 3})
    )
    assert tuning_grid(changed(method="rbm_mo")) == {}
    assert tuning_grid(changed(method="mc1")) == {}
    assert tuning_grid(changed(method=cell.method, limits=Limits(tuning_tries=1))) == {}
    failed = tune_cell(changed(method=cell.method, feature_mechanism="nowhere"))
    assert failed.why.startswith("not tuned: ValueError: feature_mechanism='nowhere'")
