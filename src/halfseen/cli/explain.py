"""``halfseen explain``: why a row got its prediction, and what a model has learned."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Any

import click

from halfseen.cli.console import Console, Problem, printable
from halfseen.cli.options import TableOptions, command_with, one_column, table_options

_BAR = 12
_MOST_PREDICTIONS = 6
_HELP = """Why MODEL predicts what it predicts for a row of FILE; without --row, what it learned.

For a row: each observed entry is made missing in turn, and the row is predicted again; the change
is the effect of the entry, in log-odds of labels and categories, and in the units of numbers.
Effects of several entries do not add up: of two that say the same, each has little effect.

For the model: which features its predictions rest on, which columns hang together, and which rows
of FILE are unusual, with the entries that do not fit.

\b
Examples:
  halfseen explain devices.csv devices.safetensors --row 12
  halfseen explain devices.csv devices.safetensors --row 12 --column threat_scan --top 15
  halfseen explain devices.csv devices.safetensors

Rows count from 1, below the header. Known labels of a row count as observed. None of this is about
causes."""


@command_with("explain", _HELP)
@click.argument("file", metavar="FILE")
@click.argument("model", metavar="MODEL")
@click.option("--row", type=click.IntRange(1), help="The row to explain, counted from 1.")
@click.option(
    "--column", metavar="COLUMN",
    help="The label or feature to explain, known or not.  [default: all that are missing]",
)  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=8,
              help="Most lines of each kind.")  # fmt: skip
@click.option("--rows", type=click.IntRange(1), default=2000,
              help="Most rows to look at without --row, drawn at random.")  # fmt: skip
@table_options
def explain(
    file: str, model: str, row: int | None, column: str | None, top: int, rows: int,
    reading: TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Explain a row, or the model."""
    from halfseen.cli.tables import ModelTable, load_model

    model_table = ModelTable(reading.open(file), load_model(model), console, model)
    known = [str(c.name) for c in model_table.features if c.n_units] + model_table.labels
    if column is not None:
        one_column(column, known, "--column")
        if row is None:
            raise Problem("--column needs --row.", "For the whole model leave both out.")
    if row is None:
        part = model_table.sample(rows, seed)
        return _explain_model(model_table, part, top, seed, console, file, model)
    for first, cells in model_table.table.batches():
        model_table.identify(model_table.table.values(cells))
        n_rows = first + cells.num_rows
        if n_rows >= row:
            part = model_table.part(cells.slice(row - 1 - first, 1), [row - 1])
            return _explain_row(model_table, part, row, column, top, console)
    raise Problem(f"{file} has {n_rows:,} rows; there is no row {row:,}.")


def _explain_row(
    model_table: Any, part: Any, row: int, column: str | None, top: int, console: Console
) -> None:
    from halfseen.explain import explain_rows

    with console.progress("Predicting"):
        found = explain_rows(model_table.model, part.X, part.y, rows=[0], columns=column)
    values = {name: part.values.column(name)[0].as_py() for name in part.values.column_names}
    modelled = [str(c.name) for c in model_table.features if c.n_units] + model_table.known_labels
    n_known = sum(values.get(name) is not None for name in modelled)
    which = model_table.row_names(part)[0]
    console.show(f"Row {printable(which)}: {n_known} of {len(modelled)} columns are observed.\n")
    predictions = found.predictions
    if not predictions:
        console.show("Nothing is missing in it; --column NAME explains an observed entry.")
    for one in predictions[:_MOST_PREDICTIONS]:
        name = _target_name(model_table, one)
        known = values.get(name)
        text = f"{printable(name)}: {_value(_as_filled(model_table, one))}"
        if one.probability is not None:
            event = "" if one.event == one.value else f"probability of {_value(one.event)}: "
            text += f"  ({event}{one.probability:.1%})"
        console.head(text + (f"  (predicted from the rest; observed: {known})" if known else ""))
        largest = max((abs(effect.change) for effect in one.effects), default=0.0)
        for effect in one.effects[:top]:
            bar = "█" * max(1, round(_BAR * abs(effect.change) / (largest or 1.0)))
            console.show(
                f"  {effect.change:+9.3g}  {bar:{_BAR}}  "
                f"{printable(_target_name(model_table, effect))} = {_value(effect.value)}"
            )
        console.show()
    if len(predictions) > _MOST_PREDICTIONS:
        names = [_target_name(model_table, one) for one in predictions[_MOST_PREDICTIONS:]]
        console.show(f"and {len(names)} more (--column): {', '.join(names[:10])}\n")
    if predictions:
        console.say(
            "Each line: the prediction with this entry minus the one without it, in log-odds of "
            "labels and categories."
        )
    of_row = model_table.identifiers_of(part.values, 0)
    lines = [{key: value for key, value in line.items() if key != "row"} for line in found.table()]
    console.give({"row": row, "identifiers": of_row, "explanations": lines})


