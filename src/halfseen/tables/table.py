"""A table as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
