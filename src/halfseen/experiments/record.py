"""What is kept of one cell of a study: one method on one realisation, in one JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from halfseen.experiments.json_values import (
    are_scores,
    are_texts,
    are_triples,
    is_mapping,
    is_number,
    is_number_or_null,
    is_text,
    is_whole,
    wrong_value,
)
from halfseen.storage import write_beside

FORMAT = 1
CELLS = "cells"  # the folder of records within a run folder
SCORES = (
    "micro_auc",
    "macro_auc",
    "averaged_auc",
    "hamming_accuracy",
    "accuracy",
    "accuracy_all_entries",
    "log_loss",
    "calibration_error",
    "rmse",
    "standardised_rmse",
    "interval_coverage",
    "interval_width",
)

TaskName = Literal["transductive", "inductive"]
Status = Literal["done", "failed", "left_out"]


class NotARecord(ValueError):
    """A file among the records that is none, or of a newer version."""


@dataclass(frozen=True)
class Record:
    """One method on one realisation: what was asked, what came out, and what it took.

    Attributes
    ----------
    data_set, task, feature_hiding, label_hiding, feature_rate, label_rate
        What was asked; rates are shares from 0 to 1.
    new_feature_rate : float or None
        Share hidden of the features of new rows, if it is another than ``feature_rate``.
    method, variant : str
        The method, and the name of a set of settings of it; "" if it has but one.
    realisation : int
        Which mask; the same for all methods.
    settings : mapping
        Settings that differ from the method's own, chosen by the tuner or named in the plan.
    n_tried, n_planned : int
        Settings that the tuner tried, and would have tried with more time; 0 if nothing was tuned.
    status, why : str
        "done", "failed" or "left_out", and for the last two the reason.
    scores : mapping from each name of ``SCORES`` to float
        NaN where a score does not apply.
    reliability : tuple of (mean probability, share true, count)
        Ten bins of probabilities; empty if there are none.
    seconds : float
        Of fitting and answering; of a group trained together, divided by ``group_size``.
    megabytes : float
        Largest memory of the process, with libraries and data.
    feature_source : str
        Whose completion of features the RMSE is, if not the method's own.
    target, n_rows, n_features, n_labels
        What the data set is.
    versions : mapping from package to version

    Examples
    --------
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> record.key
    'scene-transductive-at_random-50-50-mc1-r0'
    """

    data_set: str
    task: TaskName
    feature_hiding: str
    label_hiding: str
    feature_rate: float
    label_rate: float
    new_feature_rate: float | None
    method: str
    variant: str = ""
    realisation: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    n_tried: int = 0
    n_planned: int = 0
    status: Status = "done"
    why: str = ""
    scores: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(SCORES, math.nan))
    reliability: tuple[tuple[float, float, float], ...] = ()
    seconds: float = math.nan
    group_size: int = 1
    megabytes: float = math.nan
    feature_source: str = ""
    target: str = "labels"
    n_rows: int = 0
    n_features: int = 0
    n_labels: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    key: str = ""  # name of its files; made of what was asked

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", record_key(self))


def record_key(asked: Any, n_rows: int | None = None) -> str:
    """A readable name of a cell, for its files.

    Parameters
    ----------
    asked : object
        With the first ten attributes of :class:`Record`.
    n_rows : int or None
        Rows drawn from the data set, if not all.

    Returns
    -------
    str

    Examples
    --------
    >>> record = Record("mnist", "inductive", "blocks", "positives_only", 0.5, 0.3, 0.8, "halfseen",
    ...     "k5", 2)
    >>> record_key(record, 1000)
    'mnist-1000rows-inductive-blocks+positives_only-50-30-new80-halfseen+k5-r2'
    """
    hiding = asked.feature_hiding
    if asked.label_hiding != asked.feature_hiding:
        hiding += f"+{asked.label_hiding}"
    parts = [
        asked.data_set,
        *([f"{n_rows}rows"] if n_rows is not None else []),
        asked.task,
        hiding,
        _percent(asked.feature_rate),
        _percent(asked.label_rate),
        *([f"new{_percent(asked.new_feature_rate)}"] if asked.new_feature_rate is not None else []),
        asked.method + (f"+{asked.variant}" if asked.variant else ""),
        f"r{asked.realisation}",
    ]
    return "-".join(parts)


def write_record(run: Path, record: Record) -> Path:
    """Write a record into a run folder, as a whole or not at all.

    Parameters
    ----------
    run : Path
        The run folder; its folder of records is made if it is not there.
    record : Record
        What to keep.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_record(Path(folder), record)
    ...     read_record(path).method, path.name
    ('mc1', 'scene-transductive-at_random-50-50-mc1-r0.json')
    """
    path = run / CELLS / f"{record.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {name: getattr(record, name) for name in _NAMES}
    write_json(path, {"format": FORMAT, **document})
    return path


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON document, as a whole or not at all; NaN and infinity become null."""
    text = json.dumps(_plain(document), indent=1, allow_nan=False, ensure_ascii=False)
    write_beside(path, [text.encode(), b"\n"])


