"""``halfseen report``: one page about a model."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from halfseen.cli.destination import beside, checked_destination
from halfseen.cli.loaded_model import loaded_model
from halfseen.cli.model_options import with_allow_missing_columns
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.cli.model_source import ModelSource
    from halfseen.inspection import TableSummary

_HELP = """Write one page about MODEL that opens in any browser and needs nothing else.

With --data, the table it was fitted on or one like it, the page also shows what is in the table,
examples of filled rows, and rows that are unusual. With --evaluation, a file that 'halfseen
evaluate -o' wrote, it shows scores on hidden cells beside the usual pipelines.

\b
Examples:
  halfseen report devices.safetensors --data devices.csv
  halfseen evaluate devices.csv --labels 'threat_*' -o devices.evaluation.json
  halfseen report devices.safetensors --data devices.csv --evaluation devices.evaluation.json"""


@click.command("report", help=_HELP)
@click.argument("model_path", metavar="MODEL")
@click.option("--data", "file", metavar="FILE", help="A table to show the model at work on.")
@click.option("--evaluation", metavar="FILE", help="What 'halfseen evaluate -o' wrote.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the page.  [default: MODEL with the ending .html]",
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    help="Most rows of --data to look for examples and unusual rows in, drawn at random.",
)
@with_allow_missing_columns
@with_reading
@with_seed
@with_terminal
def report_command(
    model_path: str,
    file: str | None,
    evaluation: str | None,
    output: str | None,
    rows: int,
    allow_missing_columns: bool,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Make the page and write it."""
    from halfseen.cli.evaluation_file import read_evaluation
    from halfseen.cli.model_source import open_for_model
    from halfseen.report import model_report, write_page

    path = output or beside(model_path, ".html", otherwise="report.html")
    if path == "-":
        raise click.UsageError("A page cannot go to standard output: name a file with -o.")
    sources = [model_path, *([file] if file else []), *([evaluation] if evaluation else [])]
    checked_destination(path, terminal, sources)
    scores = read_evaluation(evaluation) if evaluation is not None else None
    model = loaded_model(model_path, terminal)
    X = y = summary = places = None
    if file is not None:
        source = open_for_model(
            file, model.schema_, reading, terminal, allow_missing_columns=allow_missing_columns
        )
        table, places = source.sample(rows, seed)
        X = table.select([column.name for column in model.schema_.features])
        labels = [column.name for column in model.schema_.targets]
        has_labels = bool(labels) and not any(name in source.absent for name in labels)
        y = table.select(labels) if has_labels else None
        summary = _summary(source, seed, terminal)
    with terminal.watching("making the page"):
        page = model_report(
            model,
            X=X,
            y=y,
            source_name=file or model_path,
            evaluation=scores,
            summary=summary,
            row_numbers=places,
            made_by=words_of_command(),
        )
        write_page(path, page)
    terminal.say(f"The page is in {path}.")
    if file is None:
        terminal.say("With --data TABLE it would also show the model at work.")
    if evaluation is None:
        terminal.say("With --evaluation it would also show how far to trust it; see --help.")
    terminal.give({"output": path, "data": file, "evaluation": evaluation})


def _summary(source: ModelSource, seed: int, terminal: Terminal) -> TableSummary:
    from halfseen.cli.table_summary import summarised

    labels = [column.name for column in source.schema.targets if column.name not in source.absent]
    return summarised(source.source, labels, seed, terminal).summary


def words_of_command() -> list[str]:
    """The command that is running, as it was typed.

    Returns
    -------
    list of str
    """
    return [shlex.join(["halfseen", *sys.argv[1:]])]
