"""What is kept of a study: one file of JSON lines that only ever grows.

A line is a plan, the settings that were tuned for a method, or the record of a cell. A later line
about the same cell replaces an earlier one, so that runs are merged by concatenating their files. A
last line that a crash cut off is passed over.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from halfseen.experiments.data_sets import Record
from halfseen.experiments.plan import Cell, Plan, parse_plan

Status = Literal["done", "failed", "left_out"]


class RunFileError(ValueError):
    """A file that holds no run, or is being written by another process."""


class Pictures(Record):
    """Images of rows, grey levels from 0 to 255, each list of shape (n_images, n_pixels)."""

    shape: tuple[int, int]
    truth: list[list[int]]
    observed: list[list[int]]  # -1 where a pixel is hidden
    completed: list[list[int]]


class CellRecord(Record):
    """One method on one realisation: what was asked, what came out, and what it took."""

    key: str
    cell: Cell
    status: Status = "done"
    why: str = ""  # it failed or was left out, or its tuning did
    settings: dict[str, Any] = {}  # tuned ones, and those of the plan
    n_tried: int = 0  # settings that the tuner tried
    n_planned: int = 0  # settings that it would have tried with more time
    target: str = "labels"
    shape: tuple[int, int, int] = (0, 0, 0)  # rows, columns, labels
    scores: dict[str, float] = {}
    seconds: float | None = None  # of fitting and predicting
    versions: dict[str, str] = {}
    pictures: Pictures | None = None


class Tuning(Record):
    """Settings that the tuner chose for all realisations of a cell."""

    series: str
    settings: dict[str, Any] = {}
    n_tried: int = 0
    n_planned: int = 0
    seconds: float = 0.0
    why: str = ""  # nothing was tuned, if something went wrong


class PlanLine(Record):
    """The plan of a run."""

    name: str
    text: str
    folder: Path | None = None  # where its tables are looked for
    machine: str = ""

    @property
    def plan(self) -> Plan:
        """The plan, read again."""
        return parse_plan(self.text, f"plan {self.name}", self.folder or Path(), self.name)


class _Line(Record):
    plan: PlanLine | None = None
    tuning: Tuning | None = None
    record: CellRecord | None = None


class Run(NamedTuple):
    """All that a run has come to so far."""

    plans: list[PlanLine]
    tunings: dict[str, Tuning]  # by series
    records: dict[str, CellRecord]  # by key


def append(path: Path, part: PlanLine | Tuning | CellRecord) -> None:
    """Add a line, and wait until it is on the disk."""
    kinds = {PlanLine: "plan", Tuning: "tuning", CellRecord: "record"}
    line = _Line.model_validate({kinds[type(part)]: part})
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":  # a crash cut the last line off
                file.truncate(len(_whole_lines(path)))
        file.write(line.model_dump_json(exclude_defaults=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_run(*paths: Path) -> Run:
    """The last word on every cell, and on the settings of every series, of one or more files."""
    run = Run([], {}, {})
    for path in paths:
        if not path.is_file():
            raise RunFileError(f"{path} is no file. 'halfseen experiment run' makes one.")
        for place, text in enumerate(_whole_lines(path).splitlines(), start=1):
            try:
                line = _Line.model_validate_json(text)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the line"
                raise RunFileError(
                    f"{path}, line {place}, is no record: {where}: {first['msg']}. Remove the line "
                    "and resume the run."
                ) from error
            if line.record is not None:
                run.records[line.record.key] = line.record
            elif line.tuning is not None:
                run.tunings[line.tuning.series] = line.tuning
            elif line.plan is not None:
                run.plans.append(line.plan)
    return run


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from writing the same file at the same time."""
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunFileError(f"{path} is being written by another process.") from error
        yield


def _whole_lines(path: Path) -> bytes:
    """The content of a file up to its last line break."""
    content = path.read_bytes()
    return content[: content.rfind(b"\n") + 1]
