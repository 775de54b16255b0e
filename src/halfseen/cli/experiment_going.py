"""Going on with a study, and saying how it goes."""

from __future__ import annotations

from pathlib import Path

from halfseen.cli.counted import counted
from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.experiment_progress import ExperimentProgress
from halfseen.cli.problem import Problem
from halfseen.cli.terminal import Terminal
from halfseen.experiments.data_sets import CATALOGUE, DataSetUnavailable, data_set_path
from halfseen.experiments.plan import Plan
from halfseen.experiments.run_plan import Outcome, run_plan
from halfseen.experiments.user_table import load_user_table
from halfseen.machine.usable_cores import usable_cores


def checked_data(plan: Plan) -> None:
    """See that all data of a plan can be had, before anything is run.

    Parameters
    ----------
    plan : Plan
        The plan.

    Raises
    ------
    Problem
        A data set is neither here nor can it be downloaded.
    """
    for table in plan.tables:
        load_user_table(table)
    names = dict.fromkeys(name for grid in plan.grids for name in grid.data_sets)
    for name in names:
        if name in CATALOGUE:
            try:
                data_set_path(name)
            except DataSetUnavailable as error:
                raise Problem(f"{plan.name}: {error}.") from error


def go_on(
    plan: Plan,
    run: Path,
    cores: int | None,
    limit_minutes: float | None,
    terminal: Terminal,
    *,
    retry_failed: bool,
) -> None:
    """Run what is left of a plan, with progress, and say how it ended.

    Parameters
    ----------
    plan : Plan
        The plan of the run folder.
    run : Path
        The run folder.
    cores : int or None
        Cells side by side; None for as many as there are cores.
    limit_minutes : float or None
        Stop after so many minutes.
    terminal : Terminal
        Where to say it.
    retry_failed : bool
        Whether failed cells are tried again.

    Raises
    ------
    Problem
        It was stopped.
    """
    n_workers = usable_cores() if cores is None else cores
    progress = ExperimentProgress(n_workers, terminal)
    terminal.say(f"{plan.title}. Records go to {run}.")
    try:
        with progress:
            outcome = run_plan(
                plan,
                run,
                n_workers=n_workers,
                watcher=progress,
                limit_seconds=None if limit_minutes is None else 60 * limit_minutes,
                retry_failed=retry_failed,
            )
    except KeyboardInterrupt as stopped:
        raise Problem(
            "Stopped. What was finished is kept.",
            f"Go on with: halfseen experiment resume {run}",
            ExitCode.INTERRUPTED,
        ) from stopped
    _say(outcome, run, terminal)


def _say(outcome: Outcome, run: Path, terminal: Terminal) -> None:
    parts = [f"{outcome.n_done:,} of {counted(outcome.n_cells, 'cell')} done"]
    parts += [f"{outcome.n_failed:,} failed"] if outcome.n_failed else []
    parts += [f"{outcome.n_left_out:,} left out"] if outcome.n_left_out else []
    parts += [f"{outcome.n_open:,} still to be run"] if outcome.n_open else []
    terminal.say(", ".join(parts) + ".")
    if outcome.n_open:
        terminal.say(f"Time is up. Go on with: halfseen experiment resume {run}")
    if outcome.n_done:
        terminal.say(f"See: halfseen experiment table {run}; halfseen experiment report {run}")
    terminal.give({"run": str(run), **outcome._asdict()})
