"""``halfseen fit``: learn a model from a table with holes."""

from __future__ import annotations

import time
from contextlib import redirect_stderr
from shlex import quote

import click

from halfseen.cli.destination import beside, checked_destination
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_columns, with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal
from halfseen.cli.training_options import Training, with_training

_HELP = """Learn a model from FILE, a table with holes.

Everything observed is learned from, rows without any label, too. Identifiers, dates and free text
are left alone; --as changes what a column is taken for. Without --labels the model fills features
and predicts nothing.

\b
Examples:
  halfseen fit devices.csv --labels threat
  halfseen fit assays.parquet --labels 'tox_*' -o tox.safetensors
  halfseen fit charts.csv --labels diagnosis,relapse --as zip=category --missing -99
  halfseen fit big.parquet --labels @labels.txt --max-rows 50000 --effort fast

The model is one file that holds no row of the table. The same table, options and seed give the same
model. A table of more than --max-rows rows is read in batches, and a random sample of that many
rows is learned from: memory stays bounded, and all rows can be completed all the same."""


@click.command("fit", help=_HELP)
@click.argument("file", metavar="FILE")
@with_columns
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    help="Where to write the model.  [default: FILE with the ending .safetensors]",
)
@with_training
@with_reading
@with_seed
@with_terminal
def fit_command(
    file: str,
    labels: tuple[str, ...],
    ignore: tuple[str, ...],
    kinds: tuple[str, ...],
    output: str | None,
    training: Training,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Learn a model and write it."""
    from halfseen.cli.training_table import read_training_table
    from halfseen.learning.trainer import interruption_is_the_end

    path = output or beside(file, ".safetensors", otherwise="model.safetensors")
    if path == "-":
        raise click.UsageError("A model cannot be written to standard output: name a file with -o.")
    checked_destination(path, terminal, [file])
    read = read_training_table(
        file, labels, ignore, kinds, reading, training.max_rows, seed, terminal
    )
    plan = read.plan
    terminal.say(read.description())
    for line in plan.passed_by_reason():
        terminal.say(f"  passes through, {line}")
    started = time.perf_counter()
    model = training.new_model(plan, seed)
    # The estimator makes do with what it has when it is stopped; a file should not.
    with (
        terminal.watching("learning") as watch,
        redirect_stderr(watch.stream),
        interruption_is_the_end(),
    ):
        if plan.labels:
            model.fit(read.table.select(plan.features), read.table.select(plan.labels))
        else:
            model.fit(read.table.select(plan.features))
    seconds = time.perf_counter() - started
    model.save(path)
    terminal.say(f"Learned in {seconds:.0f} s. The model is in {path}.")
    if not plan.labels:
        terminal.say("It knows no labels; name some with --labels to have them predicted.")
    terminal.say(f"Next: halfseen complete {quote(file)} {quote(path)}")
    terminal.give(
        {
            "model": path,
            "rows": read.table.num_rows,
            "rows_of_table": read.source.n_rows,
            "features": plan.features,
            "labels": plan.labels,
            "target_kind": model.schema_.target_kind,
            "passed": plan.passed,
            "columns": [
                {"name": c.name, "kind": c.kind, "scale": c.transform, "n_observed": c.n_observed}
                for c in model.schema_.columns
            ],
            "effort": training.effort,
            "seed": seed,
            "seconds": seconds,
        }
    )
