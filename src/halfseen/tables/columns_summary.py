"""Learned columns as a plain text table."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.tables.column import Column

_HEADER = ("name", "kind", "units", "transform", "n_observed")


def columns_summary(columns: Sequence[Column]) -> str:
    """Write learned columns as a plain text table.

    Parameters
    ----------
    columns : sequence of Column
        The columns.

    Returns
    -------
    str
        A header, and one line per column: its name, kind, visible units, transform (of a numeric
        column, "-" for every other) and number of observed training entries.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table([[0, "red"], [250, None], [7, "blue"]])
    >>> print(columns_summary(learn_columns(table, {"x0": "log"})))
    name  kind         units       transform  n_observed
    x0    numeric      1 gaussian  log                 3
    x1    categorical  2 softmax   -                   2
    """
    lines = [_HEADER, *map(_cells, columns)]
    widths = [max(map(len, entries)) for entries in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [
                *(cell.ljust(w) for cell, w in zip(line[:-1], widths[:-1], strict=True)),
                line[-1].rjust(widths[-1]),
            ]
        )
        for line in lines
    )


def _cells(column: Column) -> tuple[str, str, str, str, str]:
    # A line break in a name would break its line in two.
    name = column.name if column.name.isprintable() else repr(column.name)
    units = f"{column.n_units} {column.unit}" if column.n_units else "none"
    transform = column.transform if column.kind == "numeric" else "-"
    return name, column.kind, units, transform, str(column.n_observed)
