"""The folder of a run: the plan as given, what it runs with, and records."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from halfseen._version import __version__
from halfseen.experiments.plan import Plan, parse_plan, plan_path, read_plan
from halfseen.experiments.record import RECORDS
from halfseen.model_file import replace_atomically

PLAN: Final = "plan.toml"
ABOUT: Final = "run.json"
_LOCK = ".lock"
_PACKAGES = ("numpy", "jax", "scikit-learn")


class RunFolderError(ValueError):
    """A folder that is no run, or not the one that was meant."""


class RunFacts(BaseModel):
    """What a run is about; a folder that has them in a file is a run."""

    model_config = ConfigDict(extra="forbid")

    plan: str
    title: str
    plan_folder: Path  # where tables of the plan are looked for
    versions: dict[str, str]
    machine: dict[str, JsonValue]


def new_run_folder(plan: str | Path, run: Path) -> Plan:
    """Make the folder of a run of a TOML file or a shipped plan, and keep the plan in it.

    Nothing is written if the plan cannot be followed, or the folder holds a run already.
    """
    read = read_plan(plan)
    if (run / ABOUT).exists() or (run / RECORDS).exists():
        raise RunFolderError(
            f"{run} holds a run already. Go on with it: halfseen experiment resume {run}; or name "
            "another folder with --out."
        )
    source = plan_path(plan)
    run.mkdir(parents=True, exist_ok=True)
    with replace_atomically(run / PLAN) as part:
        part.write_bytes(source.read_bytes())
    facts = RunFacts(
        plan=read.name,
        title=read.title,
        plan_folder=source.parent.resolve(),
        versions=versions(),
        machine=machine(),
    )
    # Last, because a folder with it is a run.
    with replace_atomically(run / ABOUT) as part:
        part.write_text(facts.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return read


def read_run_folder(run: Path) -> Plan:
    """The plan of a run."""
    try:
        facts = RunFacts.model_validate_json((run / ABOUT).read_bytes())
        text = (run / PLAN).read_bytes().decode()
    except (OSError, ValueError) as error:
        raise RunFolderError(
            f"{run} is not the folder of a run: it needs {PLAN} and {ABOUT}. "
            "'halfseen experiment run' makes one."
        ) from error
    plan = parse_plan(text, run / PLAN, facts.plan_folder)
    return plan.model_copy(update={"name": facts.plan})


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keep other processes from running the same folder at the same time."""
    with (run / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunFolderError(f"{run} is being run by another process.") from error
        yield


def versions() -> dict[str, str]:
    """Versions of Python, halfseen and what its numbers depend on.

    >>> list(versions())
    ['python', 'halfseen', 'numpy', 'jax', 'scikit-learn']
    """
    found = {"python": platform.python_version(), "halfseen": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def usable_cores() -> int:
    """Cores that this process may use."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return bound or 1


def machine() -> dict[str, JsonValue]:
    """The computer that this runs on."""
    processor = platform.processor()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = next(iter(names), processor)
    system = f"{platform.system()} {platform.machine()}"
    return {"cores": usable_cores(), "processor": processor or "unknown", "system": system}
