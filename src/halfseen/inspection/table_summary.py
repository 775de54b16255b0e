"""What is in a table."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.inspection.column_summary import ColumnSummary
from halfseen.inspection.label_coverage import LabelCoverage
from halfseen.inspection.pattern import Pattern
from halfseen.inspection.randomness_test import RandomnessTest
from halfseen.inspection.table_warning import TableWarning


@dataclass(frozen=True)
class TableSummary:
    """What is in a table.

    Everything in it is plain text, numbers and tuples, so that ``dataclasses.asdict`` of it can be
    written as JSON.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    n_sampled_rows : int
        Rows that quartiles, the randomness test and some warnings were computed from.
    columns : tuple of ColumnSummary
        In the order of the table.
    patterns : tuple of Pattern
        Which columns are observed together, most frequent first, at most fifty.
    n_rows_in_other_patterns : int
        Rows whose pattern is not listed.
    labels : tuple of LabelCoverage
        One per label column.
    n_rows_without_label : int or None
        Rows in which no label is known; None where there is no label column.
    n_empty_rows : int
        Rows in which no feature is observed.
    randomness : RandomnessTest
        Whether holes look completely at random.
    warnings : tuple of TableWarning
        What the owner of the table should look at.

    Examples
    --------
    >>> from halfseen.inspection import inspect_table
    >>> import numpy as np
    >>> summary = inspect_table([np.array([[1.0, np.nan], [2.0, 5.0]])])
    >>> summary.n_rows, summary.names, summary.share_missing
    (2, ('x0', 'x1'), 0.25)
    """

    n_rows: int
    n_sampled_rows: int
    columns: tuple[ColumnSummary, ...]
    patterns: tuple[Pattern, ...]
    n_rows_in_other_patterns: int
    labels: tuple[LabelCoverage, ...]
    n_rows_without_label: int | None
    n_empty_rows: int
    randomness: RandomnessTest
    warnings: tuple[TableWarning, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in the order of the table."""
        return tuple(column.name for column in self.columns)

    @property
    def share_missing(self) -> float:
        """Share of cells that are not observed."""
        n_cells = self.n_rows * len(self.columns)
        return sum(column.n_missing for column in self.columns) / n_cells if n_cells else 0.0
