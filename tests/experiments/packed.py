"""Runs without a cell that was ever run, and their files, for tests of packed runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from halfseen.experiments.packed_run import pack_run
from halfseen.experiments.record import SCORES, Record, write_record
from halfseen.experiments.run_folder import new_run_folder

ASKED = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
RECORD = Record(*ASKED, "mc1", versions={"halfseen": "1"})
SHIPPED = "quick/transductive-scene"


def near(one: Record, other: Record) -> bool:
    """Equal, but for the seventh digit of what came out."""

    def outcomes(record: Record) -> list[float]:
        bins = [value for one in record.reliability for value in one]
        return [*map(record.scores.get, SCORES), *bins, record.seconds, record.megabytes]

    def rest(record: Record) -> str:
        return repr(replace(record, scores={}, reliability=(), seconds=0, megabytes=0))

    return rest(one) == rest(other) and outcomes(one) == pytest.approx(
        outcomes(other), rel=5.01e-6, abs=0, nan_ok=True
    )


def a_run(run: Path, *records: Record, plan: str | Path = SHIPPED) -> Path:
    """The folder of a run with these records."""
    new_run_folder(plan, run)
    for record in records:
        write_record(run, record)
    return run


def packed(run: Path, *records: Record) -> Path:
    """A packed run with these records, beside its folder."""
    file = run.with_suffix(".jsonl")
    pack_run(a_run(run, *records), file)
    return file


def files_of(folder: Path) -> dict[str, bytes]:
    """What every file of a folder holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }
