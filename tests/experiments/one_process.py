"""A study within this process, for tests that need no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halfseen.experiments import run_plan as module
from halfseen.experiments.plan import Cell, parse_plan
from halfseen.experiments.record import Record, TunedSettings
from halfseen.experiments.run_plan import Job, Outcome, run_plan

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
    """A table of forty rows: two correlated numbers, a text, and a label."""
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
    """A pool whose only worker is this process."""

    def __init__(self, *_: object) -> None:
        pass

    def schedule(self, function: Callable[..., Any], args: Any, timeout: float) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*args))
        return future

    def stop(self) -> None:
        pass

    def join(self) -> None:
        pass


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
    pool: type | None = OneProcess,
    *,
    retry_failed: bool = False,
) -> tuple[Outcome, Notes]:
    """Run what is left of a plan in a folder; without a pool, in processes of their own."""
    run.mkdir(exist_ok=True)
    if pool is not None:
        monkeypatch.setattr(module, "ProcessPool", pool)
    notes = Notes()
    write_flowers(run)
    plan = parse_plan(text, Path("plan.toml"), run)
    outcome = run_plan(plan, run, n_workers=n_workers, watcher=notes, retry_failed=retry_failed)
    return outcome, notes
