"""What is kept of a study: one line of JSON per cell, one method on one realisation.

A run folder has one file of records. It only ever grows; a later line about the same cell replaces
an earlier one, and a last line that a crash cut off is passed over.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.dataclasses import dataclass

RECORDS: Final = "records.jsonl"
SCORES: Final = (
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
# JSON has no NaN; pydantic writes it as null.
Number = Annotated[float, BeforeValidator(lambda value: math.nan if value is None else value)]
_CONFIG = ConfigDict(extra="forbid", ser_json_inf_nan="null")


class NotARecord(ValueError):
    """A line among the records that is none."""


@dataclass(frozen=True, config=_CONFIG)
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
    scores : mapping from names of ``SCORES`` to float
        NaN where a score does not apply.
    reliability : tuple of (mean probability, share true, count)
        Ten bins of probabilities; empty if there are none.
    seconds : float
        Of fitting and predicting.
    megabytes : float
        Largest memory of the process, with libraries and data.
    feature_source : str
        Whose completion of features the RMSE is, if not the method's own.
    target, n_rows, n_features, n_labels
        What the data set is.
    versions : mapping from package to version
    key : str
        A name, unique in a run; made of what was asked.

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
    scores: dict[str, Number] = field(default_factory=lambda: dict.fromkeys(SCORES, math.nan))
    reliability: tuple[tuple[Number, Number, Number], ...] = ()
    seconds: Number = math.nan
    megabytes: Number = math.nan
    feature_source: str = ""
    target: str = "labels"
    n_rows: int = 0
    n_features: int = 0
    n_labels: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    key: str = ""

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", record_key(self))


def _hashable(settings: Any) -> Any:
    """Lists of JSON as the tuples that settings have."""
    if not isinstance(settings, Mapping):
        return settings
    return {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}


@dataclass(frozen=True, config=_CONFIG)
class TunedSettings:
    """Settings that the tuner chose for all realisations of a cell; empty for the method's own."""

    settings: Annotated[Mapping[str, Any], BeforeValidator(_hashable)] = field(default_factory=dict)
    n_tried: int = 0  # candidates that there was time for
    n_planned: int = 0
    seconds: Number = 0.0
    why: str = ""  # nothing was tuned, if something went wrong
    series: str = (
        ""  # what the realisations have in common: the key of a cell without its last part
    )


class _Line(BaseModel):
    model_config = _CONFIG

    cell: Record | None = None
    tuning: TunedSettings | None = None


class RunRecords(NamedTuple):
    """All that a run has come to so far."""

    cells: dict[str, Record]  # by key
    tunings: dict[str, TunedSettings]  # by series


def record_key(asked: Any, n_rows: int | None = None) -> str:
    """A readable name of a cell: of what it asks, and of the rows drawn, if not all.

    >>> asked = ("mnist", "inductive", "blocks", "positives_only", 0.5, 0.3, 0.8, "halfseen", "k5")
    >>> record_key(Record(*asked, 2), 1000)
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


def append_record(run: Path, record: Record | TunedSettings) -> None:
    """Add a line to the records of a run folder, and wait until it is on the disk.

    >>> import tempfile
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     append_record(Path(folder), Record(*asked))
    ...     [record.method for record in read_records(Path(folder))]
    ['mc1']
    """
    line = _Line(cell=record) if isinstance(record, Record) else _Line(tuning=record)
    with (run / RECORDS).open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":  # a crash cut the last line off
                file.truncate(len(_whole_lines(run / RECORDS)))
        file.write(line.model_dump_json(exclude_unset=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_run_records(run: Path) -> RunRecords:
    """The last word on every cell, and on the settings of every series."""
    path, found = run / RECORDS, RunRecords({}, {})
    for place, text in enumerate(_whole_lines(path).splitlines(), start=1):
        try:
            line = _Line.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"][1:])) or "the line"
            raise NotARecord(
                f"{path}, line {place}, is no record: {where}: {first['msg']}. Remove the line and "
                "resume the run."
            ) from error
        if line.cell is not None:
            found.cells[line.cell.key] = line.cell
        if line.tuning is not None:
            found.tunings[line.tuning.series] = line.tuning
    return found


def read_records(run: Path) -> list[Record]:
    """All records of a run folder, by key; empty if nothing is done yet."""
    cells = read_run_records(run).cells
    return [cells[key] for key in sorted(cells)]


def _whole_lines(path: Path) -> bytes:
    """The content of a file up to its last line break."""
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def _percent(rate: float) -> str:
    return f"{100 * rate:g}"
