"""``halfseen experiment table``: the tables of a run."""

from __future__ import annotations

from pathlib import Path

import click

from halfseen.cli.problem import Problem
from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal
from halfseen.experiments.record import SCORES

_HELP = """The tables of the run in FOLDER, as far as it is: methods by rates, mean and standard
deviation over realisations, the paper's figures beside ours where it has any.

The constant prior (column_prior) shows what knowing nothing of a row scores. Stars mark what is
better beyond chance. A run can be looked at while it goes on.

\b
Examples:
  halfseen experiment table runs/quick-transductive-scene
  halfseen experiment table results --format markdown > results.md
  halfseen experiment table results --format csv > results.csv
  halfseen experiment table results --score standardised_rmse --score calibration_error
  halfseen experiment table results --published"""


@click.command("table", help=_HELP)
@click.argument("folder")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "csv"]),
    default="text",
    show_default=True,
    help="How to write them; CSV has one line per method, rates and score.",
)
@click.option(
    "--score",
    "scores",
    type=click.Choice([*SCORES, "seconds"]),
    multiple=True,
    help="Tables of this score; may be given several times. Otherwise those of the paper, and "
    "seconds.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Only what the paper has figures of, and our default beside it.",
)
@with_terminal
def table_command(
    folder: str, format_: str, scores: tuple[str, ...], published: bool, terminal: Terminal
) -> None:
    """Read the records, and show."""
    from halfseen.experiments.cell import cells_of
    from halfseen.experiments.record import read_records
    from halfseen.experiments.record_table import record_tables, records_of_the_paper
    from halfseen.experiments.record_table_text import FORMATS
    from halfseen.experiments.run_folder import read_run_folder

    run = Path(folder)
    plan = read_run_folder(run)
    records = read_records(run)
    if not records:
        raise Problem(
            f"{folder} has no finished cell yet.", f"Go on: halfseen experiment resume {folder}"
        )
    n_cells = len(cells_of(plan))
    tables = record_tables(records_of_the_paper(records) if published else records, scores or None)
    if published:
        tables = [table for table in tables if any(line.is_published for line in table.lines)]
    if not tables:
        where = "The paper has no figures" if published else "No cell has a score"
        terminal.note(f"{where} of what is asked for.")
    if not terminal.as_json:
        click.echo(FORMATS[format_](tables), nl=False)
    if len(records) < n_cells:
        terminal.note(f"{n_cells - len(records):,} of {n_cells:,} cells are not run yet.")
    terminal.give({"run": folder, "plan": plan.name, "tables": tables})
