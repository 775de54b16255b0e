"""Settings chosen once for all realisations of a cell, on observed entries of the first."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halfseen.baselines.tuner import tune
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_data import cell_data, hidden_rows
from halfseen.experiments.json_values import is_mapping, is_number, is_text, is_whole, wrong_value
from halfseen.experiments.method_with import method_with
from halfseen.experiments.record import FORMAT, NotARecord, read_document, write_json

TUNING = "tuning"  # the folder of chosen settings within a run folder
_SEED = 0
_IS_ALLOWED = {
    "settings": is_mapping,
    "n_tried": is_whole,
    "n_planned": is_whole,
    "seconds": is_number,
    "why": is_text,
}


@dataclass(frozen=True)
class TunedSettings:
    """What the tuner chose.

    Attributes
    ----------
    settings : mapping
        The chosen ones; empty for the method's own.
    n_tried, n_planned : int
        Candidates that there was time for, and all of them.
    seconds : float
        What it took.
    why : str
        Why nothing was tuned, if something went wrong.

    Examples
    --------
    >>> TunedSettings().n_tried
    0
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    n_tried: int = 0
    n_planned: int = 0
    seconds: float = 0.0
    why: str = ""


def tuning_grid(cell: Cell) -> dict[str, Sequence[Any]]:
    """What the tuner may choose from for a cell; empty if nothing is tuned.

    Settings that the plan gives are not tuned.

    Parameters
    ----------
    cell : Cell
        The cell.

    Returns
    -------
    dict from parameter to values

    Examples
    --------
    >>> cell = Cell("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "halfseen")
    >>> tuning_grid(cell)
    {}
    """
    if cell.limits.tuning_tries <= 1 or cell.limits.tuning_seconds <= 0:
        return {}
    try:
        method = method_with(cell.method, cell.settings)
    except ImportError:
        return {}
    if cell.task == "inductive" and not method.inductive:
        return {}
    return {name: values for name, values in method.grid.items() if name not in cell.settings}


def tune_cell(cell: Cell) -> TunedSettings:
    """Choose settings on the observed entries of realisation 0.

    Parameters
    ----------
    cell : Cell
        Any realisation of the cell.

    Returns
    -------
    TunedSettings
    """
    data = cell_data(cell)
    rows = hidden_rows(replace(cell, realisation=_SEED), data)
    method = method_with(cell.method, cell.settings, _SEED)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned = tune(
            method,
            tuning_grid(cell),
            rows.X[rows.fitted],
            rows.Y[rows.fitted],
            data.target,
            budget=cell.limits.tuning_tries,
            seconds=cell.limits.tuning_seconds,
            seed=_SEED,
        )
    seconds = time.perf_counter() - began
    return TunedSettings(tuned.best, len(tuned.losses), len(tuned.candidates), seconds)


def tuning_path(run: Path, cell: Cell) -> Path:
    """The file of the settings chosen for a cell."""
    return run / TUNING / f"{cell.series}.json"


def write_tuning(run: Path, cell: Cell, tuned: TunedSettings) -> None:
    """Keep chosen settings in a run folder, as a whole or not at all."""
    write_tuning_of(run, cell.series, tuned)


def write_tuning_of(run: Path, series: str, tuned: TunedSettings) -> None:
    """Keep settings that were chosen for all realisations of a cell, by what these share."""
    path = run / TUNING / f"{series}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"format": FORMAT, **vars(tuned)})


def read_tuning(run: Path, cell: Cell) -> TunedSettings:
    """The settings that were chosen for a cell; the method's own if none were.

    Examples
    --------
    >>> import tempfile
    >>> cell = Cell("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "miwae")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tuning(Path(folder), cell, TunedSettings({"hidden": (3, 4)}, 1, 2))
    ...     read_tuning(Path(folder), cell).settings
    {'hidden': (3, 4)}
    """
    path = tuning_path(run, cell)
    return _read(path) if path.exists() else TunedSettings()


def read_tunings(run: Path) -> dict[str, TunedSettings]:
    """All settings that were chosen in a run, by what the realisations of a cell share.

    Examples
    --------
    >>> read_tunings(Path("nowhere"))
    {}
    """
    return {path.stem: _read(path) for path in sorted((run / TUNING).glob("*.json"))}


def tuned_of(document: Mapping[str, Any], place: str) -> TunedSettings:
    """The chosen settings that a JSON document describes, with every value checked.

    Parameters
    ----------
    document : mapping
        Fields of :class:`TunedSettings`; those that are lacking have their defaults.
    place : str
        Where it stands, for messages.

    Returns
    -------
    TunedSettings

    Raises
    ------
    NotARecord
        A field is unknown, or holds what it cannot.

    Examples
    --------
    >>> tuned_of({"settings": {"hidden": [3, 4]}, "n_tried": 1}, "here").settings
    {'hidden': (3, 4)}
    """
    for name in document:
        if name not in _IS_ALLOWED:
            raise NotARecord(f"{place} has the unknown field {name!r}.")
    if wrong := wrong_value(document, _IS_ALLOWED):
        raise NotARecord(f"{place} {wrong}.")
    settings = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in document.get("settings", {}).items()
    }
    return TunedSettings(**{**document, "settings": settings})


def _read(path: Path) -> TunedSettings:
    document = read_document(path)
    document.pop("format", None)
    return tuned_of(document, str(path))
