"""Processes that do jobs side by side, each with one thread, each of which may die alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import NamedTuple

from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.cell_worker import Job, work
from halfseen.experiments.record import Record

# One thread each: with as many processes as cores nothing is gained by more, and a sum over
# threads comes out differently for different numbers of them.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NPROC": "1",  # of JAX, and of machines side by side
}
_LONGEST_WAIT = 1.0
_LARGE_MEGABYTES = 2000.0


class Ended(NamedTuple):
    """A job that is over."""

    job: Job
    result: Record | TunedSettings | None  # None if there is none
    why: str  # why there is none
    is_late: bool  # whether it took longer than it may
    seconds: float


@dataclass
class _Worker:
    process: SpawnProcess
    connection: Connection
    job: Job | None = None
    began: float = 0.0


class WorkerPool:
    """Processes that live over jobs, so that what one job compiled serves the next.

    Parameters
    ----------
    n_workers : int
        How many.
    run : Path
        The run folder, into which they write.

    Examples
    --------
    >>> pool = WorkerPool(2, Path("nowhere"))
    >>> pool.n_idle, pool.running
    (2, [])
    """

    def __init__(self, n_workers: int, run: Path) -> None:
        self.n_workers = n_workers
        self.run = run
        self._workers: list[_Worker] = []

    @property
    def running(self) -> list[tuple[Job, float]]:
        """Jobs that are being done, and since when (`time.monotonic`)."""
        return [(one.job, one.began) for one in self._workers if one.job is not None]

    @property
    def n_idle(self) -> int:
        """How many more jobs could be begun now."""
        return self.n_workers - len(self.running)

    def begin(self, job: Job) -> None:
        """Give a job to a process that has nothing to do, or to a new one."""
        worker = next((one for one in self._workers if one.job is None), None)
        if worker is None:
            worker = self._started()
        worker.job, worker.began = job, time.monotonic()
        try:
            worker.connection.send(job)
        except OSError:  # it died while it was idle
            self._end(worker)
            worker = self._started()
            worker.job, worker.began = job, time.monotonic()
            worker.connection.send(job)

    def ended(self) -> list[Ended]:
        """Wait for a while, and say which jobs are over."""
        busy = [one for one in self._workers if one.job is not None]
        ends = [_deadline(one) for one in busy if one.job is not None]
        patience = min([_LONGEST_WAIT, *(end - time.monotonic() for end in ends)])
        wait([one.connection for one in busy], max(patience, 0.0))
        found = [self._ended(one) for one in busy]
        return [one for one in found if one is not None]

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in list(self._workers):
            self._end(worker)

    def _ended(self, worker: _Worker) -> Ended | None:
        job, seconds = worker.job, time.monotonic() - worker.began
        if job is None:
            return None
        if worker.connection.poll():
            try:
                result = worker.connection.recv()
            except (EOFError, OSError):
                worker.process.join(timeout=5)
                code = worker.process.exitcode
                self._end(worker)
                return Ended(job, None, _death(code), False, seconds)
            worker.job = None
            if isinstance(result, Record) and result.megabytes > _LARGE_MEGABYTES:
                # What it does not give back would count for the next, and be missing elsewhere.
                self._end(worker)
            return Ended(job, result, "", False, seconds)
        if time.monotonic() >= _deadline(worker):
            self._end(worker)
            return Ended(job, None, f"took longer than {_most_seconds(job):g} s", True, seconds)
        return None

    def _started(self) -> _Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, self.run), daemon=True)
        with environment(ONE_THREAD):
            process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _end(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for processes that are started meanwhile.

    Examples
    --------
    >>> with environment({"HALFSEEN_EXAMPLE": "1"}):
    ...     os.environ["HALFSEEN_EXAMPLE"]
    '1'
    >>> "HALFSEEN_EXAMPLE" in os.environ
    False
    """
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


def _most_seconds(job: Job) -> float:
    limits = job.cell.limits
    # The last setting may be begun just before the time is up.
    return limits.seconds + (limits.tuning_seconds if job.kind == "tune" else 0.0)


def _deadline(worker: _Worker) -> float:
    assert worker.job is not None
    return worker.began + _most_seconds(worker.job)


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        memory = "; out of memory?" if code == -9 else ""
        return f"its process was ended by signal {-code}{memory}"
    return f"its process ended with code {code}"
