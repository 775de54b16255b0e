"""Run the cells of a plan that have no record yet, side by side in processes that may die alone."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple, Protocol

from pebble import ProcessExpired, ProcessPool

from halfseen.experiments.plan import Cell, Plan, cells_of
from halfseen.experiments.record import (
    Record,
    RunRecords,
    Status,
    TunedSettings,
    append_record,
    read_run_records,
)
from halfseen.experiments.run_cell import record_without_scores, run_cell, tune_cell, tuning_grid
from halfseen.experiments.run_folder import locked

MESSAGES: Final = "messages.log"  # what methods print, within a run folder
# One thread each: with as many processes as cores nothing is gained by more, and a sum over
# threads comes out differently for different numbers of them.
ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NPROC": "1",  # of JAX
}
_LONGEST_WAIT = 1.0
_TOO_SLOW = "took longer than"


class Job(NamedTuple):
    """What a process is asked for: settings for all realisations of a cell, or its record."""

    kind: Literal["tune", "run"]
    cell: Cell

    @property
    def name(self) -> str:
        """How it is called while it runs."""
        return f"{self.cell.series} (tuning)" if self.kind == "tune" else self.cell.key

    @property
    def most_seconds(self) -> float:
        """After how long it is stopped; the last setting may begin just before time is up."""
        limits = self.cell.limits
        return limits.seconds + (limits.tuning_seconds if self.kind == "tune" else 0.0)


class Watcher(Protocol):
    """Who follows a run."""

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
        Who follows the run.
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
        records = read_run_records(run)
        if retry_failed:
            _forget_failures(records)
        done = [records.cells[cell.key] for cell in cells if cell.key in records.cells]
        left = [cell for cell in cells if cell.key not in records.cells]
        watcher.begin(len(cells), done, left)
        study = _Study(run, records, watcher, list(left))
        for record in done:
            if record.status == "failed" and record.why.startswith(_TOO_SLOW):
                study.too_slow[record.key.rpartition("-r")[0]] = _left_out(record)
        ends = None if limit_seconds is None else time.monotonic() + limit_seconds
        _run(study, n_workers, ends)
    states = [records.cells[cell.key].status for cell in cells if cell.key in records.cells]
    return Outcome(
        len(cells),
        states.count("done"),
        states.count("failed"),
        states.count("left_out"),
        len(cells) - len(states),
    )


@dataclass
class _Study:
    """What is done, and what is still to be done, in order."""

    run: Path
    records: RunRecords
    watcher: Watcher
    cells: list[Cell]
    tuning: set[str] = field(default_factory=set)  # series whose settings are being chosen
    too_slow: dict[str, str] = field(default_factory=dict)  # series -> why

    def next(self) -> Job | None:
        """A job that can begin; None if all that is left waits for settings."""
        for cell in list(self.cells):
            if cell.series in self.tuning:
                continue
            if cell.series in self.too_slow:
                self.cells.remove(cell)
                self.keep_reason(cell, "left_out", self.too_slow[cell.series])
            elif cell.series not in self.records.tunings and tuning_grid(cell):
                self.tuning.add(cell.series)
                return Job("tune", cell)
            else:
                self.cells.remove(cell)
                return Job("run", cell)
        return None

    def tuned(self, cell: Cell) -> TunedSettings:
        """The settings that were chosen for a cell; the method's own if none were."""
        return self.records.tunings.get(cell.series, TunedSettings())

    def take(self, job: Job, future: Future[Any]) -> None:
        """Keep what came of a job."""
        try:
            result: Record | TunedSettings | None = future.result()
            why = ""
        except TimeoutError:
            result, why = None, f"{_TOO_SLOW} {job.most_seconds:g} s"
        except ProcessExpired as error:
            result, why = None, _death(error.exitcode)
        if job.kind == "tune":
            if not isinstance(result, TunedSettings):
                result = TunedSettings(why=f"not tuned: tuning {why}", series=job.cell.series)
            append_record(self.run, result)
            self.records.tunings[job.cell.series] = result
            self.tuning.discard(job.cell.series)
            self.watcher.tuned(job, result)
        elif isinstance(result, Record):
            self.keep(result)
        else:
            record = self.keep_reason(job.cell, "failed", why)
            if why.startswith(_TOO_SLOW):
                self.too_slow[job.cell.series] = _left_out(record)

    def keep(self, record: Record) -> None:
        """Add a record to the file."""
        append_record(self.run, record)
        self.records.cells[record.key] = record
        self.watcher.cell(record)

    def keep_reason(self, cell: Cell, status: Status, why: str) -> Record:
        """Add the record of a cell without a result."""
        record = record_without_scores(cell, status, why, self.tuned(cell))
        self.keep(record)
        return record


