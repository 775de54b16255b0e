"""``halfseen report``: one page about a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, Problem

_HELP = """Write one page about MODEL that opens in any browser and needs nothing else.

With --data, the table it was fitted to or one like it, the page also shows what is in the table,
examples of filled rows, and unusual rows. With --evaluation, a file that 'halfseen evaluate -o'
wrote, it shows scores beside those of baselines.

\b
Examples:
  halfseen evaluate devices.csv --labels 'threat_*' -o devices.evaluation.json
  halfseen report devices.safetensors --data devices.csv --evaluation devices.evaluation.json"""


@options.command_with("report", _HELP, "MODEL")
@click.option("--data", metavar="FILE", help="A table to show the model at work on.")
@click.option("--evaluation", metavar="FILE", help="What 'halfseen evaluate -o' wrote.")
@options.output_option("Where to write the page.  [default: MODEL with the ending .html]")
@click.option("--rows", type=click.IntRange(1), default=2000, help="Most rows, drawn at random.")
@click.option("--title", metavar="TEXT", help="Title of the page.")
@options.table_options
def report(
    model: str, data: str | None, evaluation: str | None, output: str | None, rows: int,
    title: str | None, reading: options.TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Read what there is, and write the page."""
    from halfseen.cli.tables import ModelTable, load_model
    from halfseen.files.writing import write_errors
    from halfseen.report import write_report

    path = options.output_beside(model, ".html", output)
    read = [name for name in (model, data, evaluation) if name is not None]
    options.check_outputs(console, [path], read, streams=False)
    fitted = load_model(model)
    found = None if evaluation is None else _evaluation(evaluation)
    X = y = names = n_rows = None
    if data is not None:
        model_table = ModelTable(reading.open(data), fitted, console, model)
        part = model_table.sample(rows, seed)
        X, y, names, n_rows = part.X, part.y, model_table.row_names(part), model_table.n_rows
    with console.progress("Writing the page"), write_errors(path):
        write_report(
            fitted, path, X, y, rows=names, n_rows=n_rows, title=title, evaluation=found,
            command=options.command_line("quiet", "as_json"),
        )  # fmt: skip
    console.say(f"The page is in {path}.")
    console.give({"output": path})


def _evaluation(path: str) -> Any:
    from halfseen.experiments.evaluate import Evaluation

    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        return Evaluation.model_validate(document["evaluation"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0][:100]
        message = f"{path} is no evaluation that 'halfseen evaluate -o' wrote ({reason})."
        raise Problem(message) from error
