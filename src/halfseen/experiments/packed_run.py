"""A run in one file: to be kept, sent, gone on with elsewhere, or put together from parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from halfseen.experiments.cell_tuning import TUNING as TUNINGS
from halfseen.experiments.cell_tuning import read_tunings, write_tuning_of
from halfseen.experiments.packed_record import (
    NOTHING_ABOVE,
    changes,
    checked_key,
    packed_record,
    without_folders,
)
from halfseen.experiments.read_packed_run import (
    FORMAT,
    RECORD,
    TUNING,
    NotAPackedRun,
    parse_packed_run,
    read_packed_run,
)
from halfseen.experiments.read_plan import parse_plan
from halfseen.experiments.record import CELLS, SCORES, read_records, write_record
from halfseen.experiments.run_folder import (
    ABOUT,
    PLAN,
    RunFolderError,
    locked,
    read_about,
    write_about,
)
from halfseen.storage import write_beside

One = TypeVar("One")


class Unpacked(NamedTuple):
    """What came of unpacking."""

    n_records: int  # that were written
    n_repeated: int  # that were not, because their cells were there


def pack_run(run: Path, file: Path) -> int:
    """Write a run into one file, as a whole or not at all.

    The file is text, one JSON document a line: a header with the plan, then the settings that were
    chosen, then the records, by name, each as far as it differs from the one above. The same run
    gives the same bytes. What came out of a cell (scores, bins of probabilities, seconds, memory)
    is kept to six digits, where tables print four decimals; what was asked is kept as it is.
    Reasons of failures lose the folders of the files that they name. Pictures are not packed.

    Parameters
    ----------
    run : Path
        The run folder.
    file : Path
        The file to create or replace.

    Returns
    -------
    int
        How many records it holds.

    Raises
    ------
    RunFolderError
        It is no run folder.
    NotARecord
        A file of the run is damaged, or is not named like one.

    Examples
    --------
    >>> import tempfile
    >>> from halfseen.experiments.run_folder import new_run_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run, file, again = (Path(folder, name) for name in ("run", "run.jsonl", "again"))
    ...     plan = new_run_folder("quick/transductive-scene", run)
    ...     pack_run(run, file), unpack_runs([file], again), read_about(again)[0]["plan"]
    (0, Unpacked(n_records=0, n_repeated=0), 'quick/transductive-scene')
    """
    about, plan = read_about(run)
    tunings = read_tunings(run)
    records = sorted(read_records(run), key=lambda record: record.key)
    for folder, names in ((TUNINGS, tunings), (CELLS, [record.key for record in records])):
        for name in names:
            checked_key(name, str(run / folder / f"{name}.json"))
    versions = [about["versions"]]
    packed = [packed_record(record, versions) for record in records]
    of_records = [
        {RECORD: record.key, **changes(one, above)}
        for record, one, above in zip(records, packed, [NOTHING_ABOVE, *packed], strict=False)
    ]
    of_tunings = [
        {TUNING: series, **vars(tuned), "why": without_folders(tuned.why)}
        for series, tuned in sorted(tunings.items())
    ]
    header = {
        "format": FORMAT,
        "packed_run": about["plan"],
        "title": about["title"],
        "plan": plan,
        "n_tunings": len(tunings),
        "n_records": len(records),
        "scores": SCORES,
        "versions": versions,
        "machine": about["machine"],
    }
    content = "".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        for line in (header, *of_tunings, *of_records)
    ).encode()
    parse_packed_run(content, file)  # what could not be read back is not written
    write_beside(file, [content])
    return len(records)


def unpack_runs(files: Sequence[Path], run: Path) -> Unpacked:
    """Make a run folder of packed runs of one plan, or add them to the run that it holds.

    A cell that stands in several is taken from the first in which it is done, or else from the
    first; the folder comes before all files. Chosen settings likewise. All is read and checked
    before anything is written; if writing is stopped, the same call goes on with it. Tables of
    one's own are looked for beside the first file.

    Parameters
    ----------
    files : sequence of Path
        Packed runs, at least one.
    run : Path
        The folder; it is made if it is not there.

    Returns
    -------
    Unpacked

    Raises
    ------
    NotAPackedRun
        A file is none, or two hold different plans.
    PlanError
        The plan of a new folder cannot be followed here.
    RunFolderError
        The folder holds a run of another plan, or one that is being run.
    """
    packed = [read_packed_run(file) for file in files]
    first, beside = packed[0], files[0].parent.resolve()
    for file, other in zip(files, packed, strict=True):
        if other.plan != first.plan:
            raise NotAPackedRun(
                f"{files[0]} and {file} hold different plans, so they are not of one run. Unpack "
                "them into folders of their own."
            )
    if not (run / ABOUT).exists():
        parse_plan(first.plan, files[0], beside)
    run.mkdir(parents=True, exist_ok=True)
    with locked(run):
        is_new = _is_new(run, first.plan, files[0])
        known = {record.key: record for record in read_records(run)}
        tunings = _taken(
            read_tunings(run), [one.tunings for one in packed], lambda tuned: not tuned.why
        )
        records = _taken(
            known, [one.records for one in packed], lambda record: record.status == "done"
        )
        if is_new:
            write_beside(run / PLAN, [first.plan.encode()])
        for series, tuned in tunings.items():
            write_tuning_of(run, series, tuned)
        for record in records.values():
            write_record(run, record)
        if is_new:
            # Last, because a folder with it is a run.
            write_about(run, first.name, first.title, beside, first.versions, first.machine)
    return Unpacked(len(records), sum(len(one.records) for one in packed) - len(records))


def _is_new(run: Path, plan: str, file: Path) -> bool:
    """Whether the folder is still to become a run; if it is one, then of the same plan."""
    if (run / ABOUT).exists():
        if read_about(run)[1] != plan:
            raise RunFolderError(
                f"{run} holds a run of another plan than {file}. Name another folder with --out."
            )
        return False
    found = _plan_of(run)
    if found != plan and (found is not None or (run / CELLS).exists()):
        raise RunFolderError(
            f"{run} has records or a {PLAN} of another plan than {file}. Name another folder with "
            "--out."
        )
    return True


def _plan_of(run: Path) -> str | None:
    """The plan of a folder that may not be a run yet, as when unpacking was stopped."""
    path = run / PLAN
    return path.read_bytes().decode(errors="replace") if path.exists() else None


def _taken(
    there: Mapping[str, One], files: Iterable[Mapping[str, One]], is_done: Callable[[One], bool]
) -> dict[str, One]:
    """What is to be written: what is not there, or is done and was not."""
    taken: dict[str, One] = {}
    for found in files:
        for name, one in found.items():
            old = taken.get(name, there.get(name))
            if old is None or (is_done(one) and not is_done(old)):
                taken[name] = one
    return taken
