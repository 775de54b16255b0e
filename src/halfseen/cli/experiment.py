"""``halfseen experiment``: studies of methods on hidden entries."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Any

import click

from halfseen.cli.console import Console, ExitCode, Interrupts, Problem
from halfseen.cli.options import Command, check_outputs
from halfseen.cli.options import command as command_with

_HELP = """Studies: hide entries of data sets, let methods find them again, compare.

A study is a plan, a TOML file that names data sets, shares to hide, methods and repetitions. The
tables of the paper ship as plans, each also as a quick one that takes minutes; your own table is
studied by the same commands.

\b
Examples:
  halfseen experiment list
  halfseen experiment run quick/transductive-scene --out scene
  halfseen experiment table scene
  halfseen experiment report scene
\b
Stopped, or the machine went down? Nothing that was finished is lost:
  halfseen experiment resume scene
\b
Your own table: copy a plan, change file, labels and methods:
  halfseen experiment show own-table > mine.toml
  halfseen experiment run mine.toml

Data sets are looked up in the folder that the environment variable HALFSEEN_DATA names, then in the
cache, and are otherwise downloaded from OpenML where it keeps them. The number of a realisation is
its seed, so that the same plan gives the same results."""

command = click.Group("experiment", help=_HELP, no_args_is_help=True)
_cores = click.option(
    "--cores", type=click.IntRange(1), metavar="N",
    help="Cells that run side by side, one thread each.  [default: all cores]",
)  # fmt: skip
_limit = click.option(
    "--limit-minutes", type=click.FloatRange(0, min_open=True), metavar="M",
    help="Stop after so many minutes; the rest is left for 'resume'.",
)  # fmt: skip


def _subcommand(name: str, help: str) -> Callable[[Command], click.Command]:
    def decorate(function: Command) -> click.Command:
        made = command_with(name, help, seed=False)(function)
        command.add_command(made)
        return made

    return decorate


@_subcommand(
    "list",
    """The plans that ship with halfseen, with one line each.

Those under quick/ ask the same questions with fewer repetitions, rates and rows, and lighter
settings: they take minutes, the others hours.

\b
Examples:
  halfseen experiment list
  halfseen experiment show quick/inductive-pendigits""",
)
def list_plans(console: Console) -> None:
    """Show names and titles."""
    from halfseen.experiments.plan import cells_of, read_plan, shipped_plans

    plans = [(plan, len(cells_of(plan))) for plan in map(read_plan, shipped_plans())]
    width = max(len(plan.name) for plan, _ in plans)
    console.head(f"{'plan':{width}}  {'cells':>6}  what it asks")
    for plan, size in plans:
        console.show(f"{plan.name:{width}}  {size:6,}  {plan.title}")
    console.give(
        {
            "plans": [
                {"name": p.name, "title": p.title, "about": p.about, "cells": n} for p, n in plans
            ]
        }
    )


@_subcommand(
    "show",
    """Show PLAN as it stands in its file: a path, or the name of a shipped plan.

\b
Examples:
  halfseen experiment show quick/transductive-scene
  halfseen experiment show own-table > mine.toml""",
)
@click.argument("plan", metavar="PLAN")
def show(plan: str, console: Console) -> None:
    """Check the plan and show its text."""
    from halfseen.experiments.plan import cells_of, plan_path, read_plan

    read = read_plan(plan)
    n_cells, path = len(cells_of(read)), plan_path(plan)
    text = path.read_text(encoding="utf-8")
    if not console.as_json:
        click.echo(text, nl=False)
    console.say(f"{path}: {n_cells:,} cells.")
    console.give({"plan": read.name, "path": str(path), "cells": n_cells, "text": text})


@_subcommand(
    "run",
    """Run PLAN: a TOML file, or the name of a shipped plan ('halfseen experiment list').

Every method gets the same realisations: entries are hidden, the method is fitted to what is left,
and its predictions of the hidden ones are scored. Cells (one method on one realisation) run side
by side; each adds one record to a file in the folder. A method that fails or takes too long is
recorded with the reason, and costs nothing but its own cells.

\b
Examples:
  halfseen experiment run quick/transductive-scene
  halfseen experiment run results --out results --cores 8 --limit-minutes 600
  halfseen experiment run mine.toml --out mine

Ctrl-C, a crash or a power cut lose the cells that are running and no others: 'halfseen experiment
resume FOLDER' goes on. Results depend on the plan alone, not on --cores.""",
)
@click.argument("plan", metavar="PLAN")
@click.option("-o", "--out", metavar="FOLDER",
              help="Where to keep the run.  [default: runs/ and the name of the plan]")  # fmt: skip
