"""``halfseen experiment``: studies of methods on hidden entries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from halfseen.cli.console import Console, ExitCode, Interrupts, Problem, UsageProblem
from halfseen.cli.options import Command, check_outputs, command_line, command_with

_HELP = """Studies: hide entries of data sets, let methods predict them, compare.

A study is a plan, a TOML file that names data sets, shares to hide, methods and repetitions. The
tables of the paper ship as plans, each also as a quick one that takes minutes.

\b
Examples:
  halfseen experiment list
  halfseen experiment run quick/transductive-scene --out scene.jsonl
  halfseen experiment table scene.jsonl
\b
Stopped, or the machine went down? Nothing that was finished is lost:
  halfseen experiment resume scene.jsonl
\b
Your own table: copy a plan, change file, labels and methods:
  halfseen experiment show own-table > mine.toml
  halfseen experiment run mine.toml

Data sets are looked up in the folder that the environment variable HALFSEEN_DATA names, then in the
cache, and are otherwise downloaded from OpenML where it keeps them. The number of a realisation is
its seed, so that the same plan gives the same results."""

experiment = click.Group("experiment", help=_HELP, no_args_is_help=True)
_cores = click.option("--cores", type=click.IntRange(1), metavar="N",
                      help="Cells that run side by side.  [default: all cores]")  # fmt: skip
_limit = click.option("--limit-minutes", type=click.FloatRange(0, min_open=True), metavar="M",
                      help="Leave the rest for 'resume' after so many minutes.")  # fmt: skip
_runs = click.argument("runs", metavar="RUN...", nargs=-1, required=True)


def _subcommand(name: str, help: str, *arguments: str) -> Callable[[Command], None]:
    made = command_with(name, help, *arguments, seed=False)
    return lambda function: experiment.add_command(made(function))


@_subcommand(
    "list",
    """The plans that ship with halfseen, with one line each.

Those under quick/ ask the same questions with fewer repetitions, rates and rows, and lighter
settings: they take minutes, the others hours.""",
)
def list_plans(console: Console) -> None:
    """Show names and titles."""
    from halfseen.experiments.plan import cells_of, read_plan, shipped_plans

    plans = [(plan, len(cells_of(plan))) for plan in map(read_plan, shipped_plans())]
    width = max(len(plan.name) for plan, _ in plans)
    console.head(f"{'plan':{width}}  {'cells':>6}  what it asks")
    for plan, size in plans:
        console.show(f"{plan.name:{width}}  {size:6,}  {plan.title}")
    shown = [{"name": p.name, "title": p.title, "about": p.about, "cells": n} for p, n in plans]
    console.give({"plans": shown})


@_subcommand("show", "Show PLAN, a path or the name of a shipped plan, as it stands.", "PLAN")
def show(plan: str, console: Console) -> None:
    """Check the plan and show its text."""
    from halfseen.experiments.plan import cells_of, read_plan

    read = read_plan(plan)
    n_cells = len(cells_of(read))
    _show_text(read.text, console)
    console.say(f"{plan}: {n_cells:,} cells.")
    console.give({"plan": read.name, "cells": n_cells, "text": read.text})


@_subcommand(
    "run",
    """Run PLAN: a TOML file, or the name of a shipped plan ('halfseen experiment list').

Every method gets the same realisations: entries are hidden, the method is fitted to what is left,
and its predictions of the hidden ones are scored. Cells (one method on one realisation) run side
by side; each adds one line to a file. A method that fails or takes too long is recorded with the
reason, and costs nothing but its own cells. Cells that the file has already are not run again.

\b
Examples:
  halfseen experiment run results --out results.jsonl --cores 8 --limit-minutes 600
  halfseen experiment run mine.toml

Ctrl-C, a crash or a power cut lose the cells that are running and no others: 'halfseen experiment
resume FILE' goes on. Results depend on the plan alone, not on --cores. Runs of several machines are
merged by concatenating their files.""", "PLAN",
)  # fmt: skip
@click.option("-o", "--output", "--out", "out", metavar="FILE",
              help="File of records.  [default: the name of the plan with .jsonl]")  # fmt: skip
@_cores
@_limit
def run(
    plan: str, out: str | None, cores: int | None, limit_minutes: float | None, console: Console
) -> None:
    """Check the plan, and run."""
    from halfseen.experiments.plan import read_plan

    read = read_plan(plan)
    path = out or f"{read.name.replace('/', '-')}.jsonl"
    check_outputs(console, [path], [plan], streams=False)
    _go_on([read], Path(path), cores, limit_minutes, console, retry_failed=False)


@_subcommand(
    "resume",
    """Go on with the run in FILE, however it ended.

