"""``halfseen experiment run``: run a plan."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.experiment_options import with_cores, with_limit
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Run PLAN: a TOML file, or the name of a shipped plan ('halfseen experiment list').

Every method gets the same realisations: entries are hidden, the method is fitted to what is left,
and what it says of the hidden ones is scored. Cells (one method on one realisation) run side by
side, one thread each; each leaves one JSON record in the folder. Settings of the baselines are
chosen once per data set and rates, on observed entries of the first realisation. A method that
fails or takes too long is recorded with the reason, and costs nothing but its own cells.

\b
Examples:
  halfseen experiment run quick/transductive-scene
  halfseen experiment run results --out results --cores 8 --limit-minutes 600
  halfseen experiment run mine.toml --out mine

Ctrl-C, a crash or a power cut lose the cells that are running and no others:
'halfseen experiment resume FOLDER' goes on. Results depend on the plan alone, not on --cores."""


@click.command("run", help=_HELP)
@click.argument("plan")
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    help="Where to keep the run.  [default: runs/ and the name of the plan]",
)
@with_cores
@with_limit
@with_terminal
def run_command(
    plan: str, out: str | None, cores: int | None, limit_minutes: float | None, terminal: Terminal
) -> None:
    """Make the folder, and run."""
    from halfseen.cli.experiment_going import checked_data, go_on
    from halfseen.experiments.read_plan import read_plan
    from halfseen.experiments.run_folder import new_run_folder

    read = read_plan(plan)
    checked_data(read)
    run = Path(out) if out is not None else Path("runs", read.name.replace("/", "-"))
    new_run_folder(plan, run)
    go_on(read, run, cores, limit_minutes, terminal, retry_failed=False)
