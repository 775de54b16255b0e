from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halfseen.files import ColumnRole, TableFileError, open_table, write_filled

Fill = Callable[[pa.Table], Mapping[str, Any]]
CELLS = st.sampled_from(
    ["", "NA", " NA ", '"NA"', '""', '" ? "', "1", "007", "1.50", " 2", '"a,b"', '"a""b"', '"x\ny"',
     "5\"", "é", "red", '"red" ', "-"]
)  # fmt: skip
HOLES = {"", "NA", "?"}


def core(cell: str) -> str:
    cell = cell.strip()
    return cell[1:-1].strip() if len(cell) > 1 and cell.startswith('"') else cell


@st.composite
def awkward_texts(draw: st.DrawFn) -> tuple[list[list[str]], list[str], str]:
    n_columns = draw(st.integers(2, 4))
    rows = draw(
        st.lists(st.lists(CELLS, min_size=n_columns, max_size=n_columns), min_size=1, max_size=12)
    )
    ends = [draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n  \n"])) for _ in rows]
    if draw(st.booleans()):
        ends[-1] = ""
    header = ",".join(f'"c{place}"' for place in range(n_columns)) + "\r\n"
    return rows, ends, draw(st.sampled_from(["", "\ufeff"])) + header


def fill_everything(batch: pa.Table) -> dict[str, Any]:
    """Different values in every row, by what is in the row: they do not depend on the batch."""
    return {
        name: pa.array([f'v{name},"' for _ in range(batch.num_rows)])
        if batch.schema.field(name).type == pa.string()
        else np.arange(batch.num_rows) * 0.0 + 4.5
        for name in batch.column_names
    }


def roles_of(n_columns: int) -> dict[str, ColumnRole]:
    return {f"c{place}": ColumnRole.CATEGORY for place in range(n_columns)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("filled")


@given(awkward_texts(), st.sampled_from(["utf-8", "utf-16-le", "cp1252"]), st.integers(1, 5))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_filling_nothing_copies_every_byte(
    folder: Path, made: tuple[list[list[str]], list[str], str], encoding: str, max_rows: int
) -> None:
    rows, ends, header = made
    text = header + "".join(",".join(row) + end for row, end in zip(rows, ends, strict=True))
    if encoding == "cp1252":
        text = text.removeprefix("\ufeff")
    path, copy = folder / "a.csv", folder / "b.csv"
    path.write_bytes(text.encode(encoding))
    with open_table(path, encoding=encoding, roles=roles_of(len(rows[0]))) as table:
        assert table.n_rows == len(rows)
        counts = write_filled(table, copy, lambda batch: {}, max_rows=max_rows)
    assert copy.read_bytes() == path.read_bytes()
    assert counts.n_filled == 0


@given(awkward_texts(), st.integers(1, 5))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_but_holes_changes(
    folder: Path, made: tuple[list[list[str]], list[str], str], max_rows: int
) -> None:
    rows, ends, header = made
    text = header + "".join(",".join(row) + end for row, end in zip(rows, ends, strict=True))
    path, filled = folder / "a.csv", folder / "b.csv"
    path.write_bytes(text.encode())
    with open_table(path, roles=roles_of(len(rows[0]))) as table:
        counts = write_filled(table, filled, fill_everything, max_rows=max_rows)
        n_missing = sum(column.n_missing for column in table.columns)
        assert (counts.n_filled, counts.n_left) == (n_missing, 0)
        is_quoted = [
            all(cell.startswith('"') for cell in column if core(cell) not in HOLES)
            and any(core(cell) not in HOLES for cell in column)
            for column in zip(*rows, strict=True)
        ]
    expected = header
    for row, end in zip(rows, ends, strict=True):
        cells = []
        for place, cell in enumerate(row):
            if core(cell) not in HOLES:
                cells.append(cell)
            elif cell.startswith('"'):
                at = 1 + len(cell[1:]) - len(cell[1:].lstrip())
                stop = at + len(core(cell))
                cells.append(f'{cell[:at]}vc{place},""{cell[stop:]}')
            else:
                cells.append(f'"vc{place},"""')
        expected += ",".join(cells) + end
    assert filled.read_bytes().decode() == expected
    assert len(is_quoted) == len(rows[0])


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def filled_with(path: Path, fill: Fill, **options: Any) -> str:
    with open_table(path, **options) as table:
        write_filled(table, path, fill)
    return path.read_bytes().decode()


def constant(**values: Any) -> Fill:
    return lambda batch: {name: np.full(batch.num_rows, value) for name, value in values.items()}


def test_numbers_are_written_like_their_neighbours(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "whole,dotted,price,free,sci\n1,1.0,1.50,0.1,1e5\n,,,,\n3,3.0,2.25,0.123456789,2.5\n4,4.0,3.00,7,1e-3\n",
    )
    value = 2.0 + 1 / 3
    read = filled_with(
        path, constant(whole=value, dotted=value, price=value, free=value, sci=value)
    )
    assert read.splitlines()[2] == "2,2.0,2.33,2.33333,2.33333"


def test_decimal_commas_are_written_as_such(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a;b\n1,5;1\n;2\n2,25;3\n3;3\n")
    assert filled_with(path, constant(a=0.5)).splitlines()[2] == "0,5;2"


def test_spaces_around_a_hole_stay_and_quotes_too(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'a,b\n ? ,"NA"\nx, u\ny,v\nz,w\n')
    assert filled_with(path, constant(a="x", b="v")).splitlines()[1] == ' x ,"v"'


def test_a_column_in_quotes_gets_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'a,b\n"x",1\nNA,2\n"y",3\n"z",3\n')
    assert filled_with(path, constant(a="w")).splitlines()[2] == '"w",2'


def test_a_value_that_needs_quotes_gets_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "a\tb\nx\t1\n NA\t2\ny\t3\nz\t3\n")
    assert filled_with(path, constant(a="p\tq")).splitlines()[2] == '"p\tq"\t2'


def test_null_and_nan_leave_a_hole(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1.5,x\nNA,?\n2.5,y\n3,z\n")
    before = path.read_text()

    def fill(batch: pa.Table) -> dict[str, Any]:
        return {
            "a": np.full(batch.num_rows, np.nan),
            "b": pa.nulls(batch.num_rows, pa.string()),
        }

    with open_table(path) as table:
        counts = write_filled(table, path, fill)
    assert path.read_text() == before
    assert (counts.column("a").n_left, counts.column("b").n_left) == (1, 1)


def test_what_is_written_does_not_depend_on_the_size_of_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["a,b"]
    for _ in range(60):
        number = "" if rng.random() < 0.3 else f"{rng.normal():.3f}"
        lines.append(f"{number},{rng.choice(['x', 'y', 'z', 'NA'])}")
    path = write(tmp_path / "a.csv", "\n".join(lines))

    def fill(batch: pa.Table) -> dict[str, Any]:
        kind = batch.column("b").to_pylist()
        return {
            "a": np.array([len(word or "") + 0.5 for word in kind]),
            "b": pa.array(["z"] * len(kind)),
        }

    written = set()
    for max_rows in (1, 3, 64, 1000):
        with open_table(path) as table:
            write_filled(table, tmp_path / "b.csv", fill, max_rows=max_rows)
        written.add((tmp_path / "b.csv").read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp1252", "utf-8-sig", "shift_jis"])
def test_encodings_are_kept(encoding: str, tmp_path: Path) -> None:
    text = "name,size\r\né,1.50\r\nNA,2.25\r\nü,\r\nö,3.50\r\n"
    if encoding == "shift_jis":
        text = text.replace("é", "日").replace("ü", "本").replace("ö", "語")
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    told = None if encoding in ("utf-16", "utf-8-sig") else encoding
    word = "本" if encoding == "shift_jis" else "ü"
    with open_table(path, encoding=told) as table:
        write_filled(table, path, constant(name=word, size=1.0))
    expected = text.replace("NA", word).replace(",\r\n", ",1.00\r\n")
    assert path.read_bytes() == expected.encode(encoding)


def test_a_value_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\né,1\nNA,2\nü,3\nx,3".encode("latin-1"))
    before = path.read_bytes()
    with open_table(path, encoding="latin-1") as table, pytest.raises(TableFileError) as caught:
        write_filled(table, path, constant(a="日"))
    assert (caught.value.row, caught.value.line, caught.value.column) == (2, 3, "a")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.csv"]


def test_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1.5,x\n,y\n2.5,z\n"))
    with open_table(path) as table:
        write_filled(table, tmp_path / "b.csv", constant(a=9))
        write_filled(table, tmp_path / "b.csv.gz", constant(a=9))
        write_filled(table, tmp_path / "c.csv.gz", constant(a=9))
    packed = (tmp_path / "b.csv.gz").read_bytes()
    assert (
        gzip.decompress(packed)
        == (tmp_path / "b.csv").read_bytes()
        == b"a,b\n1.5,x\n9.0,y\n2.5,z\n"
    )
    assert packed == (tmp_path / "c.csv.gz").read_bytes()


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a;b\n1.5;x\n;y\n2.5;z\n")))
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    with open_table("-") as table:
        write_filled(table, "-", constant(a=9))
    assert out.buffer.getvalue() == b"a;b\n1.5;x\n9.0;y\n2.5;z\n"  # type: ignore[attr-defined]


def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1.5,x\n,y\n2.5,z\n")

    def fail(batch: pa.Table) -> dict[str, Any]:
        raise RuntimeError("no")

    with open_table(path) as table, pytest.raises(RuntimeError, match="no"):
        write_filled(table, tmp_path / "b.csv", fail)
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_full_disk_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1.5,x\n,y\n2.5,z\n")

    def full(destination: str, chunks: Iterator[bytes]) -> None:
        next(iter(chunks))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("halfseen.files.write_out.write_beside", full)
    with open_table(path) as table, pytest.raises(TableFileError, match="disk is full") as caught:
        write_filled(table, tmp_path / "b.csv", lambda batch: {})
    assert caught.value.path == str(tmp_path / "b.csv")


def test_a_source_that_changes_on_the_way_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1.5,x\n,y\n2.5,z\n")

    def meddle(batch: pa.Table) -> dict[str, Any]:
        path.write_text("a,b\n1.5,x\n,y\n2.5,z\n1,1\n")
        return {}

    with open_table(path) as table, pytest.raises(TableFileError, match="changed while"):
        write_filled(table, tmp_path / "b.csv", meddle)
    assert os.listdir(tmp_path) == ["a.csv"]


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1,x\n")
    with open_table(path) as table, pytest.raises(TableFileError, match="says parquet"):
        write_filled(table, tmp_path / "b.parquet", lambda batch: {})


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (lambda batch: {"c": np.zeros(batch.num_rows)}, "no column 'c' to fill"),
        (lambda batch: {"a": np.zeros(1)}, "1 values were given to fill 3 rows"),
        (lambda batch: {"a": np.full(3, np.inf)}, "infinite"),
    ],
)
def test_wrong_values_are_refused(fill: Fill, words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1.5,x\n,y\n2.5,z\n")
    with open_table(path) as table, pytest.raises(TableFileError, match=words):
        write_filled(table, path, fill)


def test_at_least_one_row_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1,x\n")
    with open_table(path) as table, pytest.raises(ValueError, match="max_rows is 0"):
        write_filled(table, path, lambda batch: {}, max_rows=0)
