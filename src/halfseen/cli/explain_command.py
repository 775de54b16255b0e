"""``halfseen explain``: why a row was answered so, and what a model has learned."""

from __future__ import annotations

from contextlib import redirect_stderr
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from halfseen.cli.loaded_model import loaded_model
from halfseen.cli.model_options import with_allow_missing_columns, with_level
from halfseen.cli.problem import UsageProblem
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    import pyarrow

    from halfseen.cli.model_source import ModelSource

_HELP = """Why MODEL says what it says about a row of FILE; without --row, what it has learned.

For a row: every observed entry is taken away in turn and the model is asked again; what changes is
what that entry did. Above 0 it pushed a label or number up, below 0 down. Effects of several
entries do not add up: two that tell the same have little effect each.

For the model: which columns go together, what its hidden units respond to, and which rows of FILE
are unusual, with the entries that do not fit.

\b
Examples:
  halfseen explain devices.csv devices.safetensors --row 12
  halfseen explain devices.csv devices.safetensors --row 12 --column threat_scan --top 15
  halfseen explain devices.csv devices.safetensors

Rows count from 1, below the header."""


_MOST_KNOWN = 6
_MOST_ROWS = 5_000
_MOST_UNITS = 1_500_000


@click.command("explain", help=_HELP)
@click.argument("file", metavar="FILE")
@click.argument("model_path", metavar="MODEL")
@click.option("--row", type=click.IntRange(1), help="The row to explain, counted from 1.")
@click.option(
    "--column",
    help="The label or feature to explain; known or not. [default: all labels and holes]",
)
@click.option(
    "--top", type=click.IntRange(1), default=8, show_default=True, help="Most lines of each kind."
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    help=f"Most rows to look for unusual ones in, drawn at random.  [default: {_MOST_ROWS}, fewer "
    "for wide tables]",
)
@with_level
@with_allow_missing_columns
@with_reading
@with_seed
@with_terminal
def explain_command(
    file: str,
    model_path: str,
    row: int | None,
    column: str | None,
    top: int,
    rows: int | None,
    level: float,
    allow_missing_columns: bool,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Explain a row or the model."""
    from halfseen.cli.model_source import open_for_model

    model = loaded_model(model_path, terminal)
    if column is not None:
        from halfseen.cli.chosen_columns import column_named

        column_named(column, [c.name for c in model.schema_.columns], "--column")
        if row is None:
            raise UsageProblem("--column goes with --row.", "Name a row: --row 1.")
    source = open_for_model(
        file, model.schema_, reading, terminal, allow_missing_columns=allow_missing_columns
    )
    if row is not None:
        _explain_row(model, source, row, column, top, level, terminal)
    else:
        _explain_model(model, source, top, rows, seed, terminal)


def _explain_row(
    model: Any,
    source: ModelSource,
    row: int,
    column: str | None,
    top: int,
    level: float,
    terminal: Terminal,
) -> None:
    from halfseen.cli.row_view import show_row
    from halfseen.explanations import explain_row

    if row > source.source.n_rows:
        raise UsageProblem(
            f"--row {row}: {source.source.path} has {source.source.n_rows:,} rows.",
            "Rows count from 1, below the header.",
        )
    table = _row(source, row)
    X, y = _parts(model, source, table)
    labels = [label.name for label in model.schema_.targets]
    with terminal.watching("asking the model"):
        explained = explain_row(model, X, 0, y, target=column, level=level)
        if not explained.answers:
            # Nothing is missing: what the model would say of the labels if it did not know them.
            asked = [
                explain_row(model, X, 0, y, target=name, level=level, patterns=())
                for name in labels[:_MOST_KNOWN]
            ]
            answers = tuple(answer for each in asked for answer in each.answers)
            explained = replace(explained, answers=answers)
    show_row(explained, row, table, top, level, terminal)
    terminal.give(
        {
            "row": row,
            "level": level,
            "answers": explained.answers,
            "hidden_units": explained.hidden_units,
            "nearest_patterns": [
                {
                    "overlap": near.overlap,
                    "share": near.pattern.share,
                    "values": near.pattern.values,
                }
                for near in explained.nearest_patterns
            ],
        }
    )


def _explain_model(
    model: Any, source: ModelSource, top: int, rows: int | None, seed: int, terminal: Terminal
) -> None:
    from halfseen.cli.learned_view import show_couplings, show_hidden_units, show_unusual_rows
    from halfseen.explanations import couplings, hidden_units, unusual_rows

    with terminal.watching("asking the model"):
        coupled, units = couplings(model, top=top), hidden_units(model, top=min(top, 5))
    show_couplings(coupled, terminal)
    show_hidden_units(units, terminal)
    unusual: list[dict[str, Any]] = []
    if model.machine_ is None:
        terminal.note("Unusual rows need a model that was not fitted with --no-companion.")
    else:
        most = min(_MOST_ROWS, max(_MOST_UNITS // model.schema_.n_visible, 1))
        table, places = source.sample(most if rows is None else rows, seed)
        if table.num_rows < source.source.n_rows:
            terminal.note(
                f"Unusual rows were looked for among {table.num_rows:,} of "
                f"{source.source.n_rows:,} rows; --rows changes that."
            )
        X, y = _parts(model, source, table)
        with terminal.watching("weighing rows") as watch, redirect_stderr(watch.stream):
            found = unusual_rows(model, X, y, top=top)
        numbers = [int(places[each.row]) + 1 for each in found]
        show_unusual_rows(found, numbers, terminal)
        unusual = [
            {
                "row": number,
                "score": each.score,
                "log_probability": each.log_probability,
                "n_observed": each.n_observed,
                "entries": each.entries,
            }
            for number, each in zip(numbers, found, strict=True)
        ]
    terminal.give({"couplings": coupled, "hidden_units": units, "unusual_rows": unusual})


def _row(source: ModelSource, row: int) -> pyarrow.Table:
    """One row, counted from 1, in the model's columns."""
    before = 0
    for batch in source.batches():
        if before + batch.num_rows >= row:
            return batch.slice(row - before - 1, 1)
        before += batch.num_rows
    raise UsageProblem(f"The table ends before row {row}.")


def _parts(model: Any, source: ModelSource, table: pyarrow.Table) -> tuple[Any, Any]:
    X = table.select([column.name for column in model.schema_.features])
    labels = [column.name for column in model.schema_.targets]
    if not labels or all(name in source.absent for name in labels):
        return X, None
    y = table.column(labels[0]) if model.schema_.target_kind == "classes" else table.select(labels)
    return X, y
