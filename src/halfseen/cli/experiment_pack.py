"""``halfseen experiment pack``: a run in one file."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.counted import counted
from halfseen.cli.destination import checked_destination
from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.problem import Problem, UsageProblem
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Write the run in folder RUN into one file, to be kept in a repository, sent to others, or
gone on with on another machine: 'halfseen experiment unpack' makes a folder of it again.

The file is text, about 300 bytes a cell, and the same run gives the same bytes. It holds the plan,
the settings that were chosen, and all records, failed ones too; scores, seconds and memory to six
digits. It names no folders of this machine, unless the plan does. Pictures stay behind, and so do
tables of your own: send them along. A packed run of that name is replaced, any other file is not.
A run can be packed while it goes on.

\b
Examples:
  halfseen experiment pack runs/quick-transductive-scene
  halfseen experiment pack results -o docs/results.jsonl"""


@click.command("pack", help=_HELP)
@click.argument("run")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write it.  [default: the folder's name and .jsonl, here]",
)
@with_terminal
def pack_command(run: str, output: str | None, terminal: Terminal) -> None:
    """Read the folder, and write the file."""
    from halfseen.experiments.packed_run import pack_run
    from halfseen.experiments.read_packed_run import NotAPackedRun, packed_name

    path = f"{Path(run).resolve().name}.jsonl" if output is None else output
    if path == "-":
        raise UsageProblem("A run is packed into a file.", "Name one: -o FILE.")
    checked_destination(path, terminal)
    if Path(path).exists():
        try:
            packed_name(Path(path))
        except NotAPackedRun as error:
            raise Problem(
                f"{path!r} is there already, and it is no packed run that could be replaced.",
                "Write elsewhere: -o FILE.",
                ExitCode.CANNOT_WRITE,
            ) from error
    n_records = pack_run(Path(run), Path(path))
    n_bytes = Path(path).stat().st_size
    terminal.say(f"{path} holds {counted(n_records, 'record')} of {run} ({n_bytes:,} bytes).")
    terminal.give({"run": run, "output": path, "n_records": n_records, "n_bytes": n_bytes})
