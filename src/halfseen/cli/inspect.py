"""``halfseen inspect``: what is in a table."""

from __future__ import annotations

from shlex import quote

import click

from halfseen.cli import options
from halfseen.cli.console import Console

_HELP = """What is in FILE: types of columns, missing values and where they are, which columns go
missing together, whether values look missing at random, and what to look at before a model is
fitted. Nothing is written.

\b
Examples:
  halfseen inspect assays.parquet --labels 'tox_*'
  halfseen inspect export.csv --missing -99 --as zip=categorical --all
  halfseen inspect devices.csv --json | jq '.inspection.randomness.verdict'

The strip beside each column is the file from its first row to its last: a dot where nothing is
missing, a full block where everything is. Of long files a random sample of 100,000 rows is looked
at."""


@options.command_with("inspect", _HELP, "FILE")
@options.column_options
@click.option("--all", "show_all", is_flag=True, help="Show all columns of a wide table.")
@options.table_options
def inspect(
    file: str, columns: options.ColumnOptions, show_all: bool, reading: options.TableOptions,
    seed: int, console: Console,
) -> None:  # fmt: skip
    """Look at a table."""
    from halfseen.cli.tables import sample_table
    from halfseen.inspect import inspect_table
    from halfseen.inspect.findings import Finding
    from halfseen.inspect.table import MAX_ROWS

    table = reading.open(file)
    read = sample_table(table, console, columns, MAX_ROWS, seed)
    chosen, left_out, asked, sample, values, typed = read
    with console.progress("Looking at columns"):
        readable = set(typed.column_names)
        found = inspect_table(
            typed, [name for name in chosen if name in readable],
            ignored=readable.intersection(left_out), n_rows=sample.n_rows, random_state=seed,
            feature_types={name: type for name, type in asked.items() if name in readable},
        )  # fmt: skip
    mixed, remedy = [], "Correct it, or say with --missing that it means missing"
    for column in table.mixed_columns(values):
        row = int(sample.rows[column.position])
        error = table.error(column.problem, remedy, row, column.name)
        mixed.append(Finding(kind="unreadable", column=column.name, sentence=str(error)))
    found = found.model_copy(update={"findings": (*mixed, *found.findings)})
    text = f"{file}:\n" + found.text(console.width, show_all=show_all)
    console.show_text(text, heads=["Missing together", "Missing at random?", "Worth a look"])
    console.say()
    if found.findings:
        console.say("Say more with --missing TEXT, --as COLUMN=TYPE and --ignore COLUMN.")
    wanted = quote(",".join(columns.labels)) if columns.labels else "COLUMNS"
    console.say(f"Next: halfseen fit {quote(file)} --labels {wanted}")
    console.give({"file": file, "inspection": found})
