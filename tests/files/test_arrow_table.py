"""Parquet and Arrow files: nothing but holes changes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfseen.files import ColumnRole, TableFileError, open_table, write_filled

NAN = float("nan")


def awkward_table() -> pa.Table:
    n = 30
    cycle = {
        "i8": pa.array([1, None, 120] * (n // 3), pa.int8()),
        "u64": pa.array([1, None, 2**63 + 5] * (n // 3), pa.uint64()),
        "i64": pa.array([2**60 + 1, None, 5] * (n // 3), pa.int64()),
        "f32": pa.array([0.1, None, NAN] * (n // 3), pa.float32()),
        "f64": pa.array([0.1, NAN, -0.0] * (n // 3), pa.float64()),
        "f16": pa.array(np.array([0.5, NAN, 2.0] * (n // 3), dtype=np.float16)),
        "truth": pa.array([True, None, False] * (n // 3)),
        "text": pa.array(["x", None, "NA"] * (n // 3)),
        "large": pa.array(["x", None, "y"] * (n // 3), pa.large_string()),
        "view": pa.array(["x", None, "y"] * (n // 3), pa.string_view()),
        "words": pa.DictionaryArray.from_arrays(
            pa.array([0, None, 1] * (n // 3), pa.int8()), ["lo", "hi"], ordered=True
        ),
        "money": pa.array(
            [Decimal("1.50"), None, Decimal("-3.25")] * (n // 3), pa.decimal128(7, 2)
        ),
        "when": pa.array(
            [dt.datetime(2024, 1, 1), None, dt.datetime(2024, 1, 2)] * (n // 3),
            pa.timestamp("ns", "UTC"),
        ),
        "day": pa.array([dt.date(2024, 1, 1), None, dt.date(2024, 1, 2)] * (n // 3)),
        "raw": pa.array([b"x", None, b"\x00"] * (n // 3)),
        "nested": pa.array([[1, None], None, []] * (n // 3), pa.list_(pa.int8())),
        "nothing": pa.nulls(n),
    }
    fields = [
        pa.field(name, array.type, metadata={"unit": name} if name == "f64" else None)
        for name, array in cycle.items()
    ]
    return pa.table(list(cycle.values()), schema=pa.schema(fields, metadata={"made by": "us"}))


def fill(batch: pa.Table) -> dict[str, Any]:
    n = batch.num_rows
    return {
        "i8": np.full(n, 300.6),
        "u64": np.full(n, 1e30),
        "i64": np.full(n, 7.5),
        "f32": np.full(n, 1 / 3),
        "f64": np.full(n, 1 / 3),
        "f16": np.full(n, 1.5),
        "truth": pa.array([True] * n),
        "text": pa.array(["new"] * n),
        "large": pa.array(["new"] * n),
        "view": pa.array(["new"] * n),
        "words": pa.array(["hi"] * n),
        "money": np.full(n, 2.005),
    }


EXPECTED = {
    "i8": 127, "u64": 2**64 - 2048, "i64": 8, "f32": float(np.float32(1 / 3)), "f64": 1 / 3,
    "f16": 1.5, "truth": True, "text": "new", "large": "new", "view": "new", "words": "hi",
    "money": Decimal("2.00"),
}  # fmt: skip


def write(table: pa.Table, path: Path, kind: str) -> None:
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=7, compression="ZSTD")
    elif kind == "arrow":
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(path, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=7)
    else:
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=7)


def read(path: Path, kind: str) -> pa.Table:
    if kind == "parquet":
        return pq.read_table(path)
    if kind == "arrow":
        with pa.ipc.open_file(path) as reader:
            return reader.read_all()
    with pa.ipc.open_stream(path) as reader:
        return reader.read_all()


def is_hole(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(value != value))


@pytest.mark.parametrize("max_rows", [3, 1000])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_nothing_but_holes_changes(kind: str, max_rows: int, tmp_path: Path) -> None:
    table = awkward_table()
    if kind == "parquet":
        table = table.drop_columns(["f16"]) if pa.__version__ < "15" else table
    path, filled = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    write(table, path, kind)
    source = read(path, kind)
    with open_table(path) as opened:
        counts = write_filled(opened, filled, fill, max_rows=max_rows)
    result = read(filled, kind)
    assert result.schema.equals(source.schema, check_metadata=True)
    for name in source.column_names:
        for old, new in zip(
            source.column(name).to_pylist(), result.column(name).to_pylist(), strict=True
        ):
            if is_hole(old) and name in EXPECTED:
                assert new == EXPECTED[name], name
            elif is_hole(old):
                assert is_hole(new)
            else:
                assert new == old
                assert str(new) == str(old)
    assert counts.column("f32").n_filled == 20
    assert counts.column("when").n_left == 10


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_filling_nothing_keeps_nulls_apart_from_nan(kind: str, tmp_path: Path) -> None:
    path, copy = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    write(awkward_table(), path, kind)
    with open_table(path) as opened:
        write_filled(opened, copy, lambda batch: {})
    old, new = read(path, kind), read(copy, kind)
    assert new.schema.equals(old.schema, check_metadata=True)
    for name in old.column_names:
        assert new.column(name).null_count == old.column(name).null_count
        assert str(new.column(name).to_pylist()) == str(old.column(name).to_pylist())


def test_row_groups_compression_and_metadata_are_kept(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"a": [1.5, None, 2.5, 3.0], "k": pd.Categorical(["x", None, "y", "x"])},
        index=pd.Index([10, 20, 30, 40], name="where"),
    )
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.Table.from_pandas(frame), path, row_group_size=3, compression={"a": "GZIP", "k": "NONE"}
    )
    before = pq.ParquetFile(path)
    with before, open_table(path) as opened:
        write_filled(
            opened, path, lambda batch: {"a": np.zeros(batch.num_rows), "k": ["y"] * batch.num_rows}
        )
        old = before.metadata
        with pq.ParquetFile(path) as after:
            new = after.metadata
            assert [new.row_group(i).num_rows for i in range(2)] == [3, 1]
            assert new.metadata[b"pandas"] == old.metadata[b"pandas"]
            for place in range(2):
                codec = new.row_group(0).column(place).compression
                assert codec == old.row_group(0).column(place).compression
    expected = frame.fillna({"a": 0.0})
    expected["k"] = expected["k"].fillna("y")
    pd.testing.assert_frame_equal(pd.read_parquet(path), expected)


def test_new_words_of_a_dictionary_in_many_batches(tmp_path: Path) -> None:
    words = pa.array(["a", None, "b", None, "a", None]).dictionary_encode()
    for kind in ("parquet", "arrow", "arrows"):
        path = tmp_path / f"a.{kind}"
        write(pa.table({"w": words, "n": [1.5, 2, 3, 4, 5, 6]}), path, kind)
        with open_table(path, roles={"w": ColumnRole.CATEGORY}) as opened:
            write_filled(
                opened,
                path,
                lambda batch: {"w": [f"new{int(v)}" for v in batch.column("n").to_pylist()]},
                max_rows=2,
            )
        assert read(path, kind).column("w").to_pylist() == ["a", "new2", "b", "new4", "a", "new6"]


def test_types_in_batches(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(awkward_table(), path, "parquet")
    with open_table(path) as opened:
        roles = {column.name: column.role.value for column in opened.columns}
        assert roles == {
            "i8": "yes_no", "u64": "identifier", "i64": "identifier", "f32": "constant",
            "f64": "number", "f16": "number", "truth": "yes_no", "text": "yes_no",
            "large": "yes_no", "view": "yes_no", "words": "yes_no", "money": "number",
            "when": "date", "day": "date", "raw": "text", "nested": "text", "nothing": "empty",
        }  # fmt: skip
        batches = list(opened.batches(4))
        assert {batch.schema for batch in batches} == {batches[0].schema}
        whole = pa.concat_tables(batches)
    assert whole.column("f64").to_pylist()[:3] == [0.1, None, 0.0]
    assert whole.column("money").to_pylist()[:3] == [1.5, None, -3.25]
    assert whole.column("truth").to_pylist()[:3] == [True, None, False]
    assert whole.column("i8").to_pylist()[:3] == ["1", None, "120"]
    assert whole.column("words").to_pylist()[:3] == ["lo", None, "hi"]
    assert whole.column("when").type == pa.timestamp("ns", "UTC")


def test_a_value_that_the_type_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(awkward_table(), path, "parquet")
    before = path.read_bytes()
    for name, values in (("truth", ["maybe"] * 30), ("i8", ["x"] * 30), ("nothing", ["x"] * 30)):
        with (
            open_table(path) as opened,
            pytest.raises(TableFileError, match="cannot hold") as caught,
        ):
            write_filled(
                opened,
                path,
                lambda batch, n=name, v=values: {n: v[: batch.num_rows]},  # type: ignore[misc]
            )
        assert caught.value.column == name
        assert caught.value.row is not None
        assert path.read_bytes() == before


def test_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(pa.table({"a": np.arange(50) * 1.5, "b": ["x", "y"] * 25}), path, "parquet")
    with open_table(path) as opened:
        rows, indices = opened.sample_rows(9, seed=3, columns=["b", "a"])
        assert rows.column_names == ["b", "a"]
        assert rows.column("a").to_pylist() == (indices * 1.5).tolist()
        assert opened.sample_rows(0, seed=3)[0].num_rows == 0


def test_columns_are_read_in_the_order_asked_for(tmp_path: Path) -> None:
    for kind in ("parquet", "arrow", "arrows"):
        path = tmp_path / f"a.{kind}"
        write(pa.table({"a": [1.5, 2.5, 3.5], "a.b": ["x", "y", "x"]}), path, kind)
        with open_table(path) as opened:
            (batch,) = opened.batches(columns=["a.b", "a"])
            assert batch.to_pydict() == {"a.b": ["x", "y", "x"], "a": [1.5, 2.5, 3.5]}


def test_infinity_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(pa.table({"a": [1.5, None, float("inf"), 2.0]}), path, "parquet")
    with pytest.raises(TableFileError, match="infinite") as caught:
        open_table(path)
    assert (caught.value.row, caught.value.column) == (3, "a")
    with open_table(path, roles={"a": ColumnRole.IDENTIFIER}) as opened:
        assert opened.n_rows == 4


def test_repeated_and_empty_names_and_no_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    one = pa.array([1, 2])
    for table, words in (
        (pa.table([one, one], names=["a", "a"]), "two columns"),
        (pa.table([one, one], names=["a", ""]), "no name"),
        (pa.table({"a": pa.array([], pa.int8())}), "no row"),
        (pa.table({}), "no columns"),
    ):
        write(table, path, "arrow")
        with pytest.raises(TableFileError, match=words):
            open_table(path)