def _explain_model(
    model_table: Any, part: Any, top: int, seed: int, console: Console, file: str, path: str,
) -> None:  # fmt: skip
    from halfseen import explain
    from halfseen.explain.columns import METRICS

    model, X, y = model_table.model, part.X, part.y
    arguments = (X, y) if model_table.targets else (X,)
    with console.progress("Hiding columns"):
        importance = explain.importance(model, *arguments, random_state=seed).table()
        couplings = explain.couplings(model, *arguments, random_state=seed).table(top)
        unusual = explain.unusual_rows(model, *arguments, top=top)
    document: dict[str, Any] = {"importance": importance, "couplings": couplings}
    if importance:
        console.head("Features that predictions rest on (increase of the loss without them)")
        for line in importance[:top]:
            metric = METRICS[line["metric"]]
            console.show(
                f"  {line['increase']:+8.3f} {metric:16} {line['feature']} -> {line['predicted']}"
            )
        console.show()
    if couplings:
        console.head("Columns that hang together (strength about that of a correlation)")
        for line in couplings:
            sign = {1: "+", -1: "-", 0: " "}[line["direction"]]
            console.show(f"  {sign}{line['strength']:.2f}  {line['column']} and {line['other']}")
        console.show()
    try:
        units = explain.hidden_units(model, X, top=top).table()
    except TypeError:  # only machines of the paper have such units
        units = []
    document["hidden_units"] = units
    if units:
        console.head("Hidden units, and what they respond to")
        for key in dict.fromkeys((u["machine"], u["unit"]) for u in units):
            own = [u for u in units if (u["machine"], u["unit"]) == key]
            parts = [f"{u['response_column']}{_of(u['response_value'])} {u['response_weight']:+.2f}"
                     for u in own[:5]]  # fmt: skip
            console.show(f"  unit {key[1]}: {', '.join(parts)}")
        console.show()
    console.head("Unusual rows")
    names, found = model_table.row_names(part), list[dict[str, Any]]()
    for one in unusual.rows:
        entries = [
            f"{_target_name(model_table, e)} = {_value(e.value)}"
            + ("" if e.expected in (None, e.value) else f" (expected {_value(e.expected)})")
            for e in one.entries[:3]
        ]
        which = printable(names[one.row])
        console.show(f"  row {which}: {one.score:.1f} spreads above usual: {'; '.join(entries)}")
        of_row = model_table.identifiers_of(part.values, one.row)
        number = int(part.rows[one.row]) + 1
        found.append({"row": number, "identifiers": of_row, "score": one.score, "entries": entries})
    document["unusual_rows"] = found
    if found:
        row = found[0]["row"]
        console.say(f"Next: halfseen explain {quote(file)} {quote(path)} --row {row}")
    console.give(document)


def _target_name(model_table: Any, one: Any) -> str:
    """Name of a column; a target that has none in the model is called as in files."""
    if one.is_target and not isinstance(one.column, str):
        labels: Sequence[str] = model_table.labels
        return labels[one.column if len(labels) > 1 else 0]
    return str(one.column)


def _as_filled(model_table: Any, one: Any) -> Any:
    """A prediction as `complete` writes it: whole in a column of whole numbers."""
    columns = {str(column.name): column for column in model_table.features}
    column = None if one.is_target else columns.get(str(one.column))
    is_whole = column is not None and column.is_number and column.whole
    return round(one.value) if is_whole else one.value


def _of(value: Any) -> str:
    return "" if value is None else f"={_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
    return printable(value)
