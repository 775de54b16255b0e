"""``halfseen inspect``: what is in a table."""

from __future__ import annotations

from shlex import quote

import click

from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_columns, with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """What is in FILE: what each column is taken for, how much of it is missing and where,
which columns lose their values together, how much of the labels is known, whether holes look
random, and what to look at before a model is fitted. Nothing is written.

\b
Examples:
  halfseen inspect devices.csv
  halfseen inspect assays.parquet --labels 'tox_*'
  halfseen inspect export.csv --missing -99 --as zip=category --all
  halfseen inspect devices.csv --json | jq '.summary.randomness.verdict'

The picture beside each column is the file from its first row to its last: a dot where nothing is
missing, a full block where everything is."""


@click.command("inspect", help=_HELP)
@click.argument("file", metavar="FILE")
@with_columns
@click.option("--all", "shows_all", is_flag=True, help="Show all columns of a wide table.")
@with_reading
@with_seed
@with_terminal
def inspect_command(
    file: str,
    labels: tuple[str, ...],
    ignore: tuple[str, ...],
    kinds: tuple[str, ...],
    shows_all: bool,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Look at a table."""
    from halfseen.cli.chosen_columns import chosen_columns
    from halfseen.cli.column_kinds import parse_kinds
    from halfseen.cli.inspection_view import show_inspection
    from halfseen.cli.table_summary import summarised

    source = reading.open(file, terminal, parse_kinds(kinds).roles)
    names = [column.name for column in source.columns]
    chosen = chosen_columns(labels, names, "--labels")
    ignored = chosen_columns(ignore, names, "--ignore")
    summary, strips = summarised(source, chosen, seed, terminal)
    show_inspection(source, summary, strips, ignored, terminal, shows_all=shows_all)
    wanted = quote(",".join(labels)) if labels else "COLUMNS"
    terminal.say(f"Next: halfseen fit {quote(file)} --labels {wanted}")
    terminal.give(
        {
            "file": file,
            "rows": source.n_rows,
            "columns": [
                {
                    "name": column.name,
                    "taken_for": column.role.value,
                    "because": column.reason,
                    "missing": column.n_missing,
                    "missing_along_file": strips.shares(column.name),
                }
                for column in source.columns
            ],
            "summary": summary,
        }
    )
