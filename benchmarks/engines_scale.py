"""Completion on Dask: rates beside the library's own, memory of long tables, a fleet of workers.

``python benchmarks/engines_scale.py --rows 20_000_000`` makes a table of 50 columns of which a
fifth is missing, partition by partition, where it is needed; nothing is written.

- The rate of the library in a process of its own, and of Dask with one and with two worker
  processes. Rates per second of processors hold on a busy machine, unlike those by the clock.
- So many rows through two workers, whose memory is watched. It should not grow after a quarter.
- A fleet of 64 workers that only pass rows on: what the scheduler costs for each partition, for
  more and more partitions.
- Core hours for 10^9 and 10^11 rows. They are extrapolated from the rate of the workers.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
from distributed import Client

from halfseen import HalfseenImputer, load
from halfseen.engines import complete
from halfseen.engines import dask as engine
from halfseen.engines.folder import local_or_remote

N_COLUMNS, N_CAUSES, MISSING = 50, 5, 0.2
PARTITION = 20_000  # rows
FLEET = 64


class Rate(NamedTuple):
    """Rows per second, and per second of processors."""

    clock: float
    processor: float


def rows(first: int, n_rows: int = PARTITION) -> pd.DataFrame:
    """A partition by its number: five causes move all columns."""
    weights = np.random.default_rng(0).normal(size=(N_CAUSES, N_COLUMNS))
    random = np.random.default_rng([1, first])
    values = random.normal(size=(n_rows, N_CAUSES)) @ weights
    values += random.normal(size=values.shape)
    values[random.random(values.shape) < MISSING] = np.nan
    return pd.DataFrame(values, columns=[f"number_{j}" for j in range(N_COLUMNS)])


def table(n_rows: int) -> Any:
    """A Dask frame whose partitions are made by the workers."""
    return dd.from_map(rows, range(-(-n_rows // PARTITION)), meta=rows(0, 1))


def fit(path: Path) -> None:
    """Fit a model to a few rows."""
    HalfseenImputer(effort="fast", random_state=0).fit(rows(-1 % 2**31, 2000)).save(path)


def n_missing(part: pd.DataFrame) -> pd.Series:
    """Rows and missing cells of a partition."""
    return pd.Series([len(part), int(part.isna().to_numpy().sum())])


def of_library(path: Path, n_rows: int) -> Rate:
    """The rate of the library; partitions are made, as they are by workers."""
    model = load(path)
    complete(rows(0), model)
    began, used = time.perf_counter(), time.process_time()
    n_parts = max(1, n_rows // PARTITION)
    for number in range(n_parts):
        n_missing(complete(rows(number), model))
    seconds, processor = time.perf_counter() - began, time.process_time() - used
    return Rate(n_parts * PARTITION / seconds, n_parts * PARTITION / processor)


def in_own_process(function: Callable[..., Any], *given: Any) -> Any:
    """The result of a function in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, given)


class Watch(threading.Thread):
    """The memory of processes while they work."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        super().__init__(daemon=True)
        self.processes, self.seen, self.is_over = processes, list[float](), threading.Event()

    def run(self) -> None:
        """Look twice a second."""
        while not self.is_over.wait(0.5):
            self.seen.append(max(one.memory_info().rss for one in self.processes) / 2**20)


def of_dask(path: Path, n_rows: int, n_workers: int) -> Rate:
    """The rate of a number of workers; prints their memory, and the library's rate in a worker."""
    with local_or_remote(None, n_workers) as client:
        workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]

        def run(n_rows: int) -> Any:
            filled = engine.complete(table(n_rows), path)
            counts = filled.map_partitions(n_missing, meta=(None, np.int64))
            return counts.compute().groupby(level=0).sum()

        def processor_seconds() -> float:
            return sum(sum(one.cpu_times()[:2]) for one in workers)

        run(PARTITION)
        client.run(of_library, path, PARTITION)  # compiles on every worker
        own = client.submit(of_library, path, n_rows // n_workers // 2).result()
        watch = Watch(workers)
        watch.start()
        began, used = time.perf_counter(), processor_seconds()
        counts = run(n_rows)
        seconds, processor = time.perf_counter() - began, processor_seconds() - used
        watch.is_over.set()
        watch.join()
        assert counts[0] >= n_rows
        assert counts[1] == 0
        quarter = max(watch.seen[: max(1, len(watch.seen) // 4)], default=np.nan)
        peak = max(watch.seen, default=np.nan)
        print(f"  {counts[0]:,} rows, {n_workers} workers: largest worker {quarter:,.0f} MB in the "
              f"first quarter, {peak:,.0f} MB in all", flush=True)  # fmt: skip
        rate = Rate(counts[0] / seconds, counts[0] / processor)
        print(f"  the library in a worker, without the engine: {own.processor:,.0f} rows per "
              f"second of processors; the engine has {rate.processor / own.processor:.2f} of it",
              flush=True)  # fmt: skip
        return rate


def of_fleet(path: Path, n_partitions: int) -> float:
    """Milliseconds of processors for a partition of a stub, with a fleet of workers."""
    with Client(
        processes=False, n_workers=FLEET, threads_per_worker=1, dashboard_address=None,
        memory_limit=0,
    ) as client:  # fmt: skip
        empty = rows(0, 1)
        frame = dd.from_map(partial(_same, empty), range(n_partitions), meta=empty)
        lazy = engine.complete(frame, path).map_partitions(len, meta=(None, np.int64))
        began = time.process_time()
        assert client.compute(lazy).result().sum() == n_partitions
        return 1e3 * (time.process_time() - began) / n_partitions


def _same(frame: pd.DataFrame, _: int) -> pd.DataFrame:
    return frame


def fleet(path: Path, most: int) -> None:
    """What the scheduler costs for each partition."""
    engine.parts.complete = lambda part, model: part  # type: ignore[attr-defined]
    # Each worker looks at itself all the time, which 64 in one process would pay for.
    dask.config.set({"distributed.worker.profile.enabled": False})
    for n_partitions in (most // 16, most // 4, most):
        cost = of_fleet(path, n_partitions)
        print(f"fleet of {FLEET} workers, {n_partitions:,} partitions: {cost:.2f} ms of processors "
              "for each, scheduler, client and workers together", flush=True)  # fmt: skip


def main() -> None:
    """Fit, and measure one after another."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=400_000, help="of the long table")
    parser.add_argument("--partitions", type=int, default=4000, help="most of the fleet")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Sending large graph")
    dask.config.set({"distributed.scheduler.worker-saturation": 1.1})
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        in_own_process(fit, path)
        n_rows = max(PARTITION, options.rows // 4)
        own = in_own_process(of_library, path, n_rows)
        print(f"library: {own.clock:,.0f} rows/s, {own.processor:,.0f} per second of processors",
              flush=True)  # fmt: skip
        for n_workers in (1, 2):
            rate = of_dask(path, options.rows if n_workers == 2 else n_rows, n_workers)
            print(f"Dask, {n_workers} workers: {rate.clock:,.0f} rows/s, {rate.processor:,.0f} per "
                  f"second of processors, {rate.processor / own.processor:.2f} of the library's",
                  flush=True)  # fmt: skip
        for n in (10**9, 10**11):
            print(f"extrapolated: {n:.0e} rows of {N_COLUMNS} columns take "
                  f"{n / rate.processor / 3600:,.0f} core hours", flush=True)  # fmt: skip
        fleet(path, options.partitions)


if __name__ == "__main__":
    main()
