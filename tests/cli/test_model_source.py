from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cli.tiny import MODEL, tiny_table
from halfseen import load
from halfseen.cli.model_source import ModelSource, open_for_model
from halfseen.cli.reading import Reading
from halfseen.cli.terminal import Terminal
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


@pytest.fixture(scope="module")
def schema() -> Schema:
    return load(MODEL).schema_


def opened(folder: Path, frame: pd.DataFrame, schema: Schema, *, lenient: bool) -> ModelSource:
    path = folder / "t.csv"
    frame.to_csv(path, index=False)
    return open_for_model(
        str(path), schema, Reading(), Terminal(quiet=True), allow_missing_columns=lenient
    )


def test_columns_come_in_the_models_order(tmp_path: Path, schema: Schema) -> None:
    frame = tiny_table()[["colour", "name", "y", "weight", "sold", "size"]]
    source = opened(tmp_path, frame, schema, lenient=False)
    assert source.passed == ["name"]
    (batch,) = source.batches()
    assert batch.column_names == ["size", "weight", "sold", "colour", "y"]
    assert [str(kind) for kind in batch.schema.types] == ["double"] * 3 + ["string"] * 2
    assert source.without_labels(batch).column_names == ["size", "weight", "sold", "colour"]


def test_columns_that_are_not_there_are_missing_everywhere(tmp_path: Path, schema: Schema) -> None:
    frame = tiny_table().drop(columns=["colour", "size", "y"])
    source = opened(tmp_path, frame, schema, lenient=True)
    assert source.absent == ("size", "colour", "y")
    table, rows = source.sample(5, 0)
    assert [table[name].null_count for name in ("size", "colour", "y")] == [5, 5, 5]
    assert table["size"].type == "double"
    assert len(rows) == 5


def test_codes_that_look_like_decimals_stay_texts(tmp_path: Path) -> None:
    codes = ["1.10", "1.20", "1.30"] * 10
    X = read_table([[code, 1.5 * k] for k, code in enumerate(codes)])
    y = read_target(["a", "b"] * 15)
    schema = Schema(learn_columns(X), learn_target_columns(y), "classes")
    frame = pd.DataFrame({"x0": codes, "x1": range(30)})
    (batch,) = opened(tmp_path, frame, schema, lenient=False).batches()
    assert batch["x0"].to_pylist() == codes


def test_wide_models_take_fewer_rows_at_a_time() -> None:
    def rows_for(n_columns: int) -> int:
        columns = learn_columns(read_table([[0.5] * n_columns, [1.5] * n_columns]))
        return ModelSource(None, Schema(columns, (), None), ()).rows_at_once  # type: ignore[arg-type]

    assert rows_for(2) > rows_for(1000) >= 256
    assert rows_for(1000) % 256 == 0
