"""``halfseen complete``: fill the holes of a table."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halfseen.cli.counted import counted
from halfseen.cli.destination import beside, checked_destination
from halfseen.cli.loaded_model import loaded_model
from halfseen.cli.model_options import with_allow_missing_columns, with_level
from halfseen.cli.problem import Problem, UsageProblem
from halfseen.cli.reading import Reading
from halfseen.cli.shared_options import with_reading, with_seed, with_terminal
from halfseen.cli.terminal import Terminal

if TYPE_CHECKING:
    from halfseen.cli.filling import Listening
    from halfseen.cli.model_source import ModelSource
    from halfseen.files import FilledCounts

_HELP = """Fill the holes of FILE, features and labels, with what MODEL expects there.

What is there stays as it is, byte by byte: only holes are written. Known labels of a row help to
fill its features. Identifiers, dates and free text keep their holes, and so do columns that the
model does not know. The table streams through: memory does not grow with it.

\b
Examples:
  halfseen complete devices.csv devices.safetensors -o filled.csv
  halfseen complete devices.csv devices.safetensors --uncertainty cells.csv --level 0.8
  halfseen complete devices.csv devices.safetensors --copies 5 -o filled.csv
  zcat big.csv.gz | halfseen complete - big.safetensors --format csv -o - > filled.csv

--uncertainty writes one row for every filled cell: row and column, the decision or the number
before rounding, lower and upper bound of a number, the probability of a decision, and for labels
which values are possible at --level and whether that is 'not sure'. Rows count from 1, below the
header.

--copies M writes M tables (filled_1.csv, filled_2.csv, ...) whose holes hold draws instead of
expectations, for multiple imputation: analyse each, and combine the results by Rubin's rules."""


@click.command("complete", help=_HELP)
@click.argument("file", metavar="FILE")
@click.argument("model_path", metavar="MODEL")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the filled table, of the same format; '-' is standard output.  "
    "[default: FILE with _filled in its name]",
)
@click.option(
    "--uncertainty", metavar="FILE", help="Also write how sure the model is of each cell."
)
@with_level
@click.option(
    "--copies",
    type=click.IntRange(2, 1000),
    metavar="M",
    help="Write M tables with draws, for multiple imputation.",
)
@with_allow_missing_columns
@with_reading
@with_seed
@with_terminal
def complete_command(
    file: str,
    model_path: str,
    output: str | None,
    uncertainty: str | None,
    level: float,
    copies: int | None,
    allow_missing_columns: bool,
    reading: Reading,
    seed: int,
    terminal: Terminal,
) -> None:
    """Fill a table and write it."""
    from halfseen.cli.model_source import open_for_model

    path = output or beside(file, "_filled", otherwise="-")
    outputs = [path] if copies is None else _copies(path, copies)
    for one in outputs:
        checked_destination(one, terminal, [file, model_path])
    if uncertainty is not None:
        if copies is not None:
            raise UsageProblem(
                "--uncertainty and --copies exclude each other.",
                "The spread between copies is their uncertainty.",
            )
        checked_destination(uncertainty, terminal, [file, model_path, path], option="--uncertainty")
    model = loaded_model(model_path, terminal)
    source = open_for_model(
        file, model.schema_, reading, terminal, allow_missing_columns=allow_missing_columns
    )
    if copies is not None:
        counts = _write_copies(model, source, outputs, seed, terminal)
        n_not_sure = None
    else:
        counts, n_not_sure = _write_filled(model, source, path, uncertainty, level, terminal)
    _say(counts, outputs, source, terminal)
    if uncertainty is not None:
        _say_uncertainty(uncertainty, n_not_sure, level, terminal)
    elif copies is None:
        terminal.say("How sure the model is of each cell: add --uncertainty cells.csv")
    terminal.give(
        {
            "output": outputs if copies is not None else path,
            "uncertainty": uncertainty,
            "level": level if uncertainty is not None else None,
            "rows": counts.n_rows,
            "filled": counts.n_filled,
            "left": counts.n_left,
            "not_sure": n_not_sure,
            "columns": counts.columns,
        }
    )


