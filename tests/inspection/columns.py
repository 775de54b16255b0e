"""Sampled columns made from plain cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halfseen.inspection.column_accumulator import ColumnAccumulator
from halfseen.inspection.column_summary import Role
from halfseen.inspection.read_objects import read_objects
from halfseen.inspection.sampled_column import SampledColumn


def accumulated(cells: Mapping[str, Sequence[Any]]) -> tuple[ColumnAccumulator, ...]:
    """One accumulator per column, fed with all its cells."""
    made = []
    for name, objects in cells.items():
        column = ColumnAccumulator(name)
        column.add(read_objects(list(objects)))
        made.append(column)
    return tuple(made)


def sampled(
    cells: Mapping[str, Sequence[Any]], labels: Sequence[str] = ()
) -> tuple[SampledColumn, ...]:
    """All columns, all rows sampled."""
    made = []
    for column, objects in zip(accumulated(cells), cells.values(), strict=True):
        read = read_objects(list(objects))
        role: Role = "label" if column.name in labels else "feature"
        numbers = read.observed_values if read.sort != "text" else np.zeros(0)
        made.append(SampledColumn(column.summary(role, numbers), read.values, read.observed))
    return tuple(made)
