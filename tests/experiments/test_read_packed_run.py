from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.packed import ASKED, RECORD, SHIPPED, a_run, files_of, packed
from halfseen.experiments.cell_tuning import TunedSettings, write_tuning_of
from halfseen.experiments.packed_run import pack_run, unpack_runs
from halfseen.experiments.read_packed_run import (
    NotAPackedRun,
    packed_name,
    parse_packed_run,
    read_packed_run,
)
from halfseen.experiments.record import Record


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
    for length in range(len(content)):
        with pytest.raises(NotAPackedRun, match=r"cut\.jsonl"):
            parse_packed_run(content[:length], Path("cut.jsonl"))


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"PAR1\xff\xfe", b"a,b\n1,2\n", b"[]\n", b"{}\n", b"[" * 10**5 + b"\n"]
)
def test_what_is_no_packed_run_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)
    for read in (read_packed_run, packed_name):
        with pytest.raises(NotAPackedRun, match=r"a\.jsonl, line 1,"):
            read(file)
