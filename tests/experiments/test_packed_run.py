from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.one_process import PLAN, Notes, OneProcess, write_flowers
from halfseen.experiments import packed_run, run_plan
from halfseen.experiments.cell_tuning import TunedSettings, read_tunings, write_tuning_of
from halfseen.experiments.packed_run import Unpacked, pack_run, unpack_runs
from halfseen.experiments.plan_values import PlanError
from halfseen.experiments.read_packed_run import NotAPackedRun, packed_name, read_packed_run
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

ASKED = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
RECORD = Record(*ASKED, "mc1", versions={"halfseen": "1"})
SHIPPED = "quick/transductive-scene"


def near(one: Record, other: Record) -> bool:
    """Equal, but for the seventh digit of what came out."""

    def outcomes(record: Record) -> list[float]:
        bins = [value for one in record.reliability for value in one]
        return [*map(record.scores.get, SCORES), *bins, record.seconds, record.megabytes]

    def rest(record: Record) -> str:
        return repr(replace(record, scores={}, reliability=(), seconds=0, megabytes=0))

    return rest(one) == rest(other) and outcomes(one) == pytest.approx(
        outcomes(other), rel=5.01e-6, abs=0, nan_ok=True
    )


def a_run(run: Path, *records: Record, plan: str | Path = SHIPPED) -> Path:
    new_run_folder(plan, run)
    for record in records:
        write_record(run, record)
    return run


def packed(run: Path, *records: Record) -> Path:
    """A packed run with these records, beside its folder."""
    file = run.with_suffix(".jsonl")
    pack_run(a_run(run, *records), file)
    return file


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


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


@given(
    names=st.lists(st.integers(0, 9), unique=True, min_size=1, max_size=4),
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    scores=st.dictionaries(st.sampled_from(SCORES), st.floats(allow_infinity=False)),
    bins=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**9)), max_size=3),
    seconds=st.floats(0, 1e9) | st.just(math.nan),
    why=st.text(st.characters(exclude_characters="/", codec="utf-8"), max_size=20),
    setting=st.sampled_from([1, 1.0, True, None, "\u2028", [1, [2]], {"a": 1 / 3}]),
    versions=st.sampled_from([{}, {"halfseen": "1"}, {"halfseen": "2"}]),
)
def test_records_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[int],
    rates: tuple[float, float],
    scores: dict[str, float],
    bins: list[tuple[float, float, float]],
    seconds: float,
    why: str,
    setting: object,
    versions: dict[str, str],
) -> None:
    usual = Record(*ASKED, "cle", settings={"a": 1}, versions={"halfseen": "1"})
    unusual = Record(
        "yeast", "inductive", "blocks", "at_random", *rates, 0.25, "mc1", "k5",
        settings={"a": setting}, status="failed", why=why, scores=scores, reliability=tuple(bins),
        seconds=seconds, versions=versions,
    )  # fmt: skip
    records = [usual, *(replace(unusual, realisation=one, key="") for one in names)]
    folder = tmp_path_factory.mktemp("packed")
    file = packed(folder / "run", *records)
    unpack_runs([file], folder / "again")
    assert all(map(near, read_records(folder / "run"), read_records(folder / "again")))
    pack_run(folder / "again", folder / "again.jsonl")
    assert (folder / "again.jsonl").read_bytes() == file.read_bytes()


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
    why = "OSError: '/home/ann/my.d/a.csv', see https://openml.org/d/1 and/or file:///srv/x"
    file = packed(tmp_path / "run", replace(RECORD, status="failed", why=why))
    assert "/home" not in file.read_text()
    found = read_packed_run(file).records[RECORD.key].why
    assert found == "OSError: 'a.csv', see https://openml.org/d/1 and/or file://x"