Cells that have a record are not run again, failed ones neither, without --retry-failed.""", "FILE",
)  # fmt: skip
@click.option("--retry-failed", is_flag=True, help="Try cells again that failed or were left out.")
@_cores
@_limit
def resume(
    file: str, retry_failed: bool, cores: int | None, limit_minutes: float | None, console: Console
) -> None:
    """Read the plans of the file, and go on."""
    from halfseen.experiments.records import read_run

    plans = [line.plan for line in read_run(Path(file)).plans]
    if not plans:
        raise Problem(f"{file} holds no plan.", "Start a run: halfseen experiment run PLAN")
    _go_on(plans, Path(file), cores, limit_minutes, console, retry_failed=retry_failed)


@_subcommand(
    "table",
    """The tables of one or more runs, as far as they are: methods by rates, mean and standard
deviation over realisations, the paper's figures beside ours where it has any.

\b
Examples:
  halfseen experiment table results.jsonl --format markdown > results.md
  halfseen experiment table one.jsonl two.jsonl --score calibration_error""",
)
@_runs
@click.option("--format", "form", type=click.Choice(["text", "markdown", "csv"]), default="text",
              show_default=True, help="How to write them.")  # fmt: skip
@click.option("--score", "scores", multiple=True, metavar="NAME",
              help="Tables of this score.  [default: those of the paper, seconds]")  # fmt: skip
def table(runs: tuple[str, ...], form: str, scores: tuple[str, ...], console: Console) -> None:
    """Read the records, and show."""
    from halfseen.experiments import tables as of

    if unknown := [score for score in scores if score not in of.SCORE_NAMES]:
        message = f"--score: there is no score {unknown[0]!r}."
        raise UsageProblem(message, f"Scores are {', '.join(of.SCORE_NAMES)}.")
    found = of.record_tables(_records(runs), scores or None)
    is_csv = form == "csv"
    text = of.tables_as_csv(found) if is_csv else of.tables_as_text(found, form == "markdown")
    _show_text(text, console)
    console.give({"runs": list(runs), "tables": [asdict(one) for one in found]})


@_subcommand(
    "paper",
    """The paper's five tables with ours below, from the records of one or more runs, and how many
