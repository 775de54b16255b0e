"""What happened in training, epoch by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfseen.learning.choice import Choice

StopReason = Literal["epochs", "look-ahead", "callback", "interrupted", "time"]


@dataclass(frozen=True)
class EpochRecord:
    """One epoch; where several machines are trained at once, numbers are means over them.

    Losses are None in epochs that were not monitored.
    """

    epoch: int
    seconds: float
    learning_rate: float
    gradient_norm: float
    weight_norm: float
    loss: float | None = None
    feature_loss: float | None = None
    label_loss: float | None = None
    rolled_back: bool = False


@dataclass
class History:
    """The records of all epochs, and how training ended.

    Examples
    --------
    >>> history = History()
    >>> history.add(EpochRecord(0, 0.1, 0.01, 1.0, 2.0, loss=0.5))
    >>> history["loss"]
    array([0.5])
    """

    records: list[EpochRecord] = field(default_factory=list)
    stop_reason: StopReason | None = None
    best_epoch: int | None = None
    choices: tuple[Choice, ...] = ()  # what the fit settled by itself, and why

    def add(self, record: EpochRecord) -> None:
        """Append the record of one more epoch."""
        self.records.append(record)

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[EpochRecord]:
        return iter(self.records)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """One quantity over the epochs; NaN where it was not taken."""
        values = [getattr(record, name) for record in self.records]
        return np.array([np.nan if value is None else value for value in values], float)

    def to_document(self) -> dict[str, Any]:
        """The history as plain JSON."""
        return {
            "records": [asdict(record) for record in self.records],
            "stop_reason": self.stop_reason,
            "best_epoch": self.best_epoch,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> History:
        """The history that :meth:`to_document` wrote."""
        records: Sequence[dict[str, Any]] = document["records"]
        return cls(
            records=[EpochRecord(**record) for record in records],
            stop_reason=document["stop_reason"],
            best_epoch=document["best_epoch"],
        )
