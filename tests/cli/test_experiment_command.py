from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from cli.conftest import Run
from experiments.one_process import PLAN, OneProcess, write_flowers
from halfseen.cli.experiment_command import EXPERIMENT_SUBCOMMANDS
from halfseen.cli.experiment_table import table_command
from halfseen.cli.subcommands import Subcommand
from halfseen.experiments import run_plan
from halfseen.experiments.record_table import SCORE_NAMES


@pytest.mark.parametrize("subcommand", EXPERIMENT_SUBCOMMANDS, ids=lambda one: one.name)
def test_every_command_is_where_the_table_says(subcommand: Subcommand) -> None:
    module, _, name = subcommand.target.partition(":")
    command = getattr(import_module(module), name)
    assert isinstance(command, click.Command)
    assert command.name == subcommand.name
    assert "Examples:" in (command.help or "")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run_plan, "WorkerPool", OneProcess)
    write_flowers(tmp_path)
    path = tmp_path / "flowers.toml"
    path.write_text(PLAN)
    return path


def test_every_score_can_be_asked_for() -> None:
    choices = next(option for option in table_command.params if option.name == "scores").type
    assert set(choices.choices) == set(SCORE_NAMES)  # type: ignore[attr-defined]


def test_a_table_of_ones_own_from_plan_to_tables(run: Run, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("experiment", "run", str(plan), "--out", str(out), "--cores", "1")
    assert done.exit_code == 0, done.output
    assert "4 of 4 cells done." in done.stderr
    assert "nearest_neighbours-r1: done in" in done.stderr
    table = run("experiment", "table", str(out))
    assert "flowers, transductive, hidden at_random: micro-AUC" in table.stdout
    assert "column_prior" in table.stdout
    as_csv = run("experiment", "table", str(out), "--format", "csv").stdout.splitlines()
    assert as_csv[0].startswith("data_set,task,hiding")
    assert all(line.startswith("flowers,transductive,") for line in as_csv[1:])
    losses = run("experiment", "table", str(out), "--score", "log_loss").stdout
    assert "flowers, transductive, hidden at_random: log-loss" in losses
    assert "AUC" not in losses
    unknown = run("experiment", "table", str(out), "--score", "interval_width")
    assert "No cell has a score" in unknown.stderr
    assert "no figures" in run("experiment", "table", str(out), "--published").stderr
    given = json.loads(run("experiment", "table", str(out), "--json").stdout)
    assert given["tables"][0]["data_set"] == "flowers"
    again = run("experiment", "run", str(plan), "--out", str(out))
    assert again.exit_code == 1
    assert "resume" in again.stderr
    resumed = run("experiment", "resume", str(out), "--json")
    assert json.loads(resumed.stdout)["n_done"] == 4
    page = run("experiment", "report", str(out), "-o", str(tmp_path / "page.html"))
    assert page.exit_code == 0, page.output
    assert "flowers" in (tmp_path / "page.html").read_text()


def test_errors_of_a_plan_are_errors_of_the_command(run: Run, plan: Path) -> None:
    plan.write_text(PLAN.replace("methods", "methode"))
    result = run("experiment", "run", str(plan))
    assert result.exit_code == 1
    assert "Did you mean 'methods'?" in result.stderr


def test_a_wrong_column_is_told_before_anything_runs(run: Run, plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace('"tall"', '"tal"'))
    result = run("experiment", "run", str(plan), "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert "Did you mean 'tall'?" in result.stderr
    assert not (tmp_path / "out").exists()


def test_data_that_is_nowhere_is_told_before_anything_runs(
    run: Run, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    out = str(tmp_path / "out")
    result = run("experiment", "run", "quick/transductive-cptc2017", "--out", out)
    assert result.exit_code == 1
    assert "HALFSEEN_DATA" in result.stderr


def test_a_folder_without_a_finished_cell_has_no_table(run: Run, tmp_path: Path) -> None:
    assert "not the folder of a run" in run("experiment", "table", str(tmp_path)).stderr


def test_shipped_plans_are_listed_and_shown(run: Run) -> None:
    listed = run("experiment", "list").stdout
    assert "quick/transductive-scene" in listed
    shown = run("experiment", "show", "own-table")
    assert 'labels = ["threat_*"]' in shown.stdout
    assert "80 cells" in shown.stderr
    names = [
        plan["name"] for plan in json.loads(run("experiment", "list", "--json").stdout)["plans"]
    ]
    assert "results" in names


def test_ctrl_c_says_how_to_go_on(
    run: Run, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: OneProcess) -> list[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(OneProcess, "ended", stopped)
    result = run("experiment", "run", str(plan), "--out", str(tmp_path / "out"))
    assert result.exit_code == 130
    assert f"halfseen experiment resume {tmp_path / 'out'}" in result.stderr


def test_time_that_is_up_leaves_the_rest(run: Run, plan: Path, tmp_path: Path) -> None:
    result = run(
        "experiment", "run", str(plan), "-o", str(tmp_path / "out"), "--limit-minutes", "1e-9"
    )
    assert "4 still to be run" in result.stderr
    assert "Time is up" in result.stderr


def test_nothing_is_imported_for_help(run: Run) -> None:
    before = set(sys.modules)
    assert "A study is a plan" in run("experiment", "--help").stdout
    assert not {"halfseen.cli.experiment_going"} & (set(sys.modules) - before)
