"""The service under load: latency of single rows, throughput beside the library, a mixed run.

``python benchmarks/serve_load.py`` fits a model to a table of 30 columns, a third of which is
missing, and starts ``halfseen serve`` in a process of its own.

- Single rows at a fixed rate. Latency counts from when a request was due, so that a service which
  stalls cannot hide it.
- Rows per second of concurrent requests, beside `predict_proba` of the library in the same run:
  by the clock, and by the time of processors, in which the clients do not count.
- Good, bad and huge requests together for ``--seconds``. The model file is exchanged in between,
  and the service is ended by SIGTERM under load and started again. Each answer is compared with
  the library's, bit for bit.

``--seconds 600`` is the full run. The process ends with status 1 if an answer was wrong. On a busy
machine the latencies are those of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple, Self

import httpx2
import numpy as np
import pandas as pd
import psutil
from sklearn.datasets import load_breast_cancer

from halfseen import HalfseenClassifier, load

PREDICT = "/v1/models/model/predict"
N_ROWS = 512  # different ones that are sent
RATE = 50  # requests per second
MOST_ROWS = 20_000  # that the service takes
BAD = [b"", b"{", b'{"records": []}', b'{"records": [{"mean radius": "wide"}]}', b"\xff",
       b'{"records": [{"mean radius": NaN}]}', b"[" * 50_000]  # fmt: skip


class Expected:
    """Rows to send, and what the library predicts for them."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        cells = table.astype(object).where(table.notna(), None).to_dict("records")
        # Of every other row missing cells are absent rather than null.
        self.records = [
            {k: v for k, v in row.items() if v is not None or place % 2}
            for place, row in enumerate(cells)
        ]
        self.of_version: dict[str, list[list[float]]] = {}

    def add(self, version: str, path: Path) -> None:
        """Predict by the model of a file."""
        self.of_version[version] = load(path).predict_proba(self.table).tolist()


@contextmanager
def serving(path: Path, port: int) -> Iterator[psutil.Process]:
    """A service of a model file, from when it answers."""
    command = [sys.executable, "-m", "halfseen", "serve", f"model={path}", "--port", str(port),
               "--reload-seconds", "0.5"]  # fmt: skip
    with open(path.with_suffix(".log"), "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        for _ in range(1200):
            with socket.socket() as found:
                if found.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def client(port: int) -> httpx2.AsyncClient:
    """A client of the service."""
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)


async def single_rows(port: int, expected: Expected, seconds: float) -> list[float]:
    """Milliseconds of single rows, RATE of which are due each second."""
    times: list[float] = []

    async def one(due: float, ask: httpx2.AsyncClient, row: int) -> None:
        response = await ask.post(PREDICT, json={"records": [expected.records[row]]})
        times.append(1e3 * (time.perf_counter() - due))
        check(response, expected, [row])

    async with client(port) as ask, asyncio.TaskGroup() as group:
        first = time.perf_counter() + 0.5
        for number in range(int(seconds * RATE)):
            due = first + number / RATE
            await asyncio.sleep(max(0, due - time.perf_counter()))
            group.create_task(one(due, ask, number % N_ROWS))
    return sorted(times)


class Rate(NamedTuple):
    """Rows per second, and per second of processors."""

    clock: float
    processor: float

    @classmethod
    def of(cls, n_rows: int, seconds: float, of_processors: float) -> Self:
        """The rate of so many rows."""
        return cls(n_rows / seconds, n_rows / of_processors)