of the printed figures of RBM-MO are met.""",
)
@_runs
@click.option("--markdown", is_flag=True, help="As tables of Markdown.")
def paper(runs: tuple[str, ...], markdown: bool, console: Console) -> None:
    """Read the records, and show."""
    from halfseen.experiments.tables import paper_cells, paper_tables

    records = _records(runs)
    _show_text(paper_tables(records, markdown), console)
    cells = {
        method: [
            {**cell.printed._asdict(), "ours": cell.ours, "outcome": cell.outcome}
            for cell in paper_cells(records, method)
        ]
        for method in ("rbm_mo", "halfseen")
    }
    console.give({"runs": list(runs), "cells": cells})


@_subcommand("report", "Write one page about one or more runs, which opens in any browser.")
@_runs
@click.option("-o", "--output", metavar="FILE", help="[default: RUN with the ending .html]")
def report(runs: tuple[str, ...], output: str | None, console: Console) -> None:
    """Make the page and write it."""
    from halfseen.report import write_study_report

    path = str(Path(runs[0]).with_suffix(".html")) if output is None else output
    title, words = f"Study {Path(runs[0]).stem}", command_line("quiet", "as_json")
    write_page = partial(write_study_report, title=title, command=words)
    _write("page is", write_page, runs, path, console)


@_subcommand("images", "Write images that methods restored, of the plan mnist-reconstruction.")
@_runs
@click.option("-o", "--output", metavar="FILE", required=True, help="The PNG file.")
def images(runs: tuple[str, ...], output: str, console: Console) -> None:
    """Draw and write."""
    from halfseen.report import write_images

    _write("images are", write_images, runs, output, console)


def _write(
    what: str, write: Callable[..., None], runs: tuple[str, ...], path: str, console: Console
) -> None:
    """Write what there is to see of runs, of which there must be some."""
    from halfseen.files.writing import write_errors

    check_outputs(console, [path], runs, streams=False)
    records = _records(runs)
    with console.progress("Writing"), write_errors(path):
        write(records, path)
    console.say(f"The {what} in {path}.")
    console.give({"runs": list(runs), "output": path})


def _show_text(text: str, console: Console) -> None:
    if not console.as_json:
        click.echo(text, nl=False)


def _records(runs: tuple[str, ...]) -> list[Any]:
    from halfseen.experiments.records import read_run

    records = list(read_run(*map(Path, runs)).records.values())
    if not records:
        raise Problem(f"{runs[0]} has no finished cell.", "Go on: halfseen experiment resume")
    return records


def _go_on(
    plans: list[Any], path: Path, cores: int | None, limit_minutes: float | None,
    console: Console, *, retry_failed: bool,
) -> None:  # fmt: skip
    """Run what is left of plans, with progress, and show how it ended."""
    from halfseen.experiments import data_sets
    from halfseen.experiments.plan import cells_of
    from halfseen.experiments.records import read_run
    from halfseen.experiments.run import run_plan

    seconds = None if limit_minutes is None else 60 * limit_minutes
    limits: dict[str, Any] = {"n_workers": cores, "limit_seconds": seconds}
    try:
        for plan in plans:
            # All its data must be there, before anything is run.
            for own in plan.tables:
                names = {"ignore": own.ignore, "missing": own.missing}
                data_sets.read_user_table(own.file, own.labels, **names)
            known = {name for grid in plan.grids for name in grid.data_sets}
            for name in known & data_sets.CATALOGUE.keys():
                data_sets.data_set_path(name)
            console.say(f"{plan.title}. Records go to {path}.")
            with console.progress("Running") as advance:
                for state in run_plan(plan, path, retry_failed=retry_failed, **limits):
                    _show(state, advance, console)
    except data_sets.DataSetUnavailable as error:
        raise Problem(f"{plan.name}: {error}.") from error
    except KeyboardInterrupt as stopped:
        message = f"Stopped; finished cells are kept. Go on: halfseen experiment resume {path}"
        raise Problem(message, code=ExitCode.INTERRUPTED) from stopped
    records = read_run(path).records
    keys = {cell.key for plan in plans for cell in cells_of(plan)}
    states = [records[key].status for key in keys if key in records]
    counts = {name: states.count(name) for name in ("done", "failed", "left_out")}
    counts["open"] = len(keys) - len(states)
    shown = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n or what == "done")
    console.say(f"{len(keys):,} cells: {shown.replace('_', ' ')}.")
    if counts["open"]:
        console.say(f"Time is up. Go on with: halfseen experiment resume {path}")
    if counts["done"]:
        console.say(f"See: halfseen experiment table {path}")
    console.give({"run": str(path), "cells": len(keys), **counts})


def _show(state: Any, advance: Callable[..., None], console: Console) -> None:
    """One step of a run: a bar on a terminal, else a line for each part that is done."""
    Interrupts.check()
    left = ""
    if (seconds := state.seconds_left) is not None:
        left = f", about {f'{seconds:.0f} s' if seconds < 90 else f'{seconds / 60:.0f} min'} left"
    counts = f"{state.n_over:,} of {state.n_cells:,}{left}"
    names = ", ".join(state.running[:2])
    advance(what=f"{counts}: {names[:60]}", done=state.n_over, total=state.n_cells)
    if state.part is None or sys.stderr.isatty():
        return
    if hasattr(state.part, "key"):
        what, end = state.part.key, f"done in {state.part.seconds:.1f} s"
        end = end if state.part.status == "done" else state.part.why
    else:
        chosen = ", ".join(f"{name}={value}" for name, value in state.part.settings.items())
        what, end = state.part.series, state.part.why or f"chosen: {chosen}"
    console.say(f"[{counts}] {what}: {end}")
