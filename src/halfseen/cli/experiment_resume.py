"""``halfseen experiment resume``: go on with a run that was stopped."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.experiment_options import with_cores, with_limit
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Go on with the run in FOLDER, however it ended.

Cells that have a record are not run again, failed ones neither: --retry-failed tries those, and
those that were left out, once more. To run more realisations or methods than at first, change
plan.toml in the folder, and resume.

\b
Examples:
  halfseen experiment resume runs/quick-transductive-scene
  halfseen experiment resume results --cores 8 --retry-failed"""


@click.command("resume", help=_HELP)
@click.argument("folder")
@click.option("--retry-failed", is_flag=True, help="Try cells again that failed or were left out.")
@with_cores
@with_limit
@with_terminal
def resume_command(
    folder: str,
    retry_failed: bool,
    cores: int | None,
    limit_minutes: float | None,
    terminal: Terminal,
) -> None:
    """Read the folder, and go on."""
    from halfseen.cli.experiment_going import checked_data, go_on
    from halfseen.experiments.run_folder import read_run_folder

    run = Path(folder)
    plan = read_run_folder(run)
    checked_data(plan)
    go_on(plan, run, cores, limit_minutes, terminal, retry_failed=retry_failed)
