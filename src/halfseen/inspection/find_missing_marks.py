"""Values that look like marks of missing cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.cells import number_text
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_warning import TableWarning

_FEWEST_ROWS = 3
_SMALLEST_SHARE = 0.001
_FEWEST_OTHER_VALUES = 3
_LARGE_CODES = frozenset({2147483647.0, -2147483648.0, 4294967295.0, -32768.0})
_TEXT_MARKS = frozenset(
    {"", "?", "-", "--", ".", "#n/a", "(null)", "<na>", "missing", "n/a", "na", "nan", "nil",
     "none", "not available", "null", "unk", "unknown"}
)  # fmt: skip


def find_missing_marks(sampled: Sequence[SampledColumn]) -> list[TableWarning]:
    """Find values that look like marks of missing cells, and ask whether they are.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns.

    Returns
    -------
    list of TableWarning
        For numbers such as -999 or 9999 that stand far apart from all others of their column, or
        are its only negative value, and for texts such as "?" or "unknown".

    Examples
    --------
    >>> find_missing_marks([])
    []
    """
    found = []
    for column in sampled:
        if not column.is_used:
            continue
        for value, n_rows in _marks(column):
            sentence = (
                f"{column.name} holds {value} in {n_rows} of {len(column.observed)} rows looked "
                "at. Does that mean that the value is missing? If so, declare it a missing mark."
            )
            found.append(TableWarning(column.name, "missing mark", sentence))
    return found


def _marks(column: SampledColumn) -> Iterator[tuple[str, int]]:
    if column.summary.kind == "categorical":
        for value, count in zip(column.distinct.tolist(), column.counts.tolist(), strict=True):
            if str(value).strip().lower() in _TEXT_MARKS:
                yield repr(value), count
        return
    if column.summary.kind != "numeric":
        return
    values, counts = column.distinct, column.counts
    for end in (0, -1):
        enough = max(_FEWEST_ROWS, _SMALLEST_SHARE * counts.sum())
        rest = np.delete(values, end) if len(values) else values
        if len(rest) < _FEWEST_OTHER_VALUES or counts[end] < enough:
            continue
        if _is_code(float(values[end])) and _stands_apart(float(values[end]), rest):
            yield number_text(float(values[end])), int(counts[end])


def _is_code(value: float) -> bool:
    """-1, or nines only (-9, -99, 99, 999, -999.0, ...), or an end of the whole numbers."""
    if not value.is_integer() or abs(value) > 1e10:
        return False
    if value in _LARGE_CODES or value == -1.0:
        return True
    digits = str(int(abs(value)))
    return set(digits) == {"9"} and (value < 0 or len(digits) > 1)


def _stands_apart(value: float, rest: NDArray[np.float64]) -> bool:
    low, high = float(rest[0]), float(rest[-1])
    if value == -1.0:
        return low >= 0.0 and bool((rest == np.floor(rest)).all())
    if value < 0.0 <= low:
        return True
    gap = low - value if value < low else value - high
    return gap > high - low