def _run(study: _Study, n_workers: int, ends: float | None) -> None:
    pending: dict[Future[Any], tuple[Job, float]] = {}
    with environment(ONE_THREAD):
        # Processes live over jobs, so that what one job compiled serves the next.
        pool = ProcessPool(n_workers, 0, _prepare_process, (study.run,), get_context("spawn"))
        try:
            while True:
                while len(pending) < n_workers and (job := study.next()) is not None:
                    arguments = (job, study.tuned(job.cell), study.run)
                    future = pool.schedule(do_job, arguments, timeout=job.most_seconds)
                    pending[future] = job, time.monotonic()
                study.watcher.change(list(pending.values()))
                if not pending or (ends is not None and time.monotonic() >= ends):
                    return
                patience = _LONGEST_WAIT if ends is None else ends - time.monotonic()
                patience = max(min(patience, _LONGEST_WAIT), 0.0)
                for ended in wait(pending, patience, FIRST_COMPLETED).done:
                    study.take(pending.pop(ended)[0], ended)
        finally:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def do_job(job: Job, tuned: TunedSettings, run: Path) -> Record | TunedSettings:
    """Do one job, in whichever process."""
    return tune_cell(job.cell) if job.kind == "tune" else run_cell(job.cell, tuned, run)


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _prepare_process(run: Path) -> None:
    """Write messages to the run folder, and end when the process that started this one does."""
    file = os.open(run / MESSAGES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _forget_failures(records: RunRecords) -> None:
    """Leave what is done alone; a later line in the file replaces what is forgotten here."""
    for key, record in list(records.cells.items()):
        if record.status != "done":
            del records.cells[key]
            tuned = records.tunings.get(key.rpartition("-r")[0])
            if tuned is not None and tuned.why:
                del records.tunings[tuned.series]


def _left_out(record: Record) -> str:
    return f"realisation {record.realisation} {record.why}, so the others were not begun"


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        memory = "; out of memory?" if code == -9 else ""
        return f"its process was ended by signal {-code}{memory}"
    return f"its process ended with code {code}"


class Took(NamedTuple):
    """How long one cell took."""

    method: str
    data_set: str
    seconds: float


def seconds_left(
    done: Iterable[Took], left: Sequence[tuple[str, str]], n_workers: int
) -> float | None:
    """Seconds until all of ``left``, pairs of method and data set, are done; None if unknown.

    A cell takes what the same method took on the same data set; else what it took on others; else
    what cells took on the whole.

    >>> done = [Took("mc1", "scene", 4.0), Took("mc1", "yeast", 2.0), Took("cle", "scene", 9.0)]
    >>> seconds_left(done, [("mc1", "scene"), ("mc1", "mnist"), ("gain", "scene")], 2)
    6.0
    """
    took: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for method, data_set, seconds in done:
        for kind in ((method, data_set), (method,), ()):
            took[kind].append(seconds)
    if not took:
        return None
    each = [fmean(took.get(both) or took.get(both[:1]) or took[()]) for both in left]
    return max(sum(each) / n_workers, max(each, default=0.0))
