"""Parquet and Arrow files as record batches."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfseen.files import parquet_source
from halfseen.files.arrow_source import BytesSink
from halfseen.files.ipc_source import IpcSource
from halfseen.files.parquet_source import ParquetSource

TABLE = pa.table({"a": list(range(100)), "b": ["x", "y"] * 50})


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("is_stream", [False, True])
def test_compression_of_arrow_files_is_kept(codec: str, is_stream: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "a.arrow")
    new = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    table = pa.table({"a": [1.5] * 1000, "b": ["x", "y"] * 500})
    with new(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table)
    source = IpcSource(path)
    sink = BytesSink()
    with source.writer(sink) as writer:
        for raw in source.batches(300, None):
            assert raw.batch.num_rows <= 300
        writer.write(table)
    content = b"".join(sink.drain())
    assert abs(len(content) - (tmp_path / "a.arrow").stat().st_size) < 400
    assert (content[:6] == b"ARROW1") is not is_stream


def test_row_groups_that_are_too_large_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "a.parquet")
    pq.write_table(TABLE, path, row_group_size=60)
    assert [raw.ends_group for raw in ParquetSource(path).batches(30, None)] == [
        False, True, False, True,
    ]  # fmt: skip
    monkeypatch.setattr(parquet_source, "_GROUP_BYTES", 25 * 16)
    monkeypatch.setattr(parquet_source, "_BATCH_BYTES", 20 * 16)
    raws = list(ParquetSource(path).batches(30, None))
    assert [raw.batch.num_rows for raw in raws] == [20, 20, 20, 20, 20]
    assert [raw.ends_group for raw in raws] == [False, True, True, False, True]
    assert pa.Table.from_batches([raw.batch for raw in raws]).equals(TABLE)
