"""Generated telemetry as a Parquet file."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfseen.experiments import telemetry as room
from halfseen.experiments.telemetry import telemetry
from halfseen.experiments.write_telemetry import write_telemetry


def test_the_file_holds_what_is_observed(tmp_path: Path) -> None:
    path = tmp_path / "devices.parquet"
    write_telemetry(path, 5000, 15, seed=2, n_labels=3, batch_rows=2000)
    rows = telemetry(5000, 15, 3, 2)
    table = pq.read_table(path)
    assert pq.ParquetFile(path).num_row_groups == 3
    assert table.column_names == ["device", "customer", *rows.names, *rows.label_names]
    assert table["device"][4999].as_py() == "d000004999"
    truth = np.concatenate([rows.X, rows.y], axis=1)
    observed = np.concatenate([rows.observed_X, rows.observed_y], axis=1)
    for j, name in enumerate(rows.names + rows.label_names):
        column = table[name]
        np.testing.assert_array_equal(column.is_valid().to_numpy(), observed[:, j])
        seen = column.drop_null().to_numpy().astype(np.float32)
        np.testing.assert_array_equal(seen, truth[observed[:, j], j])
    assert table.schema.field("alert_00").type == pa.int32()
    assert table.schema.field("threat_0").type == pa.int8()
    assert [entry.name for entry in tmp_path.iterdir()] == ["devices.parquet"]


def test_no_rows_make_an_empty_table(tmp_path: Path) -> None:
    write_telemetry(tmp_path / "none.parquet", 0, 5)
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "devices.parquet"
    path.write_bytes(b"before")
    whole = room._block

    def fails(world: room._World, seed: int, block: int, holes: room.TelemetryHoles) -> object:
        if block == 1:
            raise OSError("full")
        return whole(world, seed, block, holes)

    monkeypatch.setattr(room, "_block", fails)
    with pytest.raises(OSError, match="full"):
        write_telemetry(path, 9000, 5, batch_rows=4096)
    assert path.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


def test_without_pyarrow_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install \"halfseen\["):
        write_telemetry(tmp_path / "x.parquet", 5)
