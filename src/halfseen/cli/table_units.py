"""Rows of a table as visible units of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfseen.tables import Encoded, Schema, read_table, read_target

if TYPE_CHECKING:
    import pyarrow


def encoded_units(schema: Schema, table: pyarrow.Table) -> Encoded:
    """Rows of a table as visible units beside `observed`.

    Parameters
    ----------
    schema : Schema
        Columns of the model.
    table : pyarrow.Table
        With all features; labels that it lacks are unknown.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> import pyarrow as pa
    >>> from halfseen.tables import learn_columns
    >>> table = pa.table({"a": [1.0, 3.0, None]})
    >>> schema = Schema(learn_columns(read_table(table)), (), None)
    >>> encoded_units(schema, table).visible.tolist()
    [[-1.0], [1.0], [0.0]]
    """
    features = read_table(table.select([column.name for column in schema.features]))
    names = [column.name for column in schema.targets]
    if not names or any(name not in table.column_names for name in names):
        return schema.encode(features, None)
    # One column of classes is handed over as such: a table of one column would be warned about.
    y = table.column(names[0]) if schema.target_kind == "classes" else table.select(names)
    return schema.encode(features, read_target(y, schema.target_kind))  # type: ignore[arg-type]
