"""``halfseen experiment report``: one page about a run."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.destination import checked_destination
from halfseen.cli.problem import Problem
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Write one page about the run in FOLDER that opens in any browser and needs nothing else.

It shows winners, tables with the paper's figures, curves of scores against missing rates,
reconstructed images, calibration, time against accuracy, and every single cell.

\b
Examples:
  halfseen experiment report runs/quick-transductive-scene
  halfseen experiment report results -o results.html"""


@click.command("report", help=_HELP)
@click.argument("folder")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write it.  [default: FOLDER/report.html]"
)
@with_terminal
def report_command(folder: str, output: str | None, terminal: Terminal) -> None:
    """Make the page and write it."""
    from halfseen.experiments.record import read_records
    from halfseen.experiments.run_folder import read_run_folder
    from halfseen.report.experiment_report import experiment_report

    run = Path(folder)
    read_run_folder(run)
    if not read_records(run):
        raise Problem(
            f"{folder} has no finished cell yet.", f"Go on: halfseen experiment resume {folder}"
        )
    path = str(run / "report.html") if output is None else output
    checked_destination(path, terminal, [])
    with terminal.watching("making the page"):
        experiment_report(run, Path(path))
    terminal.say(f"The page is in {path}.")
    terminal.give({"run": folder, "output": path})
