"""``halfseen predict``: labels of new rows."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from shlex import quote
from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, Problem
from halfseen.cli.decisions import costs_option, threshold_option

_HELP = """Predict the labels of every row of FILE by MODEL, from its features alone.

Missing values are no hindrance. One row is written for each row of FILE: its number, counted from 1
below the header, its identifiers, and for every label

\b
  LABEL              the decision
  LABEL_probability  probability of the decision
  LABEL=VALUE        probability of each value (of 1, for labels of 0 and 1)
  LABEL_set          prediction set: values that are possible, with bars between them
  LABEL_abstain      whether the set has more than one value

Of the sets, a share of --coverage holds the truth, for every value of a label. Where known labels
of the same row should help, use 'halfseen complete'.

\b
Examples:
  halfseen predict new.csv devices.safetensors -o predicted.csv
  halfseen predict new.parquet devices.safetensors --coverage 0.95 -o predicted.parquet
  halfseen predict new.csv devices.safetensors --threshold 0.3 --threshold threat_scan=0.8
  halfseen predict new.csv devices.safetensors --costs 5:1     # a miss costs five false alarms
  halfseen predict new.csv charts.safetensors --costs diagnosis=costs.csv
  halfseen predict new.csv devices.safetensors --keep 'site,room' -o - | column -s, -t | head"""


@options.command_with("predict", _HELP, seed=False)
@click.argument("file", metavar="FILE")
@click.argument("model", metavar="MODEL")
@options.output_option("The predictions; '-' is standard output.  [default: a_predicted.csv]")
@click.option("--keep", multiple=True, metavar="COLUMNS", help="Columns of FILE to carry along.")
@threshold_option
@costs_option
@options.coverage_option
@options.table_options
def command(
    file: str, model: str, output: str | None, keep: tuple[str, ...],
    thresholds: tuple[str, ...], costs: tuple[str, ...], coverage: float,
    reading: options.TableOptions, console: Console,
) -> None:  # fmt: skip
    """Predict part by part."""
    from halfseen.cli.decisions import Decisions
    from halfseen.cli.tables import ModelTable, load_model
    from halfseen.files import output_format, table_writer

    path = options.output_beside(file, "_predicted", output)
    options.check_outputs(console, [path], [file, model])
    fitted = load_model(model)
    if not fitted.schema_.targets:
        message = f"The model {model} has no labels to predict."
        raise Problem(message, f"Fill features: halfseen complete {quote(file)} {quote(model)}")
    model_table = ModelTable(reading.open(file), fitted, console, model)
    kept = options.chosen_columns(keep, model_table.table.names, "--keep")
    decisions = Decisions.make(model_table, thresholds, costs)
    form = output_format(path)
    n_rows, write = 0, None
    counts: dict[str, Counter[str]] = {name: Counter() for name in model_table.labels}
    abstained: Counter[str] = Counter()
    with ExitStack() as stack:
        advance = stack.enter_context(console.progress("Predicting"))
        for part in model_table.parts():
            rows = _prediction_rows(model_table, decisions, part, kept, coverage)
            write = write or stack.enter_context(table_writer(path, rows.schema, form))
            write(rows)
            n_rows += part.cells.num_rows
            for name in model_table.labels:
                counts[name].update(rows.column(name).cast("string").to_pylist())
                if f"{name}_abstain" in rows.column_names:
                    abstained[name] += sum(rows.column(f"{name}_abstain").to_pylist())
            advance(what=f"Predicting: {n_rows:,} rows")
    labels = "1 label" if len(counts) == 1 else f"{len(counts)} labels"
    console.say(
        f"Predicted {labels} of {n_rows:,} rows. The predictions are in "
        f"{options.shown_output(path)}."
    )
    for name, found in counts.items() if n_rows else ():
        shares = ", ".join(f"{value} {n / n_rows:.0%}" for value, n in found.most_common(4))
        sure = f"; abstains in {abstained[name] / n_rows:.0%}" if name in abstained else ""
        console.say(f"  {name}: {shares}{sure}")
    if n_rows:
        console.say(f"Why? halfseen explain {quote(file)} {quote(model)} --row 1")
    found_labels = {
        name: {"predicted": dict(found), "abstained": abstained.get(name)}
        for name, found in counts.items()
    }
    console.give({"output": path, "rows": n_rows, "coverage": coverage, "labels": found_labels})


def _prediction_rows(
    model_table: Any, decisions: Any, part: Any, kept: list[str], coverage: float
) -> Any:
    """Row number, identifiers, kept columns, and for every label decision, probabilities, set."""
    import numpy as np
    import pyarrow as pa

    from halfseen.cli.filling import class_text, set_texts
    from halfseen.experiments.scores import label_answers

    model, n = model_table.model, part.cells.num_rows
    if not n:  # a header alone: what there would be of a row
        row = model_table.part(pa.Table.from_pylist([{}], part.cells.schema), [0])
        return _prediction_rows(model_table, decisions, row, kept, coverage).slice(0, 0)
    columns: dict[str, Any] = {"row": 1 + np.array(part.rows)}
    for name, cells in model_table.carried(part, taken=["row"], keep=kept):
        columns[f"{name}_known" if name in model_table.labels else name] = cells
    is_labels = model.schema_.target_type == "multilabel-indicator"
    answers = label_answers(model, part.X, coverage=coverage)
    for name, found in zip(model_table.labels, answers, strict=True):
        codes = decisions.decided(name, found).decided
        values = [found.classes[code] for code in codes]
        is_text = any(isinstance(value, str) for value in found.classes)
        columns[name] = pa.array(values, pa.string() if is_text else None)
        columns[f"{name}_probability"] = np.round(found.proba[np.arange(n), codes], 6)
        for k, value in enumerate(found.classes):
            if k or not is_labels:
                columns[f"{name}={class_text(value)}"] = np.round(found.proba[:, k], 6)
        if found.inside is not None:
            columns[f"{name}_set"] = set_texts(found.classes, found.inside)
            columns[f"{name}_abstain"] = found.inside.sum(axis=1) > 1
    return pa.table(columns)
