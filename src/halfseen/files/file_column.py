"""One column of a table file, as the scan found it."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.files.column_role import ColumnRole


@dataclass(frozen=True)
class FileColumn:
    """One column of a table file, as the scan found it.

    Attributes
    ----------
    name : str
        Its name in the header, without the spaces around it.
    role : ColumnRole
        What it is for.
    reason : str
        Why, in one clause.
    n_missing : int
        Number of holes.
    is_integer : bool
        Every observed value is a whole number.
    n_distinct : int or None
        Number of different observed values; None when there are more than are counted.
    examples : tuple of str
        A few observed values, in file order, as they stand in the file.

    Examples
    --------
    >>> FileColumn("age", ColumnRole.NUMBER, "all 3 values are numbers", 1, True, 3, ("31", "7"))
    FileColumn(name='age', role=<ColumnRole.NUMBER: 'number'>, reason='all 3 values are numbers',
               n_missing=1, is_integer=True, n_distinct=3, examples=('31', '7'))
    """

    name: str
    role: ColumnRole
    reason: str
    n_missing: int
    is_integer: bool
    n_distinct: int | None
    examples: tuple[str, ...]
