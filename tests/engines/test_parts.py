"""One part of a table: what all engines share, and the one-liners of the guide."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from engines.conftest import FEATURES, LABELS, N
from halfseen import RBMClassifier, RBMImputer
from halfseen.engines import complete


def test_complete_is_the_models_and_keeps_all_columns(table: pd.DataFrame, model: Any) -> None:
    filled = complete(table, model)
    of_model = model.complete(table[FEATURES], table[LABELS])
    assert list(filled) == list(table)
    assert filled.dtypes.to_dict() == table.dtypes.to_dict()
    assert_frame_equal(filled[FEATURES], of_model.X)
    assert_frame_equal(filled[LABELS], of_model.y)
    assert_frame_equal(filled[["id"]], table[["id"]])
    assert filled[FEATURES + LABELS].notna().all(axis=None)


def test_containers_agree(table: pd.DataFrame, model: Any) -> None:
    filled = complete(table, model)
    arrow = pa.Table.from_pandas(table)
    assert complete(arrow, model).schema.equals(arrow.schema, check_metadata=True)
    assert_frame_equal(
        complete(arrow, model).to_pandas(), pa.table(arrow).from_pandas(filled).to_pandas()
    )
    batch = arrow.to_batches()[0]
    assert complete(batch, model).equals(pa.Table.from_pandas(filled).to_batches()[0])
    frame = pl.from_arrow(arrow)
    assert complete(frame, model).equals(pl.from_arrow(pa.Table.from_pandas(filled)))


def test_rows_without_columns_of_the_model_are_refused(table: pd.DataFrame, model: Any) -> None:
    with pytest.raises(ValueError, match="no column of the model: 'number'"):
        complete(table[["id"]], model)
    with pytest.warns(UserWarning, match="'skewed' are absent"):
        filled = complete(table.drop(columns="skewed"), model)
    assert list(filled) == list(table.drop(columns="skewed"))
    nameless = RBMImputer(n_iter=1, random_state=0).fit([[0, 1], [1, None], [0, 1], [1, 0]])
    with pytest.raises(ValueError, match="without names of columns"):
        complete(table, nameless)


def test_one_target(table: pd.DataFrame) -> None:
    y = table["text"]
    one = RBMClassifier(n_iter=2, random_state=0, validation_fraction=0.0).fit(
        table[["number", "count"]], y
    )
    X = table[["count", "number", "text"]]
    of_model = one.complete(X[["number", "count"]], X["text"])
    assert complete(X, one)["text"].tolist() == of_model.y.tolist()


@pytest.fixture
def folder(table: pd.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "in"
    path.mkdir()
    for k, part in enumerate(np.array_split(np.arange(N), 3)):
        frame = table.reset_index().iloc[part]
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path / f"{k}.parquet")
    return path


@pytest.fixture
def expected(folder: Path, model: Any) -> pa.Table:
    return complete(pq.read_table(folder), model)


def test_polars_line(folder: Path, model: Any, tmp_path: Path, expected: pa.Table) -> None:
    out = tmp_path / "out.parquet"
    rows = pl.scan_parquet(f"{folder}/*.parquet")
    rows.map_batches(partial(complete, model=model), streamable=True).sink_parquet(out)
    assert pl.read_parquet(out).equals(pl.from_arrow(expected))


def test_arrow_lines(folder: Path, model: Any, tmp_path: Path, expected: pa.Table) -> None:
    rows = ds.dataset(folder)
    batches = (complete(batch, model) for batch in rows.to_batches())
    ds.write_dataset(batches, tmp_path / "out", schema=rows.schema, format="parquet")
    assert pq.read_table(tmp_path / "out").equals(expected)


def test_duckdb_lines(folder: Path, model: Any, tmp_path: Path, expected: pa.Table) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(f"from '{folder}/*.parquet'").to_arrow_reader(50)
    filled = pa.RecordBatchReader.from_batches(rows.schema, (complete(b, model) for b in rows))
    duckdb.connect().from_arrow(filled).write_parquet(f"{tmp_path}/out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.drop_columns("colour").equals(
        expected.drop_columns("colour").cast(found.drop_columns("colour").schema)
    )
    assert found["colour"].to_pylist() == expected["colour"].to_pylist()
