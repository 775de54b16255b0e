from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from halfseen.cli.experiment_progress import ExperimentProgress
from halfseen.cli.terminal import Terminal
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.cell_worker import Job
from halfseen.experiments.record import Record

ASKED = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
CELLS = [Cell(*ASKED, realisation=place) for place in range(4)]
DONE = Record(*ASKED, seconds=200.0)


def test_lines_say_what_ended_and_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ExperimentProgress(1, Terminal()) as progress:
        progress.begin(5, [DONE], CELLS[1:])
        progress.tuned(Job("tune", CELLS[1]), TunedSettings({"lam": 0.1}, 3, 3))
        progress.cell(replace(DONE, realisation=1, key=""))
        progress.cell(replace(DONE, realisation=2, key="", status="failed", why="no luck"))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "1 of 5 cells are done already."
    assert said[1].endswith("mc1: settings best of 3: lam=0.1")
    assert "2 of 5 cells, about 7 min left] scene-" in said[2]
    assert "3 of 5 cells, 1 failed, about 3 min left]" in said[3]
    assert said[3].endswith("r2: failed: no luck")


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ExperimentProgress(1, Terminal(quiet=True)) as progress:
        progress.begin(5, [DONE], CELLS)
        progress.cell(DONE)
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_what_is_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with ExperimentProgress(1, Terminal()) as progress:
        progress.begin(4, [], CELLS)
        progress.change([(Job("run", CELLS[0]), 0.0), (Job("tune", CELLS[1]), 0.0)])
        console = Console(width=120, file=io.StringIO(), record=True)
        console.print(progress._view())
    lines = console.export_text().splitlines()
    assert lines[0].startswith("0 of 4 cells")
    assert any("mc1-r0" in line for line in lines)
    assert any("mc1 (tuning)" in line for line in lines)