@_cores
@_limit
def run(
    plan: str, out: str | None, cores: int | None, limit_minutes: float | None, console: Console
) -> None:
    """Make the folder, and run."""
    from halfseen.experiments.plan import read_plan
    from halfseen.experiments.run_folder import new_run_folder

    read = read_plan(plan)
    _check_data(read)
    folder = Path(out) if out is not None else Path("runs", read.name.replace("/", "-"))
    new_run_folder(plan, folder)
    _go_on(read, folder, cores, limit_minutes, console, retry_failed=False)


@_subcommand(
    "resume",
    """Go on with the run in FOLDER, however it ended.

Cells that have a record are not run again, failed ones neither: --retry-failed tries those once
more. To run more realisations or methods, change plan.toml in the folder, and resume.

\b
Examples:
  halfseen experiment resume runs/quick-transductive-scene
  halfseen experiment resume results --cores 8 --retry-failed""",
)
@click.argument("folder", metavar="FOLDER")
@click.option("--retry-failed", is_flag=True, help="Try cells again that failed or were left out.")
@_cores
@_limit
def resume(
    folder: str,
    retry_failed: bool,
    cores: int | None,
    limit_minutes: float | None,
    console: Console,
) -> None:
    """Read the folder, and go on."""
    from halfseen.experiments.run_folder import read_run_folder

    plan = read_run_folder(Path(folder))
    _check_data(plan)
    _go_on(plan, Path(folder), cores, limit_minutes, console, retry_failed=retry_failed)


@_subcommand(
    "table",
    """The tables of the run in FOLDER, as far as it is: methods by rates, mean and standard
deviation over realisations, the paper's figures beside ours where it has any.

\b
Examples:
  halfseen experiment table runs/quick-transductive-scene
  halfseen experiment table results --format markdown > results.md
  halfseen experiment table results --score calibration_error --published""",
)
@click.argument("folder", metavar="FOLDER")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "csv"]), default="text",
              show_default=True, help="How to write them.")  # fmt: skip
@click.option(
    "--score", "scores", multiple=True, metavar="NAME",
    help="Tables of this score; may be repeated.  [default: those of the paper, seconds]",
)  # fmt: skip
@click.option("--published", is_flag=True, help="Only what the paper has figures of.")
def table(
    folder: str, form: str, scores: tuple[str, ...], published: bool, console: Console
) -> None:
    """Read the records, and show."""
    from halfseen.experiments.plan import cells_of
    from halfseen.experiments.record import SCORES
    from halfseen.experiments.record_table import record_tables, records_of_the_paper
    from halfseen.experiments.record_table_text import FORMATS
    from halfseen.experiments.run_folder import read_run_folder

    for score in scores:
        if score not in (*SCORES, "seconds"):
            message = f"--score: there is no score {score!r}."
            known = ", ".join((*SCORES, "seconds"))
            raise Problem(message, f"Scores are {known}.", ExitCode.BAD_USAGE)
    plan, records = read_run_folder(Path(folder)), _records(folder)
    n_cells = len(cells_of(plan))
    tables = record_tables(records_of_the_paper(records) if published else records, scores or None)
    if published:
        tables = [one for one in tables if any(line.is_published for line in one.lines)]
    if not tables:
        console.note(
            "No figure of the paper is asked for." if published else "No cell has a score."
        )
    if not console.as_json:
        click.echo(FORMATS[form](tables), nl=False)
    if len(records) < n_cells:
        console.note(f"{n_cells - len(records):,} of {n_cells:,} cells are not run yet.")
    console.give({"run": folder, "plan": plan.name, "tables": [_fields(one) for one in tables]})


@_subcommand(
    "report",
    """Write one page about the run in FOLDER that opens in any browser and needs nothing else.

\b
Examples:
  halfseen experiment report runs/quick-transductive-scene
  halfseen experiment report results -o results.html""",
)
@click.argument("folder", metavar="FOLDER")
@click.option("-o", "--output", metavar="FILE", help="[default: FOLDER/report.html]")
def report(folder: str, output: str | None, console: Console) -> None:
    """Make the page and write it."""
    from halfseen.experiments.run_folder import read_run_folder
    from halfseen.files.writing import write_errors
    from halfseen.report import write_study_report

    read_run_folder(Path(folder))
    _records(folder)
    path = str(Path(folder, "report.html")) if output is None else output
    check_outputs(console, [path], [])
    with console.progress("Writing the page"), write_errors(path):
        write_study_report(folder, path, command=f"halfseen experiment report {quote(folder)}")
    console.say(f"The page is in {path}.")
    console.give({"run": folder, "output": path})


