"""Where an entry stands, in words for an error message."""

from __future__ import annotations


def column_name(y: object, column: int) -> str:
    """Name a column the way the user knows it.

    Parameters
    ----------
    y : object
        What the user passed; a frame knows the names of its columns.
    column : int
        Position of the column.

    Returns
    -------
    str
        Such as ``"column 'beach'"``, or ``"column 2"`` without names.

    Examples
    --------
    >>> column_name([[0, 1]], 1)
    'column 1'
    """
    names = getattr(y, "columns", None)
    return f"column {column}" if names is None else f"column {list(names)[column]!r}"


def place(y: object, n_dimensions: int, row: int, column: int) -> str:
    """Name one entry by its row, and by its column where there are several.

    Parameters
    ----------
    y : object
        What the user passed.
    n_dimensions : int
        1 when `y` has no columns, else 2.
    row, column : int
        Position of the entry, counted from 0.

    Returns
    -------
    str
        Such as ``"row 3, column 'beach'"``.

    Examples
    --------
    >>> place([0, 1], 1, 1, 0)
    'row 1'
    >>> place([[0, 1]], 2, 0, 1)
    'row 0, column 1'
    """
    return f"row {row}" if n_dimensions == 1 else f"row {row}, {column_name(y, column)}"
