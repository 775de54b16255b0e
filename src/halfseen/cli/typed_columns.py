"""Columns of a file in the types that a model takes them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfseen.cli.problem import Problem

if TYPE_CHECKING:
    import pyarrow

    from halfseen.files import TableFile
    from halfseen.tables import Schema


def typed_for_fit(table: pyarrow.Table, source: TableFile, labels: Sequence[str]) -> pyarrow.Table:
    """Turn columns of 0 and 1, and whole numbers among the labels, into whole numbers.

    Parameters
    ----------
    table : pyarrow.Table
        Rows of the file.
    source : TableFile
        The file.
    labels : sequence of str
        Label columns.

    Returns
    -------
    pyarrow.Table
        The same columns; two texts other than 0 and 1 stay texts.
    """
    import pyarrow as pa

    for position, name in enumerate(table.column_names):
        column, whole = table.column(position), source.column(name).is_integer
        if pa.types.is_string(column.type) and source.column(name).role.value != "category":
            numbers = zeros_and_ones(column)
        elif name in labels and whole and pa.types.is_floating(column.type):
            numbers = column.cast(pa.int64())
        else:
            continue
        if numbers is not None:
            table = table.set_column(position, name, numbers)
    return table


def zeros_and_ones(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray | None:
    """A column of the texts of 0 and 1 as whole numbers; None if it holds anything else.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Of texts.

    Returns
    -------
    pyarrow.ChunkedArray or None

    Examples
    --------
    >>> import pyarrow as pa
    >>> zeros_and_ones(pa.chunked_array([["0.0", None, "1.0"]])).to_pylist()
    [0, None, 1]
    >>> zeros_and_ones(pa.chunked_array([["1", "2"]])) is None
    True
    """
    import pyarrow as pa

    texts = column.unique().drop_null().to_pylist()
    try:
        values = {float(text) for text in texts}
    except ValueError:
        return None
    if not values or not values <= {0.0, 1.0}:
        return None
    return column.cast(pa.float64()).cast(pa.int64())


def typed_for_model(table: pyarrow.Table, schema: Schema, path: str) -> pyarrow.Table:
    """Turn texts into numbers where the model has numbers, and the reverse.

    Parameters
    ----------
    table : pyarrow.Table
        Rows of a file.
    schema : Schema
        Columns of the model.
    path : str
        The file, for messages.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    Problem
        A text is no number.
    """
    import pyarrow as pa

    for column in schema.columns:
        if column.name not in table.column_names:
            continue
        position = table.column_names.index(column.name)
        cells = table.column(position)
        is_text = pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)
        wants_text = column.holds_text
        if is_text and not wants_text:
            try:
                cells = cells.cast(pa.float64())
            except pa.ArrowInvalid as error:
                raise Problem(
                    f"{path}, column {column.name!r}: the model learned numbers here, and the "
                    f"file holds text ({error}).",
                    "Use a file that is written like the one the model was fitted on.",
                ) from error
        elif wants_text and not is_text and not pa.types.is_dictionary(cells.type):
            if pa.types.is_floating(cells.type):  # whole numbers, or else they came as texts
                cells = cells.cast(pa.int64())
            cells = cells.cast(pa.string())
        else:
            continue
        table = table.set_column(position, column.name, cells)
    return table
