from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Run
from experiments.one_process import PLAN, write_flowers
from halfseen.experiments import packed_run
from halfseen.experiments.record import Record, read_records, write_record
from halfseen.experiments.run_folder import new_run_folder

ASKED = ("flowers", "transductive", "at_random", "at_random", 0.5, 0.5, None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where one is, with a run of a table of one's own; one of its four cells is done."""
    monkeypatch.chdir(tmp_path)
    write_flowers(tmp_path)
    (tmp_path / "flowers.toml").write_text(PLAN)
    new_run_folder(Path("flowers.toml"), Path("there"))
    scores = {"micro_auc": 2 / 3}
    write_record(Path("there"), Record(*ASKED, "column_prior", scores=scores, n_rows=40))
    return tmp_path


def test_a_run_is_packed_and_unpacked_where_runs_are(run: Run, folder: Path) -> None:
    packed = run("experiment", "pack", "there/")
    assert packed.exit_code == 0, packed.output
    n_bytes = (folder / "there.jsonl").stat().st_size
    assert packed.stderr == f"there.jsonl holds 1 record of there/ ({n_bytes:,} bytes).\n"
    unpacked = run("experiment", "unpack", "there.jsonl")
    assert unpacked.exit_code == 0, unpacked.output
    assert "Added 1 record to runs/flowers.\n" in unpacked.stderr
    tables = [run("experiment", "table", name).stdout for name in ("there", "runs/flowers")]
    assert "0.6667" in tables[0]
    assert tables[0] == tables[1]
    again = run("experiment", "unpack", "there.jsonl")
    assert "Added 0 records to runs/flowers, passed over 1 of cells that it has." in again.stderr


def test_the_outcome_for_programs(run: Run, folder: Path) -> None:
    given = json.loads(run("experiment", "pack", "there", "-o", "a.jsonl", "--json").stdout)
    assert (given["output"], given["n_records"]) == ("a.jsonl", 1)
    assert given["n_bytes"] == (folder / "a.jsonl").stat().st_size
    result = run("experiment", "unpack", "a.jsonl", "a.jsonl", "--out", "b", "--json", "--quiet")
    assert json.loads(result.stdout) == {"run": "b", "n_records": 1, "n_repeated": 1, "notes": []}
    assert result.stderr == ""


def test_only_a_packed_run_is_replaced(run: Run, folder: Path) -> None:
    assert run("experiment", "pack", "there").exit_code == 0
    write_record(Path("there"), Record(*ASKED, "nearest_neighbours"))
    assert "2 records" in run("experiment", "pack", "there").stderr
    before = (folder / "flowers.csv").read_bytes()
    result = run("experiment", "pack", "there", "-o", "flowers.csv")
    assert result.exit_code == 3
    assert "no packed run" in result.stderr
    assert "-o FILE" in result.stderr
    assert (folder / "flowers.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["pack", "nowhere"], 1, "is not the folder of a run"),
        (["pack", "there", "-o", "-"], 2, "into a file"),
        (["pack", "there", "-o", "nowhere/a.jsonl"], 3, "no folder"),
        (["unpack"], 2, "FILES"),
        (["unpack", "flowers.csv"], 1, "flowers.csv, line 1, is not JSON"),
        (["unpack", "nothing.jsonl"], 1, "nothing.jsonl"),
    ],
)
def test_what_cannot_be_done_is_said(
    run: Run, folder: Path, words: list[str], code: int, said: str
) -> None:
    result = run("experiment", *words)
    assert result.exit_code == code
    assert said in result.stderr
    assert not (folder / "runs").exists()


def test_a_table_that_is_not_there_is_asked_for(run: Run, folder: Path) -> None:
    run("experiment", "pack", "there")
    (folder / "elsewhere").mkdir()
    (folder / "there.jsonl").rename(folder / "elsewhere" / "a.jsonl")
    result = run("experiment", "unpack", "elsewhere/a.jsonl")
    assert result.exit_code == 1
    assert "put that beside elsewhere/a.jsonl" in result.stderr
    write_flowers(folder / "elsewhere")
    assert run("experiment", "unpack", "elsewhere/a.jsonl").exit_code == 0


def test_ctrl_c_says_how_to_go_on(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    run("experiment", "pack", "there")
    with monkeypatch.context() as patch:
        patch.setattr(packed_run, "write_record", stopped)
        result = run("experiment", "unpack", "there.jsonl")
    assert result.exit_code == 130
    assert "The same command goes on" in result.stderr
    assert run("experiment", "unpack", "there.jsonl").exit_code == 0
    assert len(read_records(Path("runs/flowers"))) == 1
