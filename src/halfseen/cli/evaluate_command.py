"""``halfseen evaluate``: whether to trust this on one's own data."""

from __future__ import annotations

from contextlib import redirect_stderr
from typing import TYPE_CHECKING, Any

import click

from halfseen.cli.destination import checked_destination
from halfseen.cli.model_options import with_level
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_columns, with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal
from halfseen.cli.training_options import Training, with_effort

if TYPE_CHECKING:
    from halfseen.cli.evaluation import Evaluation

MOST_ROWS = 4_000
MOST_CELLS = 2_000_000

_HELP = f"""Should I trust this on my data? Hide some of what is known in FILE, learn from the rest,
and compare answers with what was hidden.

A share of the known entries of every column is hidden at random, features and labels alike.
halfseen and the usual pipelines learn from what is left and are scored on the same hidden cells:
the column mean or most frequent value; iterative imputation, then gradient boosting; gradient
boosting that takes holes as they are. The end says in plain words what that means, whether
intervals and probabilities are honest, and where another pipeline does better.

The other pipelines run with fixed settings, not tuned, and lighter ones for more than 300 columns:
one round of imputation instead of three, boosting on the 200 columns that correlate most with the
label. All rests on one draw of hidden cells and one fit; 'clearly' means that an interval of 95 %
over rows leaves no doubt, which tells nothing of other draws: --seed makes another.

\b
Examples:
  halfseen evaluate devices.csv --labels 'threat_*' --effort fast
  halfseen evaluate charts.parquet --labels diagnosis --hide 0.4 --rows 2000
  halfseen evaluate devices.csv --labels 'threat_*' -o devices.evaluation.json

To stay within minutes, at most {MOST_ROWS:,} rows and {MOST_CELLS:,} cells are used, drawn at
random; --rows changes that. More rows make all methods better. The model that was fitted here has
seen less than yours will, and is not kept."""


@click.command("evaluate", help=_HELP)
@click.argument("file", metavar="FILE")
@with_columns
@click.option(
    "--hide",
    "hidden_share",
    type=click.FloatRange(0, 0.95, min_open=True),
    default=0.2,
    show_default=True,
    help="Share of the known entries to hide.",
)
@click.option(
    "--rows",
    type=click.IntRange(20),
    help=f"Most rows to use.  [default: {MOST_ROWS}, fewer for wide tables]",
)
@with_effort
@with_level
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Also write the result as JSON, for 'halfseen report --evaluation'.",
)
@with_reading
@with_seed
@with_terminal
def evaluate_command(
    file: str,
    labels: tuple[str, ...],
    ignore: tuple[str, ...],
    kinds: tuple[str, ...],
    hidden_share: float,
    rows: int | None,
    effort: str,
    level: float,
    output: str | None,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Hide, learn, ask, compare."""
    from halfseen.cli.evaluation_file import write_evaluation
    from halfseen.cli.evaluation_view import show_evaluation
    from halfseen.cli.verdict import verdict

    if output is not None:
        checked_destination(output, terminal, [file])
    evaluation = evaluated(
        file, labels, ignore, kinds, hidden_share, rows, effort, level, reading, seed, terminal
    )
    words = verdict(evaluation)
    show_evaluation(evaluation, words, terminal)
    if output is not None:
        write_evaluation(output, evaluation)
        terminal.say(f"The result is in {output}.")
    terminal.give({"file": file, "evaluation": evaluation, "verdict": words})


def evaluated(
    file: str,
    labels: tuple[str, ...],
    ignore: tuple[str, ...],
    kinds: tuple[str, ...],
    hidden_share: float,
    rows: int | None,
    effort: str,
    level: float,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> Evaluation:
    """The evaluation of a table, as the options say.

    Parameters
    ----------
    file : str
        The table.
    labels, ignore, kinds : tuple of str
        As given to ``--labels``, ``--ignore`` and ``--as``.
    hidden_share : float
        Share of the known entries to hide.
    rows : int or None
        Most rows to use.
    effort : str
        How much work training takes.
    level : float
        How often bounds and sets shall hold the truth.
    reading : Reading
        How to read the table.
    seed : int
        Decides what is hidden.
    terminal : Terminal
        Where to show progress.

    Returns
    -------
    Evaluation
    """
    from halfseen.cli.evaluate_table import evaluate_table
    from halfseen.cli.training_table import read_training_table

    most = MOST_ROWS if rows is None else rows
    read = read_training_table(file, labels, ignore, kinds, reading, most, seed, terminal)
    plan, table = read.plan, read.table
    if rows is None and table.num_rows * table.num_columns > MOST_CELLS:
        fewer = max(MOST_CELLS // table.num_columns, 20)
        table = table.take(_spread(table.num_rows, fewer))
    if table.num_rows < read.source.n_rows:
        terminal.note(
            f"{table.num_rows:,} of {read.source.n_rows:,} rows are used, to stay within minutes; "
            "--rows changes that."
        )
    training = Training(effort=effort, companion=False)
    with terminal.watching("learning") as watch, redirect_stderr(watch.stream):
        return evaluate_table(
            table,
            plan.labels,
            lambda: training.new_model(plan, seed),
            n_rows_of_table=read.source.n_rows,
            hidden_share=hidden_share,
            level=level,
            seed=seed,
            tell=lambda what: watch.to(0, 1, what),
        )


def _spread(n_rows: int, n_wanted: int) -> Any:
    """Rows at even distances, in order."""
    import numpy as np

    return np.linspace(0, n_rows - 1, n_wanted).round().astype(np.int64)
