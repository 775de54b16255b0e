"""The folder of a run: the plan as given, what it runs with, and records."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfseen.experiments.json_values import are_texts, is_mapping, is_text, wrong_value
from halfseen.experiments.plan import Plan
from halfseen.experiments.read_plan import parse_plan, plan_path, read_plan
from halfseen.experiments.record import CELLS, FORMAT, read_document, write_json
from halfseen.experiments.versions import machine, versions
from halfseen.storage import write_beside

PLAN = "plan.toml"
ABOUT = "run.json"
_LOCK = ".lock"
_IS_ALLOWED = {
    "plan": is_text,
    "title": is_text,
    "plan_folder": is_text,
    "versions": are_texts,
    "machine": is_mapping,
}


class RunFolderError(ValueError):
    """A folder that is no run, or not the one that was meant."""


def new_run_folder(plan: str | Path, run: Path) -> Plan:
    """Make the folder of a run, and keep the plan in it.

    Parameters
    ----------
    plan : str or Path
        A TOML file, or the name of a shipped plan.
    run : Path
        The folder; it is made if it is not there.

    Returns
    -------
    Plan

    Raises
    ------
    PlanError
        The plan cannot be followed; nothing is written then.
    RunFolderError
        The folder holds a run already.
    """
    read = read_plan(plan)
    if (run / ABOUT).exists() or (run / CELLS).exists():
        raise RunFolderError(
            f"{run} holds a run already. Go on with it: halfseen experiment resume {run}; or name "
            "another folder with --out."
        )
    source = plan_path(plan)
    run.mkdir(parents=True, exist_ok=True)
    write_beside(run / PLAN, [source.read_bytes()])
    # Last, because a folder with it is a run.
    write_about(
        run, read.name, read.title, source.parent.resolve(), versions(), machine()._asdict()
    )
    return read


def write_about(
    run: Path,
    plan: str,
    title: str,
    plan_folder: Path,
    versions: Mapping[str, str],
    machine: Mapping[str, Any],
) -> None:
    """Write what a run is about; a folder that has this file is a run.

    Parameters
    ----------
    run : Path
        The run folder.
    plan, title : str
        Name and title of the plan.
    plan_folder : Path
        Where the plan's own tables are looked for.
    versions, machine : mapping
        What it runs with.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_about(Path(folder), "mine", "Mine", Path("/tables"), {}, {})
    ...     read_document(Path(folder) / ABOUT)["plan"]
    'mine'
    """
    about = {
        "format": FORMAT,
        "plan": plan,
        "title": title,
        "plan_folder": str(plan_folder),
        "versions": versions,
        "machine": machine,
    }
    write_json(run / ABOUT, about)


def read_run_folder(run: Path) -> Plan:
    """The plan of a run.

    Parameters
    ----------
    run : Path
        The run folder.

    Returns
    -------
    Plan

    Raises
    ------
    RunFolderError
        It is no run folder.
    """
    about, text = read_about(run)
    plan = parse_plan(text, run / PLAN, Path(about["plan_folder"]))
    return replace(plan, name=about["plan"])


def read_about(run: Path) -> tuple[dict[str, Any], str]:
    """What a run is about, and the text of its plan.

    Parameters
    ----------
    run : Path
        The run folder.

    Returns
    -------
    about : dict
        As :func:`write_about` keeps it.
    text : str
        The plan, with its line ends as they are.

    Raises
    ------
    RunFolderError
        It is no run folder.
    """
    try:
        about = read_document(run / ABOUT)
        text = (run / PLAN).read_bytes().decode()
    except (OSError, ValueError) as error:
        raise RunFolderError(
            f"{run} is not the folder of a run: it needs {PLAN} and {ABOUT}. "
            "'halfseen experiment run' makes one."
        ) from error
    if wrong := wrong_value({name: about.get(name) for name in _IS_ALLOWED}, _IS_ALLOWED):
        raise RunFolderError(f"{run / ABOUT} {wrong}. Put it right, or name another folder.")
    return about, text


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keep others from running the same folder at the same time.

    Raises
    ------
    RunFolderError
        Another process does.
    """
    with (run / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunFolderError(f"{run} is being run by another process.") from error
        yield
