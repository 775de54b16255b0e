"""What the owner of a table should look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from halfseen.inspection.column_accumulator import ColumnAccumulator
from halfseen.inspection.find_duplicates import find_duplicates
from halfseen.inspection.find_leaks import find_leaks
from halfseen.inspection.find_missing_marks import find_missing_marks
from halfseen.inspection.find_suspect_columns import find_suspect_columns
from halfseen.inspection.label_coverage import LabelCoverage
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_warning import TableWarning, WarningKind


def find_warnings(
    sampled: Sequence[SampledColumn],
    columns: Sequence[ColumnAccumulator],
    labels: Sequence[LabelCoverage],
    n_empty_rows: int,
) -> tuple[TableWarning, ...]:
    """Find what the owner of a table should look at.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns in the sampled rows.
    columns : sequence of ColumnAccumulator
        The same columns over all rows.
    labels : sequence of LabelCoverage
        The labels.
    n_empty_rows : int
        Rows in which no feature is observed.

    Returns
    -------
    tuple of TableWarning
        What matters most first.

    Examples
    --------
    >>> find_warnings([], [], [], 2)[0].sentence
    'In 2 rows no feature is observed; nothing can be said of them but averages.'
    """
    found = find_leaks(sampled) + _about_labels(labels) + find_suspect_columns(sampled, columns)
    found += find_missing_marks(sampled) + find_duplicates(sampled, columns)
    if n_empty_rows:
        rows = "1 row" if n_empty_rows == 1 else f"{n_empty_rows} rows"
        them = "it" if n_empty_rows == 1 else "them"
        sentence = f"In {rows} no feature is observed; nothing can be said of {them} but averages."
        found.append(TableWarning(None, "empty rows", sentence))
    return tuple(sorted(found, key=lambda warning: get_args(WarningKind).index(warning.kind)))


def _about_labels(labels: Sequence[LabelCoverage]) -> list[TableWarning]:
    found = []
    for label in labels:
        if not label.n_known:
            sentence = f"No value of the label {label.name} is known; it cannot be learned."
            found.append(TableWarning(label.name, "no labels", sentence))
        elif label.n_classes == 1:
            sentence = (
                f"All {label.n_known} known values of the label {label.name} are "
                f"{label.classes[0].value}; a second class is needed to learn it."
            )
            found.append(TableWarning(label.name, "one class", sentence))
    return found
