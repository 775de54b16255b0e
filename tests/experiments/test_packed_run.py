from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.one_process import PLAN, Notes, OneProcess, write_flowers
from experiments.packed import ASKED, RECORD, a_run, files_of, near, packed
from halfseen.experiments import packed_run, run_plan
from halfseen.experiments.cell_tuning import TunedSettings, read_tunings, write_tuning_of
from halfseen.experiments.packed_run import Unpacked, pack_run, unpack_runs
from halfseen.experiments.plan_values import PlanError
from halfseen.experiments.read_packed_run import NotAPackedRun, read_packed_run
from halfseen.experiments.record import (
    SCORES,
    NotARecord,
    Record,
    read_record,
    read_records,
    write_record,
)
from halfseen.experiments.run_folder import (
    RunFolderError,
    locked,
    new_run_folder,
    read_about,
    read_run_folder,
)


def going_on(run: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Notes:
    monkeypatch.setattr(run_plan, "WorkerPool", OneProcess)
    notes = Notes()
    run_plan.run_plan(read_run_folder(run), run, n_workers=1, watcher=notes, **options)
    return notes


@pytest.fixture
def flowers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of four cells, all done, two of them with settings that were chosen."""
    (tmp_path / "there").mkdir()
    write_flowers(tmp_path / "there")
    (tmp_path / "there" / "flowers.toml").write_text(PLAN)
    run = a_run(tmp_path / "there" / "run", plan=tmp_path / "there" / "flowers.toml")
    going_on(run, monkeypatch)
    return run


def test_a_run_comes_back_and_nothing_of_it_is_run_again(
    flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    write_flowers(here)
    file, run = here / "flowers.jsonl", here / "runs" / "flowers"
    assert pack_run(flowers, file) == 4
    assert str(tmp_path) not in file.read_text()
    assert unpack_runs([file], run) == (4, 0)
    before, after = read_records(flowers), read_records(run)
    assert len(after) == 4
    assert all(map(near, before, after))
    assert len(read_tunings(run)) == 1
    assert read_tunings(run) == read_tunings(flowers)
    about, plan = read_about(run)
    assert plan == PLAN
    assert about["plan_folder"] == str(here)
    for name in ("plan", "title", "versions", "machine"):
        assert about[name] == read_about(flowers)[0][name]
    notes = going_on(run, monkeypatch)
    assert (notes.n_done_before, notes.records, notes.tunings) == (4, [], [])
    again = tmp_path / "again.jsonl"
    pack_run(run, again)
    assert again.read_bytes() == file.read_bytes()


def test_two_machines_share_a_study(
    flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {record.key: record for record in read_records(flowers)}
    files = []
    for part in range(2):
        half = flowers.parent / f"half{part}"
        new_run_folder(flowers.parent / "flowers.toml", half)
        for series, tuned in read_tunings(flowers).items():
            write_tuning_of(half, series, tuned)
        for key in sorted(whole)[part::2]:
            write_record(half, whole[key])
        files.append(flowers.parent / f"half{part}.jsonl")
        assert pack_run(half, files[-1]) == 2
    run = tmp_path / "run"
    assert unpack_runs(files, run) == Unpacked(4, 0)
    assert all(near(record, whole[record.key]) for record in read_records(run))
    assert going_on(run, monkeypatch).n_done_before == 4
    unpack_runs(files[:1], tmp_path / "first")
    assert unpack_runs(files, tmp_path / "first") == (2, 2)
    assert files_of(tmp_path / "first") == files_of(run)


def test_done_comes_before_failed_and_the_first_before_the_second(tmp_path: Path) -> None:
    failed = replace(RECORD, status="failed", why="RuntimeError: no")
    files = [
        packed(tmp_path / "a", failed),
        packed(tmp_path / "b", replace(RECORD, n_rows=1)),
        packed(tmp_path / "c", replace(RECORD, n_rows=2)),
    ]
    assert unpack_runs(files, tmp_path / "run") == (1, 2)
    assert [record.n_rows for record in read_records(tmp_path / "run")] == [1]
    assert unpack_runs(files[2:], tmp_path / "run") == (0, 1)
    assert unpack_runs(files[:1], tmp_path / "other") == (1, 0)
    assert unpack_runs(files[:1], tmp_path / "other") == (0, 1)
    assert unpack_runs(files[1:], tmp_path / "other") == (1, 1)
    assert files_of(tmp_path / "other") == files_of(tmp_path / "run")


def test_a_tuning_that_went_wrong_gives_way(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    write_tuning_of(run, "scene-mc1", TunedSettings(why="not tuned: OSError: '/home/ann/a.csv'"))
    pack_run(run, tmp_path / "a.jsonl")
    assert read_packed_run(tmp_path / "a.jsonl").tunings["scene-mc1"].why == (
        "not tuned: OSError: 'a.csv'"
    )
    good = TunedSettings({"size": (3, 4), "rate": 1 / 3}, 1, 2, 0.12345678)
    write_tuning_of(run, "scene-mc1", good)
    pack_run(run, tmp_path / "b.jsonl")
    unpack_runs([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "again")
    assert read_tunings(tmp_path / "again") == {"scene-mc1": good}


def test_a_record_takes_few_bytes(tmp_path: Path) -> None:
    records = [
        replace(
            RECORD,
            key="",
            realisation=one,
            scores={name: (one + 1) / 7 for name in SCORES},
            reliability=tuple((bin_ / 7, bin_ / 13, 100.0 * bin_) for bin_ in range(10)),
            settings={"n_rounds": 150, "learning_rate": 0.08},
            seconds=one / 3,
        )
        for one in range(50)
    ]
    empty = packed(tmp_path / "empty").stat().st_size
    full = packed(tmp_path / "full", *records).stat().st_size
    assert (full - empty) / 50 < 450


def test_plans_that_disagree_are_named(tmp_path: Path) -> None:
    one = packed(tmp_path / "one", RECORD)
    a_run(tmp_path / "two", plan="quick/transductive-yeast")
    two = tmp_path / "two.jsonl"
    pack_run(tmp_path / "two", two)
    with pytest.raises(NotAPackedRun, match=r"one\.jsonl and .*two\.jsonl hold different plans"):
        unpack_runs([one, two], tmp_path / "run")
    assert not (tmp_path / "run").exists()
    before = files_of(tmp_path / "two")
    with pytest.raises(RunFolderError, match="another plan"):
        unpack_runs([one], tmp_path / "two")
    assert files_of(tmp_path / "two") == before


def test_a_plan_that_was_there_before_is_left_alone(tmp_path: Path) -> None:
    file, own = packed(tmp_path / "one", RECORD), tmp_path / "mine" / "plan.toml"
    own.parent.mkdir()
    own.write_text('title = "my own"')
    with pytest.raises(RunFolderError, match="another plan"):
        unpack_runs([file], own.parent)
    assert own.read_text() == 'title = "my own"'


def test_a_run_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    file = packed(tmp_path / "one", RECORD)
    run = a_run(tmp_path / "run")
    with locked(run), pytest.raises(RunFolderError, match="another process"):
        unpack_runs([file], run)
    assert read_records(run) == []


def test_stopped_while_unpacking_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = packed(tmp_path / "one", RECORD, Record(*ASKED, "cle"))
    run = tmp_path / "run"

    def stopped(run: Path, record: Record) -> None:
        write_record(run, record)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(packed_run, "write_record", stopped)
        with pytest.raises(KeyboardInterrupt):
            unpack_runs([file], run)
    with pytest.raises(RunFolderError):
        read_run_folder(run)
    assert unpack_runs([file], run) == (1, 1)
    assert len(read_records(run)) == 2
    (run / "run.json").unlink()
    (run / "plan.toml").write_text("title = 'Other'")
    with pytest.raises(RunFolderError, match="another plan"):
        unpack_runs([file], run)


def test_a_table_of_ones_own_is_looked_for_beside_the_file(flowers: Path, tmp_path: Path) -> None:
    file = tmp_path / "flowers.jsonl"
    pack_run(flowers, file)
    with pytest.raises(PlanError, match=r"flowers\.csv"):
        unpack_runs([file], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_folders_of_this_machine_are_not_packed(tmp_path: Path) -> None:
    why = "OSError:\n'/home/ann/my.d/a.csv', see\u2028https://openml.org/d/1 and/or file:///srv/x"
    file = packed(tmp_path / "run", replace(RECORD, status="failed", why=why))
    assert "/home" not in file.read_text()
    found = read_packed_run(file).records[RECORD.key].why
    assert found == "OSError:\n'a.csv', see\u2028https://openml.org/d/1 and/or file://x"


def test_what_is_not_named_like_a_record_is_not_packed(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", RECORD)
    path = run / "cells" / f"{RECORD.key}.json"
    path.rename(path.with_name("a copy.json"))
    with pytest.raises(NotARecord, match=r"a copy\.json"):
        pack_run(run, tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()


def test_line_ends_of_windows_do_no_harm(tmp_path: Path) -> None:
    file = packed(tmp_path / "run", RECORD)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert unpack_runs([file], tmp_path / "again") == (1, 0)
    path = tmp_path / "again" / "cells" / f"{RECORD.key}.json"
    assert near(read_record(path), RECORD)
