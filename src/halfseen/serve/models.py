"""Served models: loaded from files, warmed up, exchanged when a file changes, asked in batches."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Encoded
from halfseen.explain import Reference, reference_rows
from halfseen.loading import load
from halfseen.model_file import ModelFileError
from halfseen.serve.rows import Names
from halfseen.serve.settings import RequestError

logger = logging.getLogger("halfseen.serve")

_BATCH_ROWS = 512  # that are completed together: bounds memory, and how long others wait
_REFERENCE_ROWS = 128  # drawn from the model, for what is usual
_DIGITS = 16


class Completed(NamedTuple):
    """Expected units of rows, and the spread of their numbers."""

    units: NDArray[np.float32]
    spread: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Served:
    """A model as it was loaded; requests that began with it end with it."""

    name: str
    path: Path
    model: Any
    version: str
    stamp: tuple[int, ...]  # of the file, to see that it changed
    names: Names
    loaded: str
    reference: list[Reference] = field(default_factory=list)  # once it was asked for
    reference_units: list[Encoded] = field(default_factory=list)

    @classmethod
    def load(cls, name: str, path: Path) -> Served:
        """Load a file of which no half was exchanged meanwhile."""
        for _ in range(3):
            stamp, version = _stamp(path), _digest(path)
            model = load(path)
            if (stamp, version) == (_stamp(path), _digest(path)):
                loaded = datetime.now(UTC).isoformat(timespec="seconds")
                return cls(name, path, model, version, stamp, Names.of(model.schema_), loaded)
        raise ModelFileError(f"'{path}' keeps changing; move a finished file into its place")

    def warm_up(self) -> None:
        """Compile what answers need, so that no request waits for it."""
        n_units = self.model.schema_.n_units
        nothing = np.zeros((1, n_units), np.float32), np.zeros((1, n_units), bool)
        self.model._complete_with_spread(Encoded(*nothing))

    def usual_rows(self) -> Encoded:
        """Rows that the model itself draws, as units: what it takes for usual."""
        if not self.reference_units:
            units = self.model._sample_units(_REFERENCE_ROWS, 0)
            X = np.full((_REFERENCE_ROWS, len(self.names.features)), None, dtype=object)
            decoded = self.model.schema_.decode(units, round_whole=True)
            for j, values in enumerate(decoded):
                X[:, j] = None if values is None else values
            self.reference.append(reference_rows(self.model, X))
            self.reference_units.append(Encoded(units, np.ones(units.shape, bool)))
        return self.reference_units[0]


def _stamp(path: Path) -> tuple[int, ...]:
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]


class Models:
    """Models by name, the first of which answers where a protocol knows no names."""

    def __init__(self, paths: Mapping[str, str | os.PathLike[str]]) -> None:
        if not paths:
            raise ValueError("There is no model to serve; name at least one file.")
        self._served = {name: Served.load(name, Path(path)) for name, path in paths.items()}
        self._refused: dict[str, tuple[int, ...]] = {}

    def __iter__(self) -> Any:
        return iter(list(self._served.values()))

    @property
    def first(self) -> Served:
        """The model that was named first."""
        return next(iter(self._served.values()))

    def get(self, name: str, version: str | None = None) -> Served:
        """A model by name; another version than the present one is not kept."""
        served = self._served.get(name)
        if served is None:
            known = ", ".join(self._served)
            raise RequestError(404, f"There is no model of this name; there is {known}.")
        if version not in (None, served.version):
            raise RequestError(404, f"Model {name} is served in version {served.version} alone.")
        return served

    def reload(self) -> int:
        """Exchange models whose files changed; what cannot be loaded leaves the old one."""
        n_failed = 0
        for served in self:
            try:
                stamp = _stamp(served.path)
                if stamp in (served.stamp, self._refused.get(served.name)):
                    continue
                fresh = Served.load(served.name, served.path)
                fresh.warm_up()
                self._served[served.name] = fresh
                logger.info("reloaded model=%s version=%s", fresh.name, fresh.version)
            except (OSError, ValueError) as error:
                # A file may be away for a moment while another takes its place.
                if not isinstance(error, FileNotFoundError):
                    self._refused[served.name] = stamp
                    n_failed += 1
                    why = type(error).__name__
                    logger.error("cannot reload model=%s: %s; keeping version=%s", served.name,
                                 why, served.version)  # fmt: skip
        return n_failed


@dataclass
class _Waiting:
    encoded: Encoded
    result: asyncio.Future[Completed]


class Worker:
    """Threads that compute: rows that wait are completed together, slow work goes beside them.

    Nothing waits for others to come: whatever came while a batch was computed is the next one. A
    row's result does not depend on the batch, because models compute in tiles of one shape.
    """

    def __init__(self) -> None:
        self._fast = ThreadPoolExecutor(1, "halfseen-batches")
        self._slow = ThreadPoolExecutor(1, "halfseen-slow")
        self._side = ThreadPoolExecutor(1, "halfseen-bodies")
        self._waiting: dict[Served, list[_Waiting]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def complete(self, served: Served, encoded: Encoded) -> Completed:
        """Complete rows; long tables wait their turn after every part."""
        found = []
        for first in range(0, len(encoded.values), _BATCH_ROWS):
            part = slice(first, first + _BATCH_ROWS)
            own = Encoded(encoded.values[part], encoded.observed[part])
            found.append(await self._part(served, own))
        if len(found) == 1:
            return found[0]
        return Completed(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    async def slowly(self, function: Callable[..., Any], *given: Any) -> Any:
        """Run what takes longer than a batch."""
        return await asyncio.get_running_loop().run_in_executor(self._slow, function, *given)

    async def beside(self, function: Callable[..., Any], *given: Any) -> Any:
        """Read or write a long body, one at a time: bounds memory."""
        return await asyncio.get_running_loop().run_in_executor(self._side, function, *given)

    def close(self) -> None:
        """End the threads once they are idle."""
        self._fast.shutdown(cancel_futures=True)
        self._slow.shutdown(cancel_futures=True)
        self._side.shutdown(cancel_futures=True)

    async def _part(self, served: Served, encoded: Encoded) -> Completed:
        one = _Waiting(encoded, asyncio.get_running_loop().create_future())
        if served in self._waiting:
            self._waiting[served].append(one)
        else:
            self._waiting[served] = [one]
            task = asyncio.create_task(self._run(served))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await one.result

    async def _run(self, served: Served) -> None:
        """Complete what waits for a model until nothing does."""
        loop = asyncio.get_running_loop()
        while batch := self._next_batch(served):
            encoded = Encoded(
                np.concatenate([one.encoded.values for one in batch]),
                np.concatenate([one.encoded.observed for one in batch]),
            )
            try:
                complete = served.model._complete_with_spread
                found = await loop.run_in_executor(self._fast, complete, encoded)
            except Exception as error:
                for one in batch:
                    if not one.result.done():
                        one.result.set_exception(error)
                continue
            first = 0
            for one in batch:
                last = first + len(one.encoded.values)
                if not one.result.done():
                    one.result.set_result(Completed(*(array[first:last] for array in found)))
                first = last

    def _next_batch(self, served: Served) -> list[_Waiting]:
        """What waited longest, without those who gave up."""
        waiting = [one for one in self._waiting[served] if not one.result.done()]
        n_rows, n_taken = 0, 0
        for one in waiting:
            n_rows += len(one.encoded.values)
            if n_taken and n_rows > _BATCH_ROWS:
                break
            n_taken += 1
        self._waiting[served] = waiting[n_taken:]
        if not n_taken:
            del self._waiting[served]
        return waiting[:n_taken]


async def watch(
    models: Models, worker: Worker, seconds: float, failed: Callable[[int], Any]
) -> None:
    """Look at the model files again and again."""
    while seconds:
        await asyncio.sleep(seconds)
        failed(await worker.slowly(models.reload))
