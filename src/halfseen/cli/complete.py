"""``halfseen complete``: a table with its missing values filled."""

from __future__ import annotations

from contextlib import ExitStack
from shlex import quote
from typing import Any

import click

from halfseen.cli import options
from halfseen.cli.console import Console, Problem, UsageProblem
from halfseen.files import output_format, table_writer

_HELP = """Fill the missing values of FILE, features and labels, with what MODEL expects there.

Observed cells keep their text. Known labels of a row help to fill its features. Identifiers, dates
and columns that the model does not know keep their missing values. The table streams through:
memory does not grow with it.

\b
Examples:
  halfseen complete devices.csv devices.safetensors --uncertainty cells.csv --coverage 0.8
  halfseen complete devices.csv devices.safetensors --only load,upload --min upload=0
  halfseen complete devices.csv devices.safetensors --copies 5 -o copy.csv
  zcat big.csv.gz | halfseen complete - big.safetensors --format csv -o - > filled.csv
  halfseen complete 'folder/*.parquet' big.safetensors -o out --engine dask --workers 4

--uncertainty writes one row for every filled cell: its row, counted from 1 below the header,
identifiers, column and fill; the interval of a number; the probability of a label, its prediction
set, and whether that has more than one class, so that the model abstains.

--copies M writes M tables (copy_1.csv, copy_2.csv, ...) whose missing cells hold draws instead of
expectations, for multiple imputation: analyse each, and combine the results by Rubin's rules.

--engine dask completes many Parquet files at a time, into the folder -o. Repeat the command if it
ends early: files that are finished stay. out/_manifest.json lists them with rows and digests."""


