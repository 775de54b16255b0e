"""Three hundred hostile files: each is read correctly, or refused with its place."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from files.hostile import Hostile, hostile_file
from halfseen.files import TableFile, TableFileError, open_table, write_filled

N_FILES = 300
CHUNK = 20


def plain(content: bytes) -> bytes:
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def text_of(table: TableFile, content: bytes) -> str:
    return plain(content).decode(table.body.layout.stream.encoding)  # type: ignore[attr-defined]


def check_right(hostile: Hostile, table: TableFile, path: Path) -> None:
    """The cells are those that the standard library reads, and a copy is the same file."""
    text = text_of(table, hostile.content).removeprefix("\ufeff")
    delimiter = chr(table.body.layout.delimiter)  # type: ignore[attr-defined]
    marks = table.body.missing_marks  # type: ignore[attr-defined]
    rows = [
        [cell.strip(" \t") for cell in row]
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        if row and (len(row) > 1 or len(table.columns) == 1 or row[0].strip(" \t"))
    ]
    assert [column.name for column in table.columns] == rows[0]
    read = pa.concat_tables(list(table.batches(max_rows=7)))
    for place, column in enumerate(table.columns):
        expected = [row[place] if row[place] not in marks else None for row in rows[1:]]
        assert column.n_missing == expected.count(None)
        found = read.column(place).to_pylist()
        if column.role.value == "number":
            numbers = [None if cell is None else float(cell.replace(",", ".")) for cell in expected]
            assert found == numbers
        else:
            assert found == expected
    copy = path.with_name("copy-" + path.name)
    write_filled(table, copy, lambda batch: {})
    assert plain(copy.read_bytes()) == plain(hostile.content)


def check_refused(error: TableFileError, path: Path) -> None:
    """The error names the file, and the row where there are rows at all."""
    assert error.path == str(path)
    assert str(error).startswith(str(path))
    is_about_the_whole = any(
        words in str(error) for words in ("the file is empty", "no text encoding named")
    )
    assert is_about_the_whole or error.row is not None
    if error.row:
        assert error.line is not None
        assert error.line > error.row
        assert error.column is not None


@pytest.mark.parametrize("first", range(0, N_FILES, CHUNK))
def test_each_is_read_correctly_or_refused_with_its_place(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + CHUNK):
        hostile = hostile_file(seed)
        path = tmp_path / hostile.name
        path.write_bytes(hostile.content)
        try:
            table = open_table(path, encoding=hostile.encoding)
        except TableFileError as error:
            check_refused(error, path)
            continue
        with table:
            check_right(hostile, table, path)


def test_the_generator_makes_both_good_and_bad_files(tmp_path: Path) -> None:
    n_good = 0
    problems = set()
    for seed in range(40):
        hostile = hostile_file(seed)
        path = tmp_path / hostile.name
        path.write_bytes(hostile.content)
        try:
            open_table(path, encoding=hostile.encoding).close()
            n_good += 1
        except TableFileError as error:
            problems.add(str(error).split(": ", 1)[1].split(" ")[-1] + str(error.row is None))
    assert n_good >= 5
    assert len(problems) >= 5


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_damaged_typed_files_are_refused_or_read(kind: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = pa.table({"a": [1, None, 3] * 20, "s": pa.array(["x", "y", None] * 20)})
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=25)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=25)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    n_refused = 0
    for _ in range(40):
        damaged = bytearray(content[: rng.integers(1, len(content) + 1)])
        damaged[int(rng.integers(len(damaged)))] = int(rng.integers(256))
        path.write_bytes(bytes(damaged))
        try:
            with open_table(path) as opened:
                assert sum(batch.num_rows for batch in opened.batches(7)) == opened.n_rows
        except TableFileError as error:
            n_refused += error.path == str(path)
    assert n_refused > 20
