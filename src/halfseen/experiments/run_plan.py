"""Run the cells of a plan that have no record yet."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from halfseen.experiments.cell import Cell, cells_of
from halfseen.experiments.cell_tuning import (
    TunedSettings,
    read_tuning,
    tuning_grid,
    tuning_path,
    write_tuning,
)
from halfseen.experiments.cell_worker import Job
from halfseen.experiments.plan import Plan
from halfseen.experiments.record import CELLS, Record, read_record, write_record
from halfseen.experiments.run_cell import record_without_scores
from halfseen.experiments.run_folder import locked
from halfseen.experiments.worker_pool import Ended, WorkerPool

_TOO_SLOW = "took longer than"


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def begin(self, n_cells: int, done: Sequence[Record], left: Sequence[Cell]) -> None:
        """So many cells in all; records of those that are done, and cells to be run."""

    def change(self, running: Sequence[tuple[Job, float]]) -> None:
        """These are running, and since when; called every second or so."""

    def tuned(self, job: Job, tuned: TunedSettings) -> None:
        """Settings of a cell were chosen."""

    def cell(self, record: Record) -> None:
        """A cell has its record."""


class Outcome(NamedTuple):
    """How a run ended."""

    n_cells: int
    n_done: int
    n_failed: int
    n_left_out: int
    n_open: int  # cells without a record: time was up


@dataclass
class _Work:
    """What is still to be done, in order."""

    run: Path
    cells: list[Cell]
    tuning: set[str] = field(default_factory=set)  # series whose settings are being chosen
    too_slow: dict[str, str] = field(default_factory=dict)  # series -> why

    def next(self) -> Job | Cell | None:
        """A job that can be begun; or a cell to be left out; or None if all wait for settings."""
        for cell in self.cells:
            if cell.series in self.too_slow:
                self.cells.remove(cell)
                return cell
            if cell.series in self.tuning:
                continue
            if tuning_grid(cell) and not tuning_path(self.run, cell).exists():
                self.tuning.add(cell.series)
                return Job("tune", cell)
            self.cells.remove(cell)
            return Job("run", cell)
        return None


def run_plan(
    plan: Plan,
    run: Path,
    *,
    n_workers: int,
    watcher: Watcher,
    limit_seconds: float | None = None,
    retry_failed: bool = False,
) -> Outcome:
    """Run all cells of a plan that have no record in the run folder.

    Cells run side by side in processes of one thread each. What comes out of a cell depends on the
    plan alone, not on how many processes there are or in which order they get the cells. A process
    that is ended in whatever way loses the cells that were running and nothing else.

    Parameters
    ----------
    plan : Plan
        The plan of the run folder.
    run : Path
        The run folder.
    n_workers : int
        Processes.
    watcher : Watcher
        Who is told how it goes on.
    limit_seconds : float or None
        End after so many seconds; cells that are running then are lost, and run again on resuming.
    retry_failed : bool
        Whether cells that failed or were left out are tried again.

    Returns
    -------
    Outcome
    """
    cells = cells_of(plan)
    with locked(run):
        done, left = _sorted_out(run, cells, retry_failed=retry_failed)
        watcher.begin(len(cells), done, left)
        work = _Work(run, list(left))
        if not retry_failed:
            for record in done:
                if record.status == "failed" and record.why.startswith(_TOO_SLOW):
                    work.too_slow[record.key.rpartition("-r")[0]] = _left_out(record)
        pool = WorkerPool(n_workers, run)
        try:
            _run(work, pool, watcher, limit_seconds)
        finally:
            pool.close()
    found = [read_record(path) for cell in cells if (path := _record_path(run, cell)).exists()]
    states = [record.status for record in found]
    return Outcome(
        len(cells),
        states.count("done"),
        states.count("failed"),
        states.count("left_out"),
        len(cells) - len(found),
    )


def _sorted_out(
    run: Path, cells: Sequence[Cell], *, retry_failed: bool
) -> tuple[list[Record], list[Cell]]:
    """Records of the cells that are done, and the cells that are to be run."""
    done: list[Record] = []
    left: list[Cell] = []
    for cell in cells:
        path = _record_path(run, cell)
        record = read_record(path) if path.exists() else None
        if record is None or (retry_failed and record.status != "done"):
            left.append(cell)
            if retry_failed and read_tuning(run, cell).why:
                tuning_path(run, cell).unlink()
        else:
            done.append(record)
    return done, left


def _run(work: _Work, pool: WorkerPool, watcher: Watcher, limit_seconds: float | None) -> None:
    ends = None if limit_seconds is None else time.monotonic() + limit_seconds
    while True:
        while pool.n_idle and (job := work.next()) is not None:
            if isinstance(job, Cell):
                _keep(work.run, job, "left_out", work.too_slow[job.series], watcher)
            else:
                pool.begin(job)
        watcher.change(pool.running)
        if not pool.running or (ends is not None and time.monotonic() >= ends):
            return
        for ended in pool.ended():
            _take(ended, work, watcher)


def _take(ended: Ended, work: _Work, watcher: Watcher) -> None:
    cell = ended.job.cell
    if ended.job.kind == "tune":
        work.tuning.discard(cell.series)
        result = ended.result
        if not isinstance(result, TunedSettings):
            result = TunedSettings(seconds=ended.seconds, why=f"not tuned: tuning {ended.why}")
            write_tuning(work.run, cell, result)
        watcher.tuned(ended.job, result)
    elif isinstance(ended.result, Record):
        watcher.cell(ended.result)
    else:
        record = _keep(work.run, cell, "failed", ended.why, watcher)
        if ended.is_late:
            work.too_slow[cell.series] = _left_out(record)


def _keep(run: Path, cell: Cell, status: str, why: str, watcher: Watcher) -> Record:
    record = record_without_scores(
        cell, "failed" if status == "failed" else "left_out", why, read_tuning(run, cell)
    )
    write_record(run, record)
    watcher.cell(record)
    return record


def _left_out(record: Record) -> str:
    return f"realisation {record.realisation} {record.why}, so the others were not begun"


def _record_path(run: Path, cell: Cell) -> Path:
    return run / CELLS / f"{cell.key}.json"
