"""What is wrong with a table file, where, and what helps."""

from __future__ import annotations

from os import PathLike, fspath


class TableFileError(ValueError):
    """What is wrong with a table file, where, and what helps.

    Parameters
    ----------
    problem : str
        What is wrong, without place and full stop.
    path : str or path-like
        The file; "-" for standard input or output.
    remedy : str
        What helps, without full stop.
    row : int or None
        Data row, counted from 1; 0 is the header.
    line : int or None
        Line as an editor numbers it, of text files.
    column : str or None
        Name of the column, or its number where it has no name.

    Attributes
    ----------
    path : str
        The file.
    row, line : int or None
        As above.
    column : str or None
        As above.

    Examples
    --------
    >>> print(TableFileError("'n/k' is no number", path="a.csv", row=3, line=4, column="age",
    ...                      remedy="Declare the column a category"))
    a.csv, line 4 (data row 3), column 'age': 'n/k' is no number. Declare the column a category.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | PathLike[str],
        remedy: str,
        row: int | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.path = fspath(path)
        self.row = row
        self.line = line
        self.column = column
        places = [self.path if self.path != "-" else "standard stream -"]
        if line is not None:
            places.append(f"line {line} ({_row_words(row)})" if row is not None else f"line {line}")
        elif row is not None:
            places.append(_row_words(row))
        if column is not None:
            places.append(f"column {column!r}")
        super().__init__(f"{', '.join(places)}: {problem}. {remedy}.")


def _row_words(row: int) -> str:
    return f"data row {row}" if row else "the header"