def _write_filled(
    model: Any,
    source: ModelSource,
    path: str,
    uncertainty: str | None,
    level: float,
    terminal: Terminal,
) -> tuple[FilledCounts, int | None]:
    from halfseen.cli.column_answers import column_answers
    from halfseen.cli.uncertainty_table import UncertaintySpool
    from halfseen.files import write_table

    if uncertainty is None:
        return _filled(source, path, lambda t: column_answers(model, t), _nobody, terminal), None
    if model.prediction_ is None:
        raise Problem(
            "This model holds no predictive ensemble, which alone knows how sure it is.",
            "Fit it again with 'halfseen fit', or leave --uncertainty out.",
        )
    with ExitStack() as stack:
        spool = stack.enter_context(UncertaintySpool())
        counts = _filled(
            source, path, lambda t: column_answers(model, t, level), spool.add, terminal
        )
        write_table(uncertainty, spool.batches())
        return counts, spool.n_not_sure


def _write_copies(
    model: Any, source: ModelSource, outputs: list[str], seed: int, terminal: Terminal
) -> FilledCounts:
    from halfseen.cli.drawn_answers import drawn_answers

    if model.machine_ is None:
        raise Problem(
            "This model cannot draw: it was fitted with --no-companion.",
            "Fit it again without --no-companion.",
        )
    for index, path in enumerate(outputs):
        counts = _filled(
            source,
            path,
            lambda table, index=index: drawn_answers(model, table, seed, index),
            _nobody,
            terminal,
        )
    return counts


def _filled(
    source: ModelSource, path: str, answering: Any, listening: Listening, terminal: Terminal
) -> FilledCounts:
    from halfseen.cli.filling import Filling
    from halfseen.files import write_filled
    from halfseen.machine.compilation_cache import kept_compilations

    # Kept open over all batches: to look into the folder again for each would cost more than them.
    with terminal.watching("filling", source.source.n_rows) as watch, kept_compilations():
        filling = Filling(source, answering, listening, watch.to)
        return write_filled(source.source, path, filling, max_rows=source.rows_at_once)


def _nobody(rows: Any, answers: Any) -> None:
    """Listens to nothing."""


def _copies(path: str, n: int) -> list[str]:
    if path == "-":
        raise UsageProblem("--copies cannot go to standard output.", "Name a file with -o.")
    parts = Path(path).name.split(".", 1)
    ending = "." + parts[1] if len(parts) > 1 else ""
    return [str(Path(path).with_name(f"{parts[0]}_{k}{ending}")) for k in range(1, n + 1)]


def _say(counts: FilledCounts, outputs: list[str], source: ModelSource, terminal: Terminal) -> None:
    where = "table went to standard output" if outputs[0] == "-" else f"table is in {outputs[0]}"
    if len(outputs) > 1:
        where = f"tables are {outputs[0]} to {outputs[-1]}"
    n_columns = sum(column.n_filled > 0 for column in counts.columns)
    terminal.say(
        f"Filled {counted(counts.n_filled, 'hole')} in {counted(n_columns, 'column')} of "
        f"{counted(counts.n_rows, 'row')}; what was there is as it was. The {where}."
    )
    left = [column for column in counts.columns if column.n_left]
    if left:
        roles = {column.name: column.role.value for column in source.source.columns}
        names = ", ".join(f"{c.name} ({roles[c.name]}, {c.n_left:,})" for c in left[:6])
        more = f" and {len(left) - 6} more columns" if len(left) > 6 else ""
        terminal.note(
            f"{counts.n_left:,} holes stay, in columns the model does not know: {names}{more}."
        )
    absent = [column.name for column in source.schema.targets if column.name in source.absent]
    if absent:
        terminal.note(
            f"The table has no column for {', '.join(absent[:6])}: 'halfseen predict' writes them."
        )


def _say_uncertainty(path: str, n_not_sure: int | None, level: float, terminal: Terminal) -> None:
    unsure = f"; {n_not_sure:,} labels are 'not sure' at {level:g}" if n_not_sure else ""
    terminal.say(f"How sure the model is of each cell is in {path}{unsure}.")
