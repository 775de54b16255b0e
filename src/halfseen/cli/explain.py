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


@command_with("explain", _HELP, "FILE", "MODEL")
@click.option("--row", type=click.IntRange(1), help="The row to explain, counted from 1.")
@click.option("--column", metavar="COLUMN",
              help="Label or feature to explain.  [default: all that are missing]")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=8, help="Most lines of each kind.")
@click.option("--rows", type=click.IntRange(1), default=2000, help="Most rows, drawn at random.")
@table_options
def explain(
    file: str, model: str, row: int | None, column: str | None, top: int, rows: int,
    reading: TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Explain a row, or the model."""
    from halfseen.cli.tables import ModelTable, load_model

    model_table = ModelTable(reading.open(file), load_model(model), console, model)
    if column is not None:
        one_column(column, model_table.modelled + model_table.labels, "--column")
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
    values = part.values.to_pylist()[0]
    modelled = model_table.modelled + model_table.known_labels
    n_known = sum(values.get(name) is not None for name in modelled)
    which = model_table.row_names(part)[0]
    console.show(f"Row {printable(which)}: {n_known} of {len(modelled)} columns are observed.\n")
    predictions = found.predictions
    if not predictions:
        console.show("Nothing is missing in it; --column NAME explains an observed entry.")
    for one in predictions[:_MOST_PREDICTIONS]:
        name = _name(model_table, one)
        known, text = values.get(name), f"{printable(name)}: {_value(_as_filled(model_table, one))}"
        if one.probability is not None:
            event = "" if one.event == one.value else f"probability of {_value(one.event)}: "
            text += f"  ({event}{one.probability:.1%})"
        console.head(text + (f"  (predicted from the rest; observed: {known})" if known else ""))
        largest = max((abs(effect.change) for effect in one.effects), default=0.0)
        for effect in one.effects[:top]:
            bar = "█" * max(1, round(_BAR * abs(effect.change) / (largest or 1.0)))
            console.show(f"  {effect.change:+9.3g}  {bar:{_BAR}}  {_entry(model_table, effect)}")
        console.show()
    if len(predictions) > _MOST_PREDICTIONS:
        names = [_name(model_table, one) for one in predictions[_MOST_PREDICTIONS:]]
        console.show(f"and {len(names)} more (--column): {', '.join(names[:10])}\n")
    if predictions:
        what = "the prediction with this entry minus the one without it"
        console.say(f"Each line: {what}, in log-odds of labels and categories.")
    of_row = model_table.identifiers_of(part.values, 0)
    lines = [{key: value for key, value in line.items() if key != "row"} for line in found.table()]
    console.give({"row": row, "identifiers": of_row, "explanations": lines})


def _explain_model(
    model_table: Any, part: Any, top: int, seed: int, console: Console, file: str, path: str,
) -> None:  # fmt: skip
    from halfseen import explain
    from halfseen.explain.columns import METRICS

    model, arguments = model_table.model, model_table.given(part)
    with console.progress("Hiding columns"):
        importance = explain.importance(model, *arguments, random_state=seed).table()
        couplings = explain.couplings(model, *arguments, random_state=seed).table(top)
        unusual = explain.unusual_rows(model, *arguments, top=top).rows
    units = explain.HiddenUnits(())
    if hasattr(model, "rbm_"):  # only machines of the paper have hidden units
        units = explain.hidden_units(model, part.X, top=top)
    document: dict[str, Any] = {"importance": importance, "couplings": couplings}
    document["hidden_units"] = units.table()

    def section(title: str, lines: list[str]) -> None:
        if lines:
            console.head(title)
            console.show("\n".join([*lines, ""]))

    rests_on = [
        f"  {one['increase']:+8.3f} {METRICS[one['metric']]:16} "
        f"{one['feature']} -> {one['predicted']}"
        for one in importance[:top]
    ]
    section("Features that predictions rest on (increase of the loss without them)", rests_on)
    section("Columns that hang together (strength about that of a correlation)", [
        f"  {' +-'[one['direction']]}{one['strength']:.2f}  {one['column']} and {one['other']}"
        for one in couplings
    ])  # fmt: skip
    section("Hidden units, and what they respond to", [
        f"  unit {one.unit}: {', '.join(map(_response, one.responses[:5]))}" for one in units.units
    ])  # fmt: skip
    console.head("Unusual rows")
    names, found = model_table.row_names(part), list[dict[str, Any]]()
    for one in unusual:
        entries = [
            _entry(model_table, e)
            + ("" if e.expected in (None, e.value) else f" (expected {_value(e.expected)})")
            for e in one.entries[:3]
        ]
        which = printable(names[one.row])
        console.show(f"  row {which}: {one.score:.1f} spreads above usual: {'; '.join(entries)}")
        of_row = model_table.identifiers_of(part.values, one.row)
        number = int(part.rows[one.row]) + 1
        found.append({"row": number, "identifiers": of_row, "score": one.score, "entries": entries})
    if found:
        row = found[0]["row"]
        console.say(f"Next: halfseen explain {quote(file)} {quote(path)} --row {row}")
    console.give(document | {"unusual_rows": found})


def _name(model_table: Any, one: Any) -> str:
    """Name of a column; a target that has none in the model is called as in files."""
    if one.is_target and not isinstance(one.column, str):
        labels: Sequence[str] = model_table.labels
        return labels[one.column if len(labels) > 1 else 0]
    return str(one.column)


def _entry(model_table: Any, one: Any) -> str:
    return f"{printable(_name(model_table, one))} = {_value(one.value)}"


def _as_filled(model_table: Any, one: Any) -> Any:
    """A prediction as `complete` writes it: whole in a column of whole numbers."""
    column = None if one.is_target else model_table.features[str(one.column)]
    return round(one.value) if column and column.is_number and column.whole else one.value


def _response(one: Any) -> str:
    value = "" if one.value is None else f"={_value(one.value)}"
    return f"{one.column}{value} {one.weight:+.2f}"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
    return printable(value)
