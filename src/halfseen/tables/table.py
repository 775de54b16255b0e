"""A table as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.number_columns import NumberColumns
from halfseen.tables.raw_column import RawColumn


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read: columns with names.

    Attributes
    ----------
    columns : sequence of RawColumn
        The columns in their order.
    names : tuple of str
        Frame column names as text; "x0", "x1", ... for arrays.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> from halfseen.tables import read_table
    >>> table = read_table([[1.0, "red"], [None, "blue"]])
    >>> table.names, table.n_rows
    (('x0', 'x1'), 2)
    """

    columns: Sequence[RawColumn]
    names: tuple[str, ...]
    n_rows: int

    def rows(self, rows: slice | NDArray[np.integer]) -> Table:
        """Some of its rows.

        Examples
        --------
        >>> from halfseen.tables import read_table
        >>> read_table([[1.0], [2.0], [None]]).rows(np.array([2, 1])).columns[0].observed
        array([False,  True])
        """
        columns = self.columns
        if isinstance(columns, NumberColumns):
            some: Sequence[RawColumn] = columns.rows(rows)
        else:
            some = tuple(column.rows(rows) for column in columns)
        if isinstance(rows, slice):
            return Table(some, self.names, len(range(*rows.indices(self.n_rows))))
        return Table(some, self.names, len(rows))
