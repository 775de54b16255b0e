"""What one column holds, learned block by block."""

from __future__ import annotations

import math
import zlib
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.cells import Cells, Sort, common_sort, number_text
from halfseen.inspection.column_summary import (
    CategoryCount,
    ColumnSummary,
    NumberSummary,
    Role,
    ValueKind,
)
from halfseen.inspection.number_tally import NumberTally
from halfseen.inspection.tally import Tally
from halfseen.tables.learn_columns import mean_and_scale

MOST_DISTINCT = 10_000
_N_TOP = 20
_N_BINS = 24


class ColumnAccumulator:
    """What one column holds, learned block by block.

    Parameters
    ----------
    name : str
        Column name.

    Attributes
    ----------
    sort : str
        What the cells met so far are.
    n_rows, n_observed, n_infinite : int
        Cells met, observed among them, and infinite numbers, which count as not observed.
    is_rising : bool
        The observed values are numbers or dates, each larger than the one before.
    digest : int
        The same for columns that hold the same; comparable within one process only.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.inspection.read_objects import read_objects
    >>> column = ColumnAccumulator("size")
    >>> column.add(read_objects([1.0, None, 3.0]))
    >>> summary = column.summary("feature", np.array([1.0, 3.0]))
    >>> summary.numbers.mean, summary.numbers.sd, summary.n_missing
    (2.0, 1.0, 1)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.sort: Sort = "nothing"
        self.n_rows = 0
        self.n_observed = 0
        self.n_infinite = 0
        self.is_rising = True
        self.digest = 0
        self._mean = 0.0
        self._squares = 0.0
        self._minimum = math.inf
        self._maximum = -math.inf
        self._last = -math.inf
        self._numbers = NumberTally(MOST_DISTINCT)
        self._texts: Tally[str] = Tally(MOST_DISTINCT)

    def add(self, cells: Cells) -> None:
        """Take in the next cells.

        Parameters
        ----------
        cells : Cells
            Of one block of rows.
        """
        self.sort = common_sort([self.sort, cells.sort])
        self.n_rows += len(cells)
        self.n_infinite += int(np.count_nonzero(cells.infinite))
        self.digest = hash((self.digest, zlib.crc32(np.packbits(cells.observed).tobytes())))
        seen = cells.observed_values
        if not len(seen):
            return
        if cells.sort == "text":
            self.is_rising = False
            self.digest = hash((self.digest, tuple(seen.tolist())))
            self._texts.add(sorted(Counter(seen.tolist()).items()))
        elif cells.sort != "other":
            self._add_numbers(seen)
        self.n_observed += len(seen)

    def _add_numbers(self, seen: NDArray[np.float64]) -> None:
        self.digest = hash((self.digest, zlib.crc32(seen.tobytes())))
        if self.is_rising:
            self.is_rising = bool(seen[0] > self._last and (np.diff(seen) > 0).all())
            self._last = float(seen[-1])
        self._minimum = min(self._minimum, float(seen.min()))
        self._maximum = max(self._maximum, float(seen.max()))
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(seen.mean())
            away = mean - self._mean
            total = self.n_observed + len(seen)
            self._squares += float(np.square(seen - mean).sum())
            self._squares += away * away * self.n_observed * len(seen) / total
            self._mean += away * len(seen) / total
        self._numbers.add(seen)

    @property
    def kind(self) -> ValueKind:
        """What the values are."""
        if not self.n_observed:
            return "empty"
        if self.sort in ("number", "bool"):
            zero_one = self._minimum == 0.0 and self._maximum == 1.0
            two = not self._numbers.is_capped and self._numbers.n_distinct == 2
            return "binary" if self.sort == "bool" or (zero_one and two) else "numeric"
        if self.sort == "text":
            return "categorical"
        return "date" if self.sort == "date" else "other"

    def counts(self, n: int | None = None) -> list[tuple[str, int]]:
        """Return the most frequent values as text, with their counts.

        Parameters
        ----------
        n : int or None, default None
            How many; None for all that are told apart.

        Returns
        -------
        list of (str, int)
            In falling order of count, equally frequent ones by value.
        """
        if self.sort == "text":
            merged = Counter(dict(self._texts.most_frequent()))
            merged.update({number_text(v): count for v, count in self._numbers.most_frequent()})
            return sorted(merged.items(), key=lambda item: (-item[1], item[0]))[:n]
        numbers = self._numbers.most_frequent(n)
        if self.sort == "bool":
            return [("True" if value else "False", count) for value, count in numbers]
        return [(number_text(value), count) for value, count in numbers]

    def summary(self, role: Role, sampled: NDArray[np.float64]) -> ColumnSummary:
        """Sum the column up.

        Parameters
        ----------
        role : str
            What the column is for.
        sampled : ndarray of float, shape (n,)
            Observed values of the sampled rows, for quartiles; looked at for numbers only.

        Returns
        -------
        ColumnSummary
            All of it.
        """
        kind = self.kind
        is_capped = self._numbers.is_capped or self._texts.is_capped
        n_distinct = len(self.counts()) if self.sort == "text" else self._numbers.n_distinct
        top = self.counts(_N_TOP) if kind in ("numeric", "binary", "categorical") else []
        if kind == "numeric" and top and top[0][1] == 1:
            top = []
        return ColumnSummary(
            name=self.name,
            role=role,
            kind=kind,
            n_rows=self.n_rows,
            n_observed=self.n_observed,
            n_distinct=MOST_DISTINCT if is_capped else n_distinct,
            is_n_distinct_capped=is_capped,
            numbers=self._number_summary(sampled) if kind in ("numeric", "binary") else None,
            top=tuple(CategoryCount(value, count) for value, count in top),
            earliest=_moment(self._minimum) if kind == "date" else None,
            latest=_moment(self._maximum) if kind == "date" else None,
        )

    def _number_summary(self, sampled: NDArray[np.float64]) -> NumberSummary:
        low, high = self._minimum, self._maximum
        values = sampled if len(sampled) else np.array([low])
        mean, sd = min(max(self._mean, low), high), math.sqrt(self._squares / self.n_observed)
        if low == high:
            mean, sd = low, 0.0
        elif not math.isfinite(sd):  # squares beyond float64: the sample must do
            mean, sd = mean_and_scale(values)
        first, median, third = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        # Within 0 to 1 the bins cannot overflow, whatever the scale of the column.
        within = (values / 2 - low / 2) / (high / 2 - low / 2) if high > low else np.zeros(1)
        bins = np.histogram(within, bins=_N_BINS, range=(0.0, 1.0))[0]
        return NumberSummary(mean, sd, low, high, (first, median, third), tuple(bins.tolist()))


def _moment(microseconds: float) -> str:
    moment = np.datetime64(int(microseconds), "us")
    is_day = int(microseconds) % 86_400_000_000 == 0
    return str(moment.astype("datetime64[D]") if is_day else moment.astype("datetime64[s]"))
