"""Columns that hold the same."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.inspection.column_accumulator import ColumnAccumulator
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_warning import TableWarning


def find_duplicates(
    sampled: Sequence[SampledColumn], columns: Sequence[ColumnAccumulator]
) -> list[TableWarning]:
    """Find columns that hold the same values and the same holes as a column before them.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns in the sampled rows.
    columns : sequence of ColumnAccumulator
        The same columns over all rows.

    Returns
    -------
    list of TableWarning
        Columns with one value or none are not among them.

    Examples
    --------
    >>> find_duplicates([], [])
    []
    """
    first: dict[int, str] = {}
    found = []
    for sample, column in zip(sampled, columns, strict=True):
        if not sample.is_used or len(sample.distinct) < 2:
            continue
        before = first.setdefault(column.digest, column.name)
        if before != column.name:
            sentence = f"{column.name} holds the same as {before} in every row; one is enough."
            found.append(TableWarning(column.name, "duplicate", sentence))
    return found
