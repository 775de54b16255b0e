"""A small table in a file, and a study of it within this process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halfseen.experiments import run as module
from halfseen.experiments.plan import parse_plan
from halfseen.experiments.records import CellRecord, Tuning

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


def study(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str = PLAN,
    pool: type | None = OneProcess,
    **options: Any,
) -> list[CellRecord | Tuning]:
    """Run what is left of a plan; what was done. Without a pool, in processes of their own."""
    path.parent.mkdir(exist_ok=True)
    if pool is not None:
        monkeypatch.setattr(module, "ProcessPool", pool)
    write_flowers(path.parent)
    plan = parse_plan(text, "plan.toml", path.parent)
    states = list(module.run_plan(plan, path, **{"n_workers": 1} | options))
    return [state.part for state in states if state.part is not None]
