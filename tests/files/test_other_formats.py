"""Parquet, Arrow and Excel files, and what is written."""

from __future__ import annotations

import datetime
import errno
import gzip
import io
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfseen.files import (
    TableFileError,
    TableWriteError,
    open_output,
    open_table,
    output_format,
    table_writer,
)

TYPED = pa.table(
    {
        "i": pa.array([1, None, 2**62], pa.int64()),
        "f": pa.array([0.5, None, 2.5], pa.float32()),
        "d": pa.array([Decimal("2.01"), None, Decimal("9.99")]),
        "c": pa.array(["x", None, "y"]).dictionary_encode(),
        "s": ["a,b", None, "é"],
        "b": [True, None, False],
        "t": pa.array([datetime.date(2024, 5, 31), None, None]),
        "l": [[1], None, []],
    }
)
FILLS: dict[str, Any] = {"i": 7.6, "f": 1.5, "d": 3.333, "c": "z", "s": "new", "b": True}


def write_table(path: Path | str, table: pa.Table, format: Any, dialect: Any = None) -> None:
    with table_writer(path, table.schema, format, dialect) as write:
        write(table)


def fail_after_a_byte(path: Path, error: BaseException) -> None:
    with open_output(path) as file:
        file.write(b"x")
        raise error


def typed_file(folder: Path, format: str) -> Path:
    path = folder / f"a.{format}"
    with table_writer(path, TYPED.schema, format) as write:  # type: ignore[arg-type]
        write(TYPED.slice(0, 2))
        write(TYPED.slice(2))
    return path


def read(path: Path, **options: Any) -> pa.Table:
    with open_table(path, **options) as table:
        return pa.concat_tables(batch.cells for batch in table.batches())


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_typed_files_keep_types_and_values(format: str, tmp_path: Path) -> None:
    path = typed_file(tmp_path, format)
    assert read(path).equals(TYPED)
    filled = tmp_path / f"b.{format}"
    with open_table(path) as table, table_writer(filled, table.schema, table.format) as write:
        for batch in table.batches(max_rows=1):
            cells = batch.cells
            for name, fill in FILLS.items():
                missing = cells.column(name).is_null().to_numpy()
                cells = table.fill(cells, name, missing, [fill] * int(missing.sum()))
            write(cells)
    found = read(filled)
    assert found.schema.equals(TYPED.schema)
    assert found.take([0, 2]).to_pylist() == TYPED.take([0, 2]).to_pylist()
    row = found.to_pylist()[1]
    assert row == {
        "i": 8, "f": 1.5, "d": Decimal("3.33"), "c": "z", "s": "new", "b": True, "t": None,
        "l": None,
    }  # fmt: skip


def test_arrow_streams_are_read(tmp_path: Path) -> None:
    with pa.ipc.new_stream(tmp_path / "a.arrow", TYPED.schema) as writer:
        writer.write_table(TYPED)
    assert read(tmp_path / "a.arrow").equals(TYPED)


def test_formats_are_found_by_content(tmp_path: Path) -> None:
    path = typed_file(tmp_path, "parquet").rename(tmp_path / "notes")
    with open_table(path) as table:
        assert table.format == "parquet"
        table.numbers(table.values(TYPED), "f", range(3))
    path.write_text("a\tb\n1\t2\n")
    assert read(path, format="tsv").to_pydict() == {"a": ["1"], "b": ["2"]}
    with pytest.raises(TableFileError, match=r"no format 'xml'\. Use one of csv, tsv"):
        open_table(path, format="xml")


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_damaged_files_are_refused_or_read(format: str, tmp_path: Path) -> None:
    path = typed_file(tmp_path, format)
    content, n_refused = path.read_bytes(), 0
    generator = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(content[: generator.integers(1, len(content) + 1)])
        damaged[int(generator.integers(len(damaged)))] = int(generator.integers(256))
        path.write_bytes(bytes(damaged))
        try:
            read(path)
        except TableFileError as error:
            n_refused += error.path == str(path)
    assert n_refused > 30


def test_infinite_numbers_are_refused_with_their_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, float("inf")]}), tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet") as table:
        (batch,) = table.batches()
        with pytest.raises(TableFileError, match="data row 12, column 'a'"):
            table.numbers(batch.cells, "a", [10, 11])


