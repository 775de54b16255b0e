"""``halfseen experiment unpack``: a run folder of packed runs."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.counted import counted
from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.problem import Problem
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Make a run folder of FILES that 'halfseen experiment pack' wrote; 'resume', 'table' and
'report' work with it as where it was run, but for pictures.

Several files must be of one plan, such as those of machines that went on with one study. A cell
that stands in several is taken from the first in which it is done. If the folder holds a run of the
same plan, what it lacks is added: cells that it has done stay as they are. Nothing is written
unless every line of every file is sound. A plan on a table of your own needs that table beside the
first file.

\b
Examples:
  halfseen experiment unpack results.jsonl
  halfseen experiment unpack office.jsonl server.jsonl --out results
\b
Go on with it here, and pack it again:
  halfseen experiment resume results
  halfseen experiment pack results"""


@click.command("unpack", help=_HELP)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    help="Where to keep the run.  [default: runs/ and the name of the plan]",
)
@with_terminal
def unpack_command(files: tuple[str, ...], out: str | None, terminal: Terminal) -> None:
    """Read the files, and write the folder."""
    from halfseen.experiments.packed_run import unpack_runs
    from halfseen.experiments.plan_values import PlanError
    from halfseen.experiments.read_packed_run import packed_name

    paths = [Path(file) for file in files]
    run = Path("runs", packed_name(paths[0]).replace("/", "-")) if out is None else Path(out)
    try:
        with terminal.watching("unpacking"):
            unpacked = unpack_runs(paths, run)
    except KeyboardInterrupt as stopped:
        raise Problem(
            f"Stopped. {run} is no run yet, or lacks records still.",
            "The same command goes on with it.",
            ExitCode.INTERRUPTED,
        ) from stopped
    except PlanError as error:
        raise Problem(
            f"The plan cannot be followed here: {error}",
            f"If it names a table of your own, put that beside {files[0]}; otherwise use the "
            "version of halfseen that ran it.",
        ) from error
    said = f"Added {counted(unpacked.n_records, 'record')} to {run}"
    repeated = f", passed over {unpacked.n_repeated:,} of cells that it has"
    terminal.say(f"{said}{repeated if unpacked.n_repeated else ''}.")
    terminal.say(f"See: halfseen experiment table {run}; go on: halfseen experiment resume {run}")
    terminal.give({"run": str(run), **unpacked._asdict()})
