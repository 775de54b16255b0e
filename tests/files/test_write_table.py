from __future__ import annotations

import csv
import gzip
import io
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files import TableFileError, open_table, write_table

TABLES = [
    pa.table({"n": [1.5, None, float("nan")], "w": ['a"b', "x,y", None], "t": [True, None, False]}),
    pa.table({"n": [2.0], "w": [" z"], "t": [True]}),
]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_text(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / ("a.csv" if delimiter == "," else "a.tsv")
    assert write_table(path, iter(TABLES)) == 4
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows == [
        ["n", "w", "t"],
        ["1.5", 'a"b', "true"],
        ["", "x,y", ""],
        ["", "", "false"],
        ["2", " z", "true"],
    ]


def test_compressed_text(tmp_path: Path) -> None:
    write_table(tmp_path / "a.csv", TABLES)
    write_table(tmp_path / "a.csv.gz", TABLES)
    packed = gzip.decompress((tmp_path / "a.csv.gz").read_bytes())
    assert packed == (tmp_path / "a.csv").read_bytes()


def test_typed(tmp_path: Path) -> None:
    whole = pa.concat_tables(TABLES)
    assert write_table(tmp_path / "a.parquet", TABLES) == 4
    assert str(pq.read_table(tmp_path / "a.parquet").to_pydict()) == str(whole.to_pydict())
    assert write_table(tmp_path / "x", TABLES, format="arrow") == 4
    with pa.ipc.open_file(tmp_path / "x") as reader:
        assert str(reader.read_all().to_pydict()) == str(whole.to_pydict())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@given(st.lists(st.text(alphabet='a ,"\n\r\té', max_size=5), min_size=1, max_size=8), st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_again(folder: Path, words: list[str], is_alone: bool) -> None:
    path = folder / "a.csv"
    columns = {"w": words} if is_alone else {"w": words, "n": [1.5] * len(words)}
    write_table(path, [pa.table(columns)])
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    assert [row[0] for row in rows[1:]] == words


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr("sys.stdout", out)
    write_table("-", [pa.table({"a": [1]})])
    assert out.buffer.getvalue() == b"a\n1\n"  # type: ignore[attr-defined]


def test_nothing_and_nested_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="nothing to write"):
        write_table(tmp_path / "a.csv", [])
    with pytest.raises(TableFileError, match="cannot be written as text") as caught:
        write_table(tmp_path / "a.csv", [pa.table({"a": [{"x": 1}]})])
    assert caught.value.column == "a"
    with pytest.raises(TableFileError, match="folder that exists"):
        write_table(tmp_path / "no" / "a.csv", [pa.table({"a": [1]})])
    assert os.listdir(tmp_path) == []


def test_other_columns_in_a_later_piece_are_refused(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.csv", "a.arrow"):
        with pytest.raises(TableFileError, match="other columns"):
            write_table(tmp_path / name, [pa.table({"a": [1]}), pa.table({"b": [1]})])
    assert os.listdir(tmp_path) == []


def test_a_written_file_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_table(path, [pa.table({"a": [0.1, 0.25, None], "k": ["x", None, "y"]})])
    with open_table(path) as table:
        (batch,) = table.batches()
    assert batch.to_pydict() == {"a": [0.1, 0.25, None], "k": ["x", None, "y"]}
