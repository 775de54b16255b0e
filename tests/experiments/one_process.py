"""A study within this process, for tests that need no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from halfseen.experiments import run_plan as module
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.cell_worker import Job, done
from halfseen.experiments.read_plan import parse_plan
from halfseen.experiments.record import Record
from halfseen.experiments.run_plan import Outcome, run_plan
from halfseen.experiments.worker_pool import Ended

PLAN = """
title = "Flowers"
data_sets = ["flowers"]
rates = [[0.5, 0.5]]
realisations = 2
methods = ["column_prior", "nearest_neighbours"]
limits = {tuning_tries = 2}

[[table]]
name = "flowers"
file = "flowers.csv"
labels = ["tall"]
"""


def write_flowers(folder: Path) -> Path:
    """A table of forty rows: two numbers that hang together, a text, and a label."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=40)
    lines = ["length,width,colour,tall"]
    for one, noise in zip(size, rng.normal(scale=0.3, size=40), strict=True):
        colour = "red" if one > 0.7 else "blue" if one < -0.7 else "white"
        lines.append(f"{one:.3f},{one + noise:.3f},{colour},{'yes' if one > 0 else 'no'}")
    path = folder / "flowers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


class OneProcess:
    """A pool whose only worker is this process; the last job that was begun ends first."""

    def __init__(self, n_workers: int, run: Path) -> None:
        self.n_workers, self.run = n_workers, run
        self.jobs: list[Job] = []

    @property
    def running(self) -> list[tuple[Job, float]]:
        return [(job, 0.0) for job in self.jobs]

    @property
    def n_idle(self) -> int:
        return self.n_workers - len(self.jobs)

    def begin(self, job: Job) -> None:
        self.jobs.append(job)

    def ended(self) -> list[Ended]:
        job = self.jobs.pop()
        return [Ended(job, done(job, self.run), "", False, 0.0)]

    def close(self) -> None:
        self.jobs.clear()


class Notes:
    """A watcher that writes everything down."""

    def __init__(self) -> None:
        self.n_done_before = -1
        self.tunings: list[str] = []
        self.records: list[Record] = []

    def begin(self, n_cells: int, done: Sequence[Record], left: Sequence[Cell]) -> None:
        assert n_cells == len(done) + len(left)
        self.n_done_before = len(done)

    def change(self, running: Sequence[tuple[Job, float]]) -> None:
        pass

    def tuned(self, job: Job, tuned: TunedSettings) -> None:
        self.tunings.append(job.cell.series)

    def cell(self, record: Record) -> None:
        self.records.append(record)


def study(
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str = PLAN,
    n_workers: int = 1,
    pool: type = OneProcess,
    *,
    retry_failed: bool = False,
) -> tuple[Outcome, Notes]:
    """Run what is left of a plan in a folder."""
    run.mkdir(exist_ok=True)
    monkeypatch.setattr(module, "WorkerPool", pool)
    notes = Notes()
    write_flowers(run)
    plan = parse_plan(text, Path("plan.toml"), run)
    outcome = run_plan(plan, run, n_workers=n_workers, watcher=notes, retry_failed=retry_failed)
    return outcome, notes