def _records(folder: str) -> Any:
    from halfseen.experiments.record import read_records

    records = read_records(Path(folder))
    if not records:
        remedy = f"Go on: halfseen experiment resume {folder}"
        raise Problem(f"{folder} has no finished cell yet.", remedy)
    return records


def _check_data(plan: Any) -> None:
    """See that all data of a plan are there, before anything is run."""
    from halfseen.experiments.data_sets import CATALOGUE, DataSetUnavailable, data_set_path
    from halfseen.experiments.user_table import load_user_table

    for one in plan.tables:
        load_user_table(one)
    names = dict.fromkeys(name for grid in plan.grids for name in grid.data_sets)
    for name in names:
        if name in CATALOGUE:
            try:
                data_set_path(name)
            except DataSetUnavailable as error:
                raise Problem(f"{plan.name}: {error}.") from error


def _go_on(
    plan: Any, folder: Path, cores: int | None, limit_minutes: float | None, console: Console,
    *, retry_failed: bool,
) -> None:  # fmt: skip
    """Run what is left of a plan, with progress, and say how it ended."""
    from halfseen.experiments.run_folder import usable_cores
    from halfseen.experiments.run_plan import run_plan

    console.say(f"{plan.title}. Records go to {folder}.")
    try:
        with _Watcher(console) as watcher:
            outcome = run_plan(
                plan, folder, n_workers=usable_cores() if cores is None else cores, watcher=watcher,
                limit_seconds=None if limit_minutes is None else 60 * limit_minutes,
                retry_failed=retry_failed,
            )  # fmt: skip
    except KeyboardInterrupt as stopped:
        message = f"Stopped; finished cells are kept. Go on: halfseen experiment resume {folder}"
        raise Problem(message, code=ExitCode.INTERRUPTED) from stopped
    counts = {"done": outcome.n_done, "failed": outcome.n_failed, "left out": outcome.n_left_out,
              "still to be run": outcome.n_open}  # fmt: skip
    shown = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n or what == "done")
    console.say(f"{outcome.n_cells:,} cells: {shown}.")
    if outcome.n_open:
        console.say(f"Time is up. Go on with: halfseen experiment resume {folder}")
    if outcome.n_done:
        console.say(f"See: halfseen experiment table {folder}")
    console.give({"run": str(folder), **outcome._asdict()})


class _Watcher:
    """Follows a run: a bar on a terminal, and one line for each cell."""

    def __init__(self, console: Console) -> None:
        self._console, self._stack = console, ExitStack()
        self._began, self._n_cells, self._n_over = time.monotonic(), 0, 0

    def __enter__(self) -> _Watcher:
        self._advance = self._stack.enter_context(self._console.progress("Running"))
        return self

    def __exit__(self, *details: object) -> None:
        self._stack.__exit__(None, None, None)

    def begin(self, n_cells: int, done: Sequence[Any], left: Sequence[Any]) -> None:
        """So many cells in all, and those that are done."""
        self._n_cells, self._n_over = n_cells, len(done)
        self._advance(done=len(done), total=n_cells)
        if done:
            self._console.say(f"{len(done):,} of {n_cells:,} cells are done already.")

    def change(self, running: Iterable[Any]) -> None:
        """These are running now."""
        Interrupts.check()
        names = ", ".join(job.name for job, _ in list(running)[:2])
        self._advance(0, what=f"{self._n_over:,} of {self._n_cells:,}: {names[:70]}")

    def tuned(self, job: Any, tuned: Any) -> None:
        """Settings of a method are chosen."""
        chosen = ", ".join(f"{name}={value}" for name, value in tuned.settings.items())
        self._line(f"{job.cell.series}: {tuned.why or f'best of {tuned.n_tried}: {chosen}'}")

    def cell(self, record: Any) -> None:
        """A cell has its record."""
        self._n_over += 1
        self._advance(1)
        end = f"done in {record.seconds:.1f} s"
        self._line(f"{record.key}: {end if record.status == 'done' else record.why}")

    def _line(self, text: str) -> None:
        gone = time.monotonic() - self._began
        if not sys.stderr.isatty():
            self._console.say(f"[{gone:.0f} s, {self._n_over:,} of {self._n_cells:,}] {text}")


def _fields(value: Any) -> Any:
    """A dataclass, and those within, as dictionaries."""
    from dataclasses import asdict, is_dataclass

    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
