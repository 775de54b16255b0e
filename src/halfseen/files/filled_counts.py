"""How many holes were filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class FilledColumn(NamedTuple):
    """Holes of one column that were filled, and holes that stayed.

    Examples
    --------
    >>> FilledColumn("age", 3, 0)
    FilledColumn(name='age', n_filled=3, n_left=0)
    """

    name: str
    n_filled: int
    n_left: int


@dataclass(frozen=True)
class FilledCounts:
    """How many holes of a table file were filled, and how many stayed.

    Attributes
    ----------
    n_rows : int
        Data rows written.
    columns : tuple of FilledColumn
        One per column of the file, in file order.

    Examples
    --------
    >>> counts = FilledCounts(4, (FilledColumn("age", 3, 0), FilledColumn("id", 0, 1)))
    >>> counts.n_filled, counts.n_left, counts.column("id").n_left
    (3, 1, 1)
    """

    n_rows: int
    columns: tuple[FilledColumn, ...]

    @property
    def n_filled(self) -> int:
        """Holes that were filled, over all columns."""
        return sum(column.n_filled for column in self.columns)

    @property
    def n_left(self) -> int:
        """Holes that stayed, over all columns."""
        return sum(column.n_left for column in self.columns)

    def column(self, name: str) -> FilledColumn:
        """Counts of one column.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        FilledColumn
            Its counts.
        """
        return next(column for column in self.columns if column.name == name)
