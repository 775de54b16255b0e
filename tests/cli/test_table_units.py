from __future__ import annotations

import pyarrow as pa
import pytest

from halfseen.cli.table_units import encoded_units
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


@pytest.mark.parametrize("y", [["a", "b", "a"], [[0, 1], [1, 0], [1, 1]]])
def test_known_labels_are_pinned_and_absent_ones_unknown(y: list[object]) -> None:
    X, target = read_table([[1.0], [2.0], [3.0]]), read_target(y)
    schema = Schema(learn_columns(X), learn_target_columns(target), target.kind)
    names = [column.name for column in schema.targets]
    rows = [row if isinstance(row, list) else [row] for row in y]
    labels = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    table = pa.table({"x0": [1.0, 2.0, 3.0], **labels})
    encoded = encoded_units(schema, table)
    assert (encoded.visible == schema.encode(X, target).visible).all()
    assert encoded.observed.all()
    blind = encoded_units(schema, table.select(["x0"]))
    assert not blind.observed[:, schema.is_target_unit].any()