def test_names_of_columns_are_checked(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(TableFileError, match="two columns have this name"):
        open_table(tmp_path / "a.parquet")


def test_what_means_missing_in_typed_columns(tmp_path: Path) -> None:
    """As asked: numbers by their values, text letter by letter, in dictionaries too."""
    path, words = tmp_path / "a.parquet", pa.array(["n/k", "NA", "-99"])
    table = pa.table({"age": [31, -99, 4], "size": [-99.0, 1.5, None], "site": words,
                      "code": words.dictionary_encode(), "seen": [[1], [2], None]})  # fmt: skip
    pq.write_table(table, path)
    with open_table(path, missing=["-99", "n/k"]) as opened:
        (batch,) = opened.batches()
        values = opened.values(batch.cells)
        filled = opened.fill(batch.cells, "age", np.array([False, True, False]), [7])
    assert batch.cells.equals(table)
    assert values.drop_columns("seen").to_pydict() == {
        "age": [31, None, 4], "size": [None, 1.5, None],
        "site": [None, "NA", None], "code": [None, "NA", None],
    }  # fmt: skip
    assert filled["age"].to_pylist() == [31, 7, 4]


def test_a_file_without_columns_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({}), tmp_path / "a.parquet")
    with pytest.raises(TableFileError, match="without columns"):
        open_table(tmp_path / "a.parquet")


def test_excel_workbooks(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["age", "size", "seen", "ok", "name"])
    book.active.append([3.0, 1.25, datetime.datetime(2024, 5, 31), True, "x"])
    book.active.append([None, None, None, None, "007"])
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx").to_pylist() == [
        {"age": "3", "size": "1.25", "seen": "2024-05-31", "ok": "True", "name": "x"},
        {"age": "", "size": "", "seen": "", "ok": "", "name": "007"},
    ]
    content = (tmp_path / "a.xlsx").read_bytes()
    (tmp_path / "named.csv").write_bytes(content)
    assert read(tmp_path / "named.csv").num_rows == 2
    for name, damaged in (("b.xlsx", content[:2000]), ("b.csv", b"PK\x03\x04 and no archive")):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(TableFileError, match="no Excel workbook that can be read"):
            open_table(tmp_path / name)
    (tmp_path / "c.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(TableFileError, match="old Excel file"):
        open_table(tmp_path / "c.xls")
    with pytest.raises(TableWriteError, match="read, not written"):
        output_format("filled.xlsx")


def test_excel_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(TableFileError, match=r"halfseen\[excel\]"):
        open_table(tmp_path / "a.xlsx")


def test_text_is_written_with_quotes_where_they_are_needed(tmp_path: Path) -> None:
    columns = {"a,b": ["x", 'say "x"', " y", None], "n": [1.5, float("nan"), 2.0, None]}
    table, path = pa.table(columns), tmp_path / "a.csv.gz"
    contents = []
    for _ in range(2):
        write_table(path, table, output_format(str(path), None))
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    text = gzip.decompress(contents[0]).decode()
    assert text == '"a,b",n\nx,1.5\n"say ""x""",\n" y",2\n,\n'
    write_table(tmp_path / "b.tsv", table.slice(0, 1), "tsv")
    assert (tmp_path / "b.tsv").read_text() == "a,b\tn\nx\t1.5\n"


def test_a_text_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\né,1\n".encode("latin-1"))
    before = path.read_bytes()
    with (
        open_table(path, encoding="latin-1") as table,
        pytest.raises(TableWriteError, match="'日本' cannot be written in iso8859-1"),
    ):
        write_table(path, pa.table([["日本"], ["1"]], table.schema), "csv", table.dialect)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.csv"]


def test_nothing_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="no"):
        fail_after_a_byte(path, RuntimeError("no"))
    with pytest.raises(TableWriteError, match=r"of type list.* cannot be written as text"):
        write_table(path, TYPED, "csv")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only"), (errno.EIO, "")]
)
def test_what_the_system_refuses_is_one_sentence(code: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(TableWriteError, match=f"a.bin.*cannot be written .*{words}"):
        fail_after_a_byte(tmp_path / "a.bin", OSError(code, os.strerror(code)))
    with pytest.raises(TableWriteError, match="no such folder"):
        write_table(tmp_path / "nowhere" / "a.csv", TYPED, "csv")
    with pytest.raises(TableWriteError, match="this is a folder"):
        write_table(tmp_path, TYPED, "csv")
    assert os.listdir(tmp_path) == []


def test_standard_output_and_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    table = pa.table({"a": [1, 2]})
    for format in ("csv", "parquet", "arrow"):
        write_table("-", table, format)
    content = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert content.startswith(b"a\n1\n2\nPAR1")
    parquet = content[len(b"a\n1\n2\n") :].partition(b"ARROW1")[0]
    assert pq.read_table(io.BytesIO(parquet)).equals(table)
    write_table("/dev/null", table, "csv")
    with pytest.raises(BrokenPipeError), open_output("-"):
        raise BrokenPipeError


def test_memory_does_not_grow_with_a_file(tmp_path: Path) -> None:
    path, rng = tmp_path / "a.parquet", np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema([("a", pa.float64())])) as writer:
        for _ in range(20):
            writer.write_table(pa.table({"a": rng.normal(size=100_000)}))
    before, peak = pa.total_allocated_bytes(), 0
    with open_table(path) as table:
        for batch in table.batches():
            peak = max(peak, pa.total_allocated_bytes() - before)
            del batch
    assert path.stat().st_size > 15_000_000
    assert peak < 5_000_000
