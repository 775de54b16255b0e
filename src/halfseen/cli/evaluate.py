"""``halfseen evaluate``: whether to trust a model on one's own data."""

from __future__ import annotations

from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, UsageProblem, label_table

_MOST_ROWS = 4_000
_MOST_CELLS = 2_000_000
_HELP = f"""Should I trust this on my data? Hold out rows of FILE and hide entries, fit to the rest,
predict, and compare with the truth.

Labels of held-out rows are predicted from features alone, as 'halfseen predict' does for new rows.
In the other rows entries of features and labels are hidden at random, and filled as 'halfseen
complete' does. Three baselines answer for the same entries: the mean or most frequent value;
imputation by a Gaussian, then gradient boosting; gradient boosting on missing values. They are not
tuned. The end says what that means, by a stated rule, and whether intervals, prediction sets and
probabilities keep what they promise.

\b
Examples:
  halfseen evaluate charts.parquet --labels diagnosis --groups hospital
  halfseen evaluate sales.csv --labels churn --time month --ignore month
  halfseen evaluate devices.csv --labels 'threat_*' -o devices.evaluation.json

At most {_MOST_ROWS:,} rows and {_MOST_CELLS:,} cells are used, drawn at random; --rows changes
that. More rows make all methods better. The models that are fitted here are not kept."""


@options.command_with("evaluate", _HELP, "FILE")
@options.column_options
@click.option("--repeats", type=click.IntRange(1), default=3, help="How often to hide and score.")
@click.option("--test", "test_fraction", type=click.FloatRange(0, 0.9, min_open=True), default=0.2,
              metavar="SHARE", help="Share of the rows to hold out.")  # fmt: skip
@click.option("--hide", "hidden_fraction", type=click.FloatRange(0, 0.95, min_open=True),
              default=0.1, metavar="SHARE", help="Share of other entries to hide.")  # fmt: skip
@click.option("--groups", metavar="COLUMN", help="Hold out all rows of a group together.")
@click.option("--time", "time_column", metavar="COLUMN", help="Hold out the latest rows.")
@click.option("--rows", type=click.IntRange(20), help=f"Most rows to use.  [default: {_MOST_ROWS}]")
@options.model_options
@options.coverage_option
@options.output_option("Also write the result as JSON, for 'halfseen report --evaluation'.")
@options.table_options
def evaluate(
    file: str, columns: options.ColumnOptions, repeats: int, test_fraction: float,
    hidden_fraction: float, groups: str | None, time_column: str | None, rows: int | None,
    chosen: options.ModelOptions, coverage: float, output: str | None,
    reading: options.TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Read a sample, evaluate, show."""
    from halfseen.cli.tables import read_training_table
    from halfseen.experiments.evaluate import evaluate

    options.check_outputs(console, [output], [file])
    if groups is not None and time_column is not None:
        raise UsageProblem("--groups and --time exclude each other.")
    table = reading.open(file)
    n_rows = rows or max(20, min(_MOST_ROWS, _MOST_CELLS // len(table.names)))
    read = read_training_table(table, console, columns, n_rows, seed)
    values: list[Any] = []
    if by := groups or time_column:
        options.one_column(by, read.typed.column_names, "--groups" if groups else "--time")
        values = read.typed.column(by).to_pylist()
        if None in values:
            raise UsageProblem(f"Column {by!r} has missing values; rows cannot be split by it.")
    model = chosen.estimator(read.feature_types, read.y is not None, seed)
    with console.progress("Evaluating", total=repeats) as advance:
        found = evaluate(
            read.X, read.y, model=model, n_repeats=repeats, test_fraction=test_fraction,
            hidden_fraction=hidden_fraction, coverage=coverage, random_state=seed,
            groups=list(map(str, values)) if groups else None,
            time_order=values if time_column else None,
            progress=lambda what, done, total: advance(what=what, done=done, total=total),
        )  # fmt: skip
    of = f"{found.n_rows:,} of {read.n_rows:,}"
    console.show(f"{file}: {of} rows, {len(found.features)} columns.")
    times = "Once" if repeats == 1 else f"{repeats} times"
    console.show(f"{times}, {test_fraction:.0%} of the rows were held out, and "
                 f"{hidden_fraction:.0%} of the entries of the others hidden.\n")  # fmt: skip
    if found.new_rows:
        console.head("Labels of new rows, by class")
        console.show(label_table(found.new_rows))
        console.show()
    console.show_text(found.text(console.width), heads=["Should I trust this on my data?"])
    document = {"file": file, "evaluation": found}
    options.write_json(output, document, console)
    console.give(document)