@options.command_with("complete", _HELP, "FILE", "MODEL")
@options.output_option("The filled table, or '-'.  [default: a_filled.csv, of a.csv]")
@click.option("--only", multiple=True, metavar="COLUMNS", help="Fill these columns only.")
@click.option("--skip", multiple=True, metavar="COLUMNS", help="Do not fill these columns.")
@click.option("--min", "low", multiple=True, metavar="COLUMN=VALUE", help="Fill nothing below it.")
@click.option("--max", "high", multiple=True, metavar="COLUMN=VALUE", help="Fill nothing above it.")
@click.option("--uncertainty", metavar="FILE", help="Also write how sure each fill is.")
@options.coverage_option
@click.option("--copies", type=click.IntRange(2, 1000), metavar="M", help="Write M draws.")
@click.option("--engine", type=click.Choice(["dask"]), help="Complete Parquet files on a cluster.")
@click.option("--scheduler", metavar="ADDRESS", help="Of the cluster, as in tcp://host:8786.")
@click.option("--workers", type=click.IntRange(1), help="Processes here instead of a cluster.")
@options.table_options
def complete(
    file: str, model: str, output: str | None, only: tuple[str, ...], skip: tuple[str, ...],
    low: tuple[str, ...], high: tuple[str, ...], uncertainty: str | None, coverage: float,
    copies: int | None, engine: str | None, scheduler: str | None, workers: int | None,
    reading: options.TableOptions, seed: int, console: Console,
) -> None:  # fmt: skip
    """Fill part by part."""
    if engine is not None:
        of_single_files = only, skip, low, high, uncertainty, copies
        if any(of_single_files) or reading != options.TableOptions():
            message = "--engine goes with -o, --scheduler and --workers alone."
            raise UsageProblem(message, "Complete single files for other options.")
        return _complete_folder(file, model, output, scheduler, workers, console)
    if scheduler or workers:
        raise UsageProblem("--scheduler and --workers need an engine.", "Add --engine dask.")
    import numpy as np

    from halfseen.cli.filling import UNCERTAINTY_SCHEMA, Filler
    from halfseen.cli.tables import ModelTable, load_model

    path = options.output_beside(file, "_filled", output)
    if copies and path == "-":
        raise UsageProblem("Several tables cannot go to standard output.", "Name one: -o FILE.")
    if copies and uncertainty:
        raise UsageProblem("--copies and --uncertainty exclude each other.")
    stem, suffix = options.split_suffix(path)
    paths = [f"{stem}_{k + 1}{suffix}" for k in range(copies)] if copies else [path]
    options.check_outputs(console, [*paths, uncertainty], [file, model])
    fitted = load_model(model)
    if uncertainty and fitted.calibration_ is None:
        message = "The model has no calibrated intervals."
        raise Problem(message, "Fit it with --set validation_fraction=0.1.")
    table = reading.open(file)
    model_table = ModelTable(table, fitted, console, model)
    filler = Filler(model_table, only, skip, low, high)
    if path != "-" and output_format(path, table.format) != table.format:
        message = f"{path!r} would be another format than {file}."
        raise UsageProblem(message, f"A filled table stays {table.format}.")
    n_rows, form = 0, output_format(uncertainty) if uncertainty else None
    with ExitStack() as stack:

        def open_writer(path: str, *layout: Any) -> Any:
            return stack.enter_context(table_writer(path, *layout))

        writers = [open_writer(p, table.schema, table.format, table.dialect) for p in paths]
        write_cells = None
        draws = [np.random.default_rng([seed, copy]) for copy in range(copies or 0)]
        advance = stack.enter_context(console.progress("Filling"))
        for part in model_table.parts():
            if copies and part.cells.num_rows:
                tables = fitted.impute(part.X, copies, seed, n_rows)
                for write, X, random in zip(writers, tables, draws, strict=True):
                    write(filler.drawn(part, X, random))
            elif part.cells.num_rows:
                cells, rows = filler.completed(part, coverage if uncertainty else None)
                writers[0](cells)
                if uncertainty and rows is not None:
                    write_cells = write_cells or open_writer(uncertainty, rows.schema, form)
                    write_cells(rows)
            n_rows += part.cells.num_rows
            advance(what=f"Filling: {n_rows:,} rows")
        if uncertainty and write_cells is None:
            open_writer(uncertainty, UNCERTAINTY_SCHEMA, form)
    by_column = {name: n // len(paths) for name, n in filler.filled.items()}
    left = {name: n // len(paths) for name, n in filler.left.items()}
    n_filled, n_columns = sum(by_column.values()), len(by_column)
    done = f"Filled {n_filled:,} missing cells"
    where = f"in {n_columns:,} columns of {n_rows:,} rows. The table is in"
    console.say(
        f"{done} {copies} times: {paths[0]} to {paths[-1]}." if copies
        else f"{done} {where} {options.shown_output(path)}."
    )  # fmt: skip
    if left:
        shown = ", ".join(f"{name} ({n:,})" for name, n in list(left.items())[:8])
        console.say(f"Still missing: {shown}{', ...' if len(left) > 8 else ''}.")
    if uncertainty:
        where = options.shown_output(uncertainty)
        console.say(f"How sure the model is of each cell is in {where}.")
    elif n_filled and not copies:
        why = f"Why? halfseen explain {quote(file)} {quote(model)} --row 1"
        console.say(f"How sure? Add --uncertainty cells.csv. {why}")
    console.give(
        {"output": paths if copies else path, "uncertainty": uncertainty, "rows": n_rows,
         "filled": n_filled, "filled_by_column": by_column, "still_missing": left}
    )  # fmt: skip


def _complete_folder(
    pattern: str, model: str, output: str | None, scheduler: str | None, workers: int | None,
    console: Console,
) -> None:  # fmt: skip
    """Fill file by file on a Dask cluster."""
    if output is None or (scheduler and workers):
        message = "--engine needs a folder for the results, and one of --scheduler and --workers."
        raise UsageProblem(message, "For instance -o out --workers 4.")
    try:
        from halfseen.engines.folder import FolderError, complete_folder, local_or_remote
    except ImportError as error:
        raise Problem("--engine dask needs another package.", str(error)) from error
    try:
        with local_or_remote(scheduler, workers) as client, console.progress("Filling") as advance:
            done = complete_folder(
                pattern, model, output, client,
                lambda n, total: advance(what=f"Filling: {n} of {total}", done=n, total=total),
            )  # fmt: skip
    except (FolderError, OSError, ValueError) as error:
        raise Problem(str(error)) from error
    rows, filled = (sum(getattr(r, k) for r in done.records) for k in ("rows", "filled"))
    before = f", {done.n_before:,} of them before" if done.n_before else ""
    where = f"in {len(done.records):,} files{before}. They are listed in {done.manifest}."
    console.say(f"Filled {filled:,} missing cells of {rows:,} rows {where}")
    console.give({"output": output, "manifest": done.manifest, "files": len(done.records),
                  "files_before": done.n_before, "rows": rows, "filled": filled})  # fmt: skip
