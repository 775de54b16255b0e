"""``halfseen fit``: a model from a table."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from inspect import signature
from shlex import quote
from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, ExitCode, Interrupts, Problem

_HELP = """Fit a model to FILE, a table with missing values.

All observed cells are learned from, in rows without a label, too. Identifiers and dates are left
alone. Without --labels the model fills features and predicts nothing. The model is one file that
holds no row of the table; the same table, options and seed give the same model.

\b
Examples:
  halfseen fit assays.parquet --labels 'tox_*' -o tox.safetensors
  halfseen fit charts.csv --labels diagnosis,relapse --as zip=categorical --missing -99
  halfseen fit charts.csv --labels diagnosis --model rbm --set n_components=200
  halfseen fit big.parquet --labels 'risk_*' --max-rows 50000 --effort fast

Of a table with more than --max-rows rows a random sample is learned from, drawn in one pass over
the file; all rows can be completed all the same. Ctrl-C keeps the model trained so far, if there is
one."""


@options.command_with("fit", _HELP, "FILE")
@options.column_options
@options.output_option("Where to write the model.  [default: FILE with the ending .safetensors]")
@options.model_options
@click.option("--max-rows", type=click.IntRange(1), default=100_000, help="Most rows to learn of.")
@options.table_options
def fit(
    file: str, columns: options.ColumnOptions, output: str | None, chosen: options.ModelOptions,
    max_rows: int, reading: options.TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Read a sample, fit, save."""
    from halfseen.cli.tables import read_training_table
    from halfseen.files.writing import write_errors

    path = options.output_beside("model.csv" if file == "-" else file, ".safetensors", output)
    options.check_outputs(console, [path], [file], streams=False)
    table = read_training_table(reading.open(file), console, columns, max_rows, seed)
    model = chosen.estimator(table.feature_types, table.y is not None, seed)
    n_rows = table.X.num_rows
    of = f"a random sample of {n_rows:,} of {table.n_rows:,}"
    sample = of if n_rows < table.n_rows else f"{n_rows:,}"
    sizes = ((table.X.num_columns, "feature"), (len(table.labels), "label"))
    features, labels = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in sizes)
    console.say(f"{file}: {sample} rows, {features} and {labels}.")
    began = time.perf_counter()
    is_interrupted = _fit(model, table, console)
    seconds = time.perf_counter() - began
    model.fit_command_ = options.command_line("output", "quiet", "as_json")
    with write_errors(path):
        model.save(path)
    schema, reasons = model.schema_, table.not_modelled
    types = Counter(column.type for column in schema.features if column.n_units)
    console.say(f"Features: {', '.join(f'{n:,} {type}' for type, n in types.items())}.")
    for reason in dict.fromkeys(reasons.values()):
        names = ", ".join(name for name, other in reasons.items() if other == reason)
        console.say(f"Not modelled ({reason}): {names}.")
    if table.y is None:
        console.say("No labels: the model fills features, and predicts nothing (--labels).")
    else:
        kind = [str(schema.target_type)]
        if schema.target_type != "multilabel-indicator":
            kind += [f"{len(column.categories)} classes" for column in schema.targets]
        console.say(f"Labels ({', '.join(kind)}): {', '.join(schema.target_names)}.")
    console.say(f"Fitted in {seconds:.0f} s. The model is in {path}.")
    console.say(f"Next: halfseen complete {quote(file)} {quote(path)}")
    columns_found = [
        {"name": c.name, "type": c.type, "reason": c.reason, "observed": c.n_observed}
        for c in schema.columns
    ]
    console.give({
        "model": path, "estimator": type(model).__name__, "rows": n_rows,
        "rows_of_file": table.n_rows, "seconds": round(seconds, 3), "interrupted": is_interrupted,
        "labels": table.labels, "columns": columns_found, "not_modelled": reasons,
    })  # fmt: skip
    if is_interrupted:
        message = f"Stopped by Ctrl-C; {path} holds the model trained so far."
        raise Problem(message, code=ExitCode.INTERRUPTED)


def _fit(estimator: Any, table: Any, console: Console) -> bool:
    """Fit with progress; gives whether it was interrupted and the model is that of a part."""
    from halfseen import TrainingInterrupted

    with console.progress("Fitting") as advance:
        by_pass = [lambda record: advance(what=f"Fitting: pass {record.epoch + 1}")]
        watching: dict[str, Any] = {"callbacks": by_pass}
        if "progress" in signature(estimator.fit).parameters:
            watching = {"progress": lambda stage, done, total: advance(f"Fitting: {stage}", done,
                                                                       total=total)}  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(table.X, table.y, **watching)
        if is_interrupted := any(issubclass(w.category, TrainingInterrupted) for w in caught):
            Interrupts.pressed = False
    for one in caught:
        if not issubclass(one.category, TrainingInterrupted):
            place = (one.filename, one.lineno, "halfseen")
            warnings.warn_explicit(one.message, one.category, *place)
    return is_interrupted
