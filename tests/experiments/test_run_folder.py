from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.one_process import PLAN, write_flowers
from halfseen.experiments.plan import PlanError
from halfseen.experiments.run_folder import RunFolderError, new_run_folder, read_run_folder


def test_a_run_keeps_its_plan_and_finds_its_table_again(tmp_path: Path) -> None:
    path, run = tmp_path / "mine.toml", tmp_path / "runs" / "mine"
    path.write_text(PLAN)
    write_flowers(tmp_path)
    plan = new_run_folder(path, run)
    path.unlink()
    again = read_run_folder(run)
    assert (again.name, again.grids, again.tables) == ("mine", plan.grids, plan.tables)
    about = json.loads((run / "run.json").read_text())
    assert (about["plan"], about["title"]) == ("mine", "Flowers")
    assert about["machine"]["cores"] >= 1
    with pytest.raises(RunFolderError, match="resume"):
        new_run_folder("quick/own-table", run)


def test_a_plan_with_an_error_leaves_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("title = 1")
    with pytest.raises(PlanError):
        new_run_folder(path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="is not the folder of a run"):
        read_run_folder(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"plan": "mine"}'])
def test_a_damaged_run_is_named(tmp_path: Path, text: str) -> None:
    path, run = tmp_path / "mine.toml", tmp_path / "run"
    path.write_text(PLAN)
    write_flowers(tmp_path)
    new_run_folder(path, run)
    (run / "run.json").write_text(text)
    with pytest.raises(RunFolderError, match="run"):
        read_run_folder(run)
