"""One column of an inspected table: its values as numbers and codes, and a summary of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from halfseen.data.columns import gross_outliers
from halfseen.data.raw import RawColumn, class_text, distinct_values

Role = Literal["feature", "label", "ignored"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_N_PARTS: Final = 16
_MOST_FREQUENT: Final = 10
# Numbers with more different values have no list of the most frequent ones.
_FEW_VALUES: Final = 20


class Record(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ValueCount(Record):
    """A value, and the number of rows that hold it."""

    value: str
    n_rows: int


class NumberSummary(Record):
    """The numbers of a column."""

    mean: float
    std: float
    minimum: float
    maximum: float
    quantiles: tuple[float, ...]  # at 5, 25, 50, 75 and 95 %


class ColumnSummary(Record):
    """What a column holds."""

    name: str
    role: Role
    type: str  # a column type, see `halfseen.data.infer`
    reason: str | None  # why a column is ignored
    n_observed: int
    n_missing: int
    share_missing: float
    missing_along_rows: tuple[float, ...]  # share missing, from the first row to the last
    n_distinct: int
    numbers: NumberSummary | None
    most_frequent: tuple[ValueCount, ...]
    earliest: str | None = None  # of text dates
    latest: str | None = None


class InspectedColumn:
    """A column of the rows that are looked at."""

    def __init__(
        self, name: str, raw: RawColumn, role: Role, type: str, reason: str | None
    ) -> None:
        self.name, self.raw, self.role, self.type, self.reason = name, raw, role, type, reason
        self.observed, self.is_used = raw.observed, role != "ignored"
        self.is_number = raw.kind == "number" and len(raw.seen) > 0  # in their order
        self.distinct, inverse = list[Any](), np.zeros(0, np.int64)
        if raw.kind != "date" or raw.values.dtype != object:  # dates of data frames are not read
            self.distinct, inverse = distinct_values(raw.seen)
        self.counts = np.bincount(inverse, minlength=len(self.distinct))  # rows with each of them
        # Position of each value in `distinct`, of shape (n_rows,); -1 where missing.
        self.codes: Ints = np.full(len(raw), -1, np.int64)
        if self.distinct:
            self.codes[self.observed] = inverse

    @cached_property
    def numbers(self) -> Floats:
        """Values of shape (n_rows,), NaN where missing; of a column of numbers."""
        numbers = np.full(len(self.observed), np.nan)
        numbers[self.observed] = self.raw.numbers(self.name)
        return numbers

    @cached_property
    def outlier_rows(self) -> Ints:
        """Rows of gross outliers, on a log scale if the column is log-numeric."""
        if self.type not in ("numeric", "log-numeric") or not self.is_number:
            return np.zeros(0, np.int64)
        values = self.numbers[self.observed]
        if self.type == "log-numeric":
            positive = values[values > 0]
            values = np.log(values + (0.0 if len(positive) == len(values) else positive.min()))
        return np.flatnonzero(self.observed)[gross_outliers(values)]

    def summary(self) -> ColumnSummary:
        """Describe the column."""
        missing = ~self.observed
        parts = np.array_split(missing, min(_N_PARTS, max(len(missing), 1)))
        is_listed = not self._is_measured or len(self.distinct) <= _FEW_VALUES
        order = np.argsort(-self.counts, kind="stable")[: _MOST_FREQUENT if is_listed else 0]
        frequent = tuple(
            ValueCount(value=class_text(self.distinct[code]), n_rows=int(self.counts[code]))
            for code in order
        )
        ends: dict[str, str] = {}
        if self.reason == "date" and self.distinct:
            texts = sorted(map(str, self.distinct))
            ends = {"earliest": texts[0], "latest": texts[-1]}
        return ColumnSummary(
            name=self.name, role=self.role, type=self.type, reason=self.reason,
            n_observed=int(self.observed.sum()), n_missing=int(missing.sum()),
            share_missing=float(missing.mean()),
            missing_along_rows=tuple(float(part.mean()) for part in parts if len(part)),
            n_distinct=len(self.distinct), numbers=self._number_summary(), most_frequent=frequent,
            **ends,
        )  # fmt: skip

    @property
    def _is_measured(self) -> bool:
        return self.is_number and self.type in ("numeric", "log-numeric", "ignored")

    def _number_summary(self) -> NumberSummary | None:
        if not self._is_measured:
            return None
        values = self.numbers[self.observed]
        quantiles = np.quantile(values, QUANTILES, method="nearest")
        with np.errstate(over="ignore"):
            return NumberSummary(
                mean=float(values.mean()), std=float(values.std()), minimum=float(values.min()),
                maximum=float(values.max()), quantiles=tuple(quantiles.tolist()),
            )  # fmt: skip
