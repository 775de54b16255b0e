"""``halfseen sample``: new rows from what a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from halfseen.cli.destination import checked_destination
from halfseen.cli.loaded_model import loaded_model
from halfseen.cli.problem import Problem
from halfseen.cli.shared_options import FORMATS, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    import pyarrow

_HELP = """Draw new rows, features and labels together, from what MODEL has learned.

They look like rows of the table it was fitted on, and are none of them. The model must have been
fitted with its companion, as it is unless --no-companion was given.

\b
Examples:
  halfseen sample devices.safetensors -n 1000 -o made_up.csv
  halfseen sample devices.safetensors -n 5
  halfseen sample devices.safetensors -n 100000 --seed 1 -o made_up.parquet"""


@click.command("sample", help=_HELP)
@click.argument("model_path", metavar="MODEL")
@click.option(
    "-n", "n_rows", type=click.IntRange(1, 10**7), default=100, show_default=True, help="Rows."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Where to write them.  [default: standard output]",
)
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help="What to write, if the name of the output does not tell.  [default: csv]",
)
@with_seed
@with_terminal
def sample_command(
    model_path: str, n_rows: int, output: str, to: str | None, seed: int, terminal: Terminal
) -> None:
    """Draw rows and write them."""
    from halfseen.files import write_table

    checked_destination(output, terminal, [model_path])
    model = loaded_model(model_path, terminal)
    if model.machine_ is None:
        raise Problem(
            "This model cannot draw rows: it was fitted with --no-companion.",
            "Fit it again without --no-companion.",
        )
    with terminal.watching("drawing"):
        table = sampled_table(model, n_rows, seed)
    write_table(output, [table], format=to or ("csv" if output == "-" else None))
    if output != "-":
        terminal.say(f"{n_rows:,} new rows are in {output}.")
    terminal.give({"output": output, "rows": n_rows, "seed": seed, "columns": table.column_names})


def sampled_table(model: Any, n_rows: int, seed: int) -> pyarrow.Table:
    """New rows as a table.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with a likelihood-trained machine.
    n_rows : int
        How many.
    seed : int
        Seed.

    Returns
    -------
    pyarrow.Table
        Features, then labels; columns of which training saw nothing are left out.
    """
    import numpy as np
    import pyarrow as pa

    from halfseen.cli.column_answers import answers_of_units
    from halfseen.tables import Encoded

    units = model.machine_.sample(n_rows, seed)
    nothing = Encoded(units, np.zeros(units.shape, dtype=bool))
    answers = answers_of_units(model, nothing, units)
    return pa.table({answer.name: pa.array(answer.decision.tolist()) for answer in answers})