def read_record(path: Path) -> Record:
    """The record that a file holds.

    Raises
    ------
    NotARecord
        Naming the file and what is wrong with it.
    """
    document = read_document(path)
    try:
        return record_of(document, str(path), path.stem)
    except NotARecord as error:
        raise NotARecord(f"{error} Remove it and resume the run.") from error


def read_document(path: Path) -> dict[str, Any]:
    """What a JSON file of a run folder holds, its fields not checked yet.

    Raises
    ------
    NotARecord
        It is not JSON, or not of this format; the message names the file.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NotARecord(f"{path} is not JSON: {error}. Remove it and resume the run.") from error
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise NotARecord(
            f"{path} is not of format {FORMAT} (its format is {found!r}). Remove it and "
            "resume the run, or use the version of halfseen that wrote it."
        )
    return dict(document)


def record_of(document: Mapping[str, Any], place: str, key: str = "") -> Record:
    """The record that a JSON document describes, with every value checked.

    Parameters
    ----------
    document : mapping
        All fields of a record but its key; others are passed over. Null is NaN.
    place : str
        Where it stands, for messages.
    key : str, default=""
        Name of its files; made of what was asked if it is "".

    Returns
    -------
    Record

    Raises
    ------
    NotARecord
        A field is lacking, or holds what it cannot.

    Examples
    --------
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> document = {**vars(Record(*asked)), "reliability": [[0.2, 0.3, 7]], "seconds": None}
    >>> record_of(document, "here").reliability
    ((0.2, 0.3, 7.0),)
    >>> record_of({**document, "realisation": "first"}, "here")
    Traceback (most recent call last):
    ...
    halfseen.experiments.record.NotARecord: here holds 'first' as realisation.
    """
    lacking = [name for name in _NAMES if name not in document]
    if lacking:
        raise NotARecord(f"{place} lacks {', '.join(lacking)}.")
    known = {name: document[name] for name in _NAMES}
    if wrong := wrong_value(known, _IS_ALLOWED):
        raise NotARecord(f"{place} {wrong}.")
    known["scores"] = {name: _number(known["scores"].get(name)) for name in SCORES}
    known["reliability"] = tuple(
        (_number(mean), _number(share), _number(count))
        for mean, share, count in known["reliability"]
    )
    for name in ("seconds", "megabytes"):
        known[name] = _number(known[name])
    return Record(**known, key=key)


def read_records(run: Path) -> list[Record]:
    """All records of a run folder, by the names of their files.

    Parameters
    ----------
    run : Path
        The run folder.

    Returns
    -------
    list of Record
        Empty if nothing is done yet.

    Examples
    --------
    >>> read_records(Path("nowhere"))
    []
    """
    return [read_record(path) for path in sorted((run / CELLS).glob("*.json"))]


_NAMES = tuple(one.name for one in fields(Record) if one.name != "key")
_IS_ALLOWED: Final[Mapping[str, Callable[[Any], bool]]] = {
    "data_set": is_text,
    "task": get_args(TaskName).__contains__,
    "feature_hiding": is_text,
    "label_hiding": is_text,
    "feature_rate": is_number,
    "label_rate": is_number,
    "new_feature_rate": is_number_or_null,
    "method": is_text,
    "variant": is_text,
    "realisation": is_whole,
    "settings": is_mapping,
    "n_tried": is_whole,
    "n_planned": is_whole,
    "status": get_args(Status).__contains__,
    "why": is_text,
    "scores": are_scores,
    "reliability": are_triples,
    "seconds": is_number_or_null,
    "group_size": is_whole,
    "megabytes": is_number_or_null,
    "feature_source": is_text,
    "target": is_text,
    "n_rows": is_whole,
    "n_features": is_whole,
    "n_labels": is_whole,
    "versions": are_texts,
}


def _percent(rate: float) -> str:
    return f"{100 * rate:g}"


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of numpy
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