def processor_seconds(process: psutil.Process) -> float:
    """What a process has used so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


async def throughput(
    port: int, service: psutil.Process, expected: Expected, n_rows: int, seconds: float
) -> Rate:
    """Rate of eight clients that each send so many rows at a time."""
    content = json.dumps({"records": (expected.records * math.ceil(n_rows / N_ROWS))[:n_rows]})
    headers = {"Content-Type": "application/json"}
    end, n_answered = time.perf_counter() + seconds, 0

    async def ask_again(ask: httpx2.AsyncClient) -> None:
        nonlocal n_answered
        while time.perf_counter() < end:
            response = await ask.post(PREDICT, content=content, headers=headers)
            response.raise_for_status()
            n_answered += n_rows

    async with client(port) as ask:
        began, used = time.perf_counter(), processor_seconds(service)
        await asyncio.gather(*(ask_again(ask) for _ in range(8)))
        clock = time.perf_counter() - began
    return Rate.of(n_answered, clock, processor_seconds(service) - used)


def library(path: Path, expected: Expected, seconds: float) -> tuple[float, Rate]:
    """Milliseconds of `predict_proba` for one row, and its rate for 5,000 rows at a time."""
    model = load(path)
    table = pd.concat([expected.table] * 10, ignore_index=True)[:5000]
    model.predict_proba(table)
    single = []
    for row in range(200):
        began = time.perf_counter()
        model.predict_proba(table[row : row + 1])
        single.append(time.perf_counter() - began)
    began, used, n_done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < seconds:
        model.predict_proba(table)
        n_done += len(table)
    clock = time.perf_counter() - began
    return 1e3 * median(single), Rate.of(n_done, clock, time.process_time() - used)


class WrongAnswer(AssertionError):
    """An answer that the library would not give, or a status that must not be."""


def check(response: httpx2.Response, expected: Expected, rows: list[int]) -> None:
    """Compare probabilities with those of the library, by the version that answered."""
    if response.status_code != 200:
        raise WrongAnswer(f"{response.status_code}: {response.text[:200]}")
    answer = response.json()
    of_version = expected.of_version[answer["version"]]
    found = [list(row["target"]["probabilities"].values()) for row in answer["rows"]]
    if found != [of_version[row] for row in rows]:
        raise WrongAnswer(f"other probabilities than the library's for rows {rows[:5]}")


class Mixed:
    """Good, bad and huge requests, counted by kind and status."""

    def __init__(self, port: int, expected: Expected) -> None:
        self.port, self.expected = port, expected
        self.random = np.random.default_rng(0)
        self.counts: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []
        self.is_ending = False

    async def run(self, seconds: float, in_between: Callable[[], Awaitable[None]]) -> None:
        """Eight clients for so many seconds, something in the middle, SIGTERM at the end."""
        end = time.perf_counter() + seconds
        async with client(self.port) as ask:
            tasks = [asyncio.create_task(self._ask_again(ask, end)) for _ in range(8)]
            await asyncio.sleep(seconds / 2)
            await in_between()
            await asyncio.gather(*tasks)

    async def end(self, service: psutil.Process) -> None:
        """SIGTERM while requests are under way, all of which are to be answered."""
        async with client(self.port) as ask:
            tasks = [asyncio.create_task(self._good(ask, "at the end", 256)) for _ in range(8)]
            await asyncio.sleep(0.15)
            service.send_signal(signal.SIGTERM)
            await asyncio.gather(*tasks)

    async def _ask_again(self, ask: httpx2.AsyncClient, end: float) -> None:
        kinds: list[Callable[[httpx2.AsyncClient], Awaitable[None]]] = [
            lambda ask: self._good(ask, "one row", 1),
            lambda ask: self._good(ask, "some rows", int(self.random.integers(2, 200))),
            self._bad,
            self._huge,
        ]
        while time.perf_counter() < end:
            kind = kinds[self.random.choice(4, p=(0.6, 0.2, 0.15, 0.05))]
            await kind(ask)
            await asyncio.sleep(self.random.exponential(0.02))

    async def _good(self, ask: httpx2.AsyncClient, kind: str, n_rows: int) -> None:
        rows = self.random.integers(0, N_ROWS, n_rows).tolist()
        body = {"records": [self.expected.records[row] for row in rows]}
        try:
            response = await ask.post(PREDICT, json=body)
            self.counts[kind, str(response.status_code)] += 1
            if response.status_code in (429, 503) and "retry-after" in response.headers:
                return
            check(response, self.expected, rows)
        except (WrongAnswer, httpx2.HTTPError) as error:
            self.wrong.append(f"{kind}: {type(error).__name__} {error}")

    async def _bad(self, ask: httpx2.AsyncClient) -> None:
        await self._refused(ask, "bad", BAD[self.random.integers(len(BAD))], (422,))

    async def _huge(self, ask: httpx2.AsyncClient) -> None:
        many = b'{"records": [' + b"{}," * MOST_ROWS + b"{}]}"
        content = many if self.random.random() < 0.5 else b" " * (16 * 2**20 + 1)
        await self._refused(ask, "huge", content, (413, 429))

    async def _refused(
        self, ask: httpx2.AsyncClient, kind: str, content: bytes, statuses: tuple[int, ...]
    ) -> None:
        headers = {"Content-Type": "application/json"}
        try:
            response = await ask.post(PREDICT, content=content, headers=headers)
        except httpx2.HTTPError as error:
            # A body that is refused by its length is not read to its end.
            self.counts[kind, type(error).__name__] += 1
            if kind != "huge":
                self.wrong.append(f"{kind}: {type(error).__name__}")
            return
        self.counts[kind, str(response.status_code)] += 1
        if response.status_code not in statuses or "Traceback" in response.text:
            self.wrong.append(f"{kind}: {response.status_code} {response.text[:200]}")


async def version(port: int) -> str:
    """The version that is served."""
    async with client(port) as ask:
        found: str = (await ask.get("/v1/models/model")).json()["version"]
        return found


async def mixed(port: int, path: Path, files: list[Path], expected: Expected, seconds: float
) -> Mixed:  # fmt: skip
    """Two services one after another, each of which loads another file under load."""
    load_of = Mixed(port, expected)
    for number in range(2):
        with serving(path, port) as service:

            async def exchange(file: Path = files[1 - number]) -> None:
                new = path.with_suffix(".new")
                shutil.copy(file, new)
                os.replace(new, path)

            before = service.memory_info().rss / 2**20
            await load_of.run(seconds / 2, exchange)
            after = service.memory_info().rss / 2**20
            print(f"  memory {before:,.0f} MB when idle, {after:,.0f} MB after {seconds / 2:g} s; "
                  f"version {await version(port)}", flush=True)  # fmt: skip
            await load_of.end(service)
            service.wait(60)
    return load_of


def main() -> None:
    """Fit, serve, ask."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="of the mixed run")
    options = parser.parse_args()
    share = min(1.0, options.seconds / 600)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    random = np.random.default_rng(0)
    X = X.mask(random.random(X.shape) < 1 / 3)
    expected = Expected(X[:N_ROWS])
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{seed}.safetensors") for seed in range(2)]
        path = Path(folder, "model.safetensors")
        for seed, file in enumerate(files):
            HalfseenClassifier(effort="fast", random_state=seed).fit(X, y).save(file)
            shutil.copy(file, path)
            with serving(path, port):
                expected.add(asyncio.run(version(port)), file)
        shutil.copy(files[0], path)
        one_row, own = library(path, expected, max(5, 20 * share))
        with serving(path, port) as service:
            times = asyncio.run(single_rows(port, expected, max(10, 120 * share)))
            p50, p99 = (times[int(share * len(times))] for share in (0.5, 0.99))
            print(f"single rows, {RATE} a second, {len(times):,} of them: p50 {p50:.1f} ms, p99 "
                  f"{p99:.1f} ms; the library alone: p50 {one_row:.1f} ms", flush=True)  # fmt: skip
            for n_rows in (1, 16, 256):
                rate = asyncio.run(throughput(port, service, expected, n_rows, max(5, 20 * share)))
                print(f"8 clients, {n_rows} rows a request: {rate.clock:,.0f} rows/s, "
                      f"{rate.clock / own.clock:.2f} of the library's {own.clock:,.0f}; "
                      f"{rate.processor:,.0f} per second of processors, "
                      f"{rate.processor / own.processor:.2f} of the library's "
                      f"{own.processor:,.0f}", flush=True)  # fmt: skip
        print(f"mixed run of {options.seconds:g} s", flush=True)
        load_of = asyncio.run(mixed(port, path, files, expected, options.seconds))
        for (kind, status), n in sorted(load_of.counts.items()):
            print(f"  {kind}: {status} {n:,} times")
        log = path.with_suffix(".log").read_text()
        load_of.wrong += ["a traceback in the log"] * ("Traceback" in log)
        print(f"wrong: {len(load_of.wrong)}", *load_of.wrong[:10], sep="\n  ")
    sys.exit(bool(load_of.wrong))


if __name__ == "__main__":
    main()