def test_what_is_not_named_like_a_record_is_not_packed(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", RECORD)
    path = run / "cells" / f"{RECORD.key}.json"
    path.rename(path.with_name("a copy.json"))
    with pytest.raises(NotARecord, match=r"a copy\.json"):
        pack_run(run, tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()


def test_the_name_of_the_plan_is_in_the_first_line(tmp_path: Path) -> None:
    assert packed_name(packed(tmp_path / "run")) == SHIPPED


Line = dict[str, Any]


def _without_last(lines: list[Line]) -> None:
    lines.pop()


def _twice(lines: list[Line]) -> None:
    lines.append(lines[-1])
    lines[0]["n_records"] += 1


def _turned(lines: list[Line]) -> None:
    lines[-2:] = lines[:-3:-1]


def _deep(lines: list[Line]) -> None:
    for _ in range(50):
        lines[-1]["settings"] = {"a": lines[-1].get("settings", {})}


def _in_line(number: int, **values: object) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        lines[number] |= values

    return change


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (_without_last, "holds 2 of 3 records"),
        (_twice, "line 6, is out of order, or there twice"),
        (_turned, "line 5, is out of order"),
        (_deep, "line 5, .*too deep"),
        (_in_line(0, format=2), r"line 1, .*format 2"),
        (_in_line(0, format=None), r"line 1, .*format None"),
        (_in_line(0, more=1), "line 1, has the unknown field 'more'"),
        (_in_line(0, packed_run="../.."), "line 1, holds '../..' as packed_run"),
        (_in_line(0, packed_run="/etc"), "line 1, holds '/etc' as packed_run"),
        (_in_line(0, packed_run="a\0"), "line 1, holds"),
        (_in_line(0, plan=3), "line 1, holds 3 as plan"),
        (_in_line(0, plan="\ud800"), "line 1, is not JSON"),
        (_in_line(0, versions=[]), "line 1, holds"),
        (_in_line(0, scores=["beauty"]), "line 1, holds"),
        (_in_line(0, n_tunings=0), "holds 1 of 0 tunings"),
        (_in_line(1, tuning="../scene"), "line 2, has a name"),
        (_in_line(1, settings=[]), r"line 2, holds \[\] as settings"),
        (_in_line(1, colour="red"), "line 2, has the unknown field 'colour'"),
        (_in_line(2, record="../../scene"), "line 3, has a name"),
        (_in_line(2, record="a/b"), "line 3, has a name"),
        (_in_line(2, record=".."), "line 3, has a name"),
        (_in_line(2, record=""), "line 3, has a name"),
        (_in_line(2, record="a" * 300), "line 3, has a name"),
        (_in_line(2, record=None), "line 3, has a name"),
        (_in_line(2, colour="red"), "line 3, has the unknown field 'colour'"),
        (_in_line(2, status="excellent"), "line 3, holds 'excellent' as status"),
        (_in_line(2, feature_rate=10**400), "line 3, holds .* as feature_rate"),
        (_in_line(2, realisation=True), "line 3, holds True as realisation"),
        (_in_line(2, seconds=math.nan), "line 3, is not JSON: NaN"),
        (_in_line(2, reliability=[[1, 2]]), "line 3, holds .* as reliability"),
        (_in_line(2, scores={"micro_auc": 1}), "line 3, holds other scores"),
        (_in_line(2, scores=[1] * 99), "line 3, holds other scores"),
        (_in_line(2, versions=7), "line 3, has versions"),
        (_in_line(2, why="\ud800"), "line 3, is not JSON"),
        (lambda lines: lines[2].pop("data_set"), "line 3, lacks data_set"),
        (lambda lines: lines[0].pop("title"), "line 1, lacks title"),
    ],
)
def test_evil_files_leave_nothing_behind(
    tmp_path: Path, change: Callable[[list[Line]], None], match: str
) -> None:
    run = a_run(tmp_path / "run", RECORD, *(Record(*ASKED, name) for name in ("cle", "coco")))
    write_tuning_of(run, "scene-mc1", TunedSettings())
    good, evil = tmp_path / "good.jsonl", tmp_path / "evil.jsonl"
    pack_run(run, good)
    lines = [json.loads(line) for line in good.read_text().splitlines()]
    change(lines)
    evil.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = files_of(tmp_path)
    for files in ([evil], [good, evil]):
        for folder in (tmp_path / "new", run):
            with pytest.raises(NotAPackedRun, match=r"evil\.jsonl.*" + match):
                unpack_runs(files, folder)
    assert files_of(tmp_path) == before
    assert not (tmp_path / "new").exists()


def test_wherever_a_file_is_cut_off_it_is_noticed(tmp_path: Path) -> None:
    content = packed(tmp_path / "run", RECORD, Record(*ASKED, "cle")).read_bytes()
    file = tmp_path / "cut.jsonl"
    for length in range(len(content)):
        file.write_bytes(content[:length])
        with pytest.raises(NotAPackedRun, match=r"cut\.jsonl"):
            unpack_runs([file], tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"PAR1\xff\xfe", b"a,b\n1,2\n", b"[]\n", b"{}\n", b"[" * 10**5 + b"\n"]
)
def test_what_is_no_packed_run_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)
    for read in (read_packed_run, packed_name):
        with pytest.raises(NotAPackedRun, match=r"a\.jsonl, line 1,"):
            read(file)


def test_line_ends_of_windows_do_no_harm(tmp_path: Path) -> None:
    file = packed(tmp_path / "run", RECORD)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert unpack_runs([file], tmp_path / "again") == (1, 0)
    path = tmp_path / "again" / "cells" / f"{RECORD.key}.json"
    assert near(read_record(path), RECORD)
