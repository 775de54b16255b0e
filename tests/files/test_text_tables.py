"""CSV and TSV: every cell keeps its text; what cannot be read is refused with its place."""

from __future__ import annotations

import csv
import gzip
import io
import os
import random
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halfseen.data.raw import read_column
from halfseen.files import MISSING_MARKS, TableFileError, open_table, table_writer
from halfseen.files.cells import TextStyle, observed_text, read_numbers, typed_column
from halfseen.files.source import format_of_name

CELL = st.text(st.sampled_from('ab1.,;"\r\n \tNA?\0é日\ufeff\u2028\x0b'), max_size=6)
ALL_CHECKS = list(HealthCheck)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    n = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(CELL, min_size=n, max_size=n), max_size=8))
    return [f"c{j}" for j in range(n)], rows


def text_of(rows: Sequence[Sequence[str]], delimiter: str, line_end: str) -> str:
    def quoted(cell: str) -> str:
        needed = re.search(f'["\r\n{re.escape(delimiter)}]', cell) or not cell.strip(" \t")
        return '"' + cell.replace('"', '""') + '"' if needed else cell

    return "".join(delimiter.join(map(quoted, row)) + line_end for row in rows)


def write(folder: Path, text: str, name: str = "a.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def cells(path: Path, max_rows: int = 3, **options: Any) -> list[list[str]]:
    with open_table(path, **options) as table:
        batches = list(table.batches(max_rows))
    return [list(row.values()) for batch in batches for row in batch.cells.to_pylist()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None, suppress_health_check=ALL_CHECKS)
def test_every_cell_is_read_and_written_as_it_is(
    folder: Path,
    made: tuple[list[str], list[list[str]]],
    delimiter: str,
    line_end: str,
    encoding: str,
    ends: bool,
) -> None:
    names, rows = made
    text = text_of([names, *rows], delimiter, line_end)
    text = text if ends else text.removesuffix(line_end)
    path = write(folder, text, encoding=encoding)
    options = {"delimiter": delimiter, "encoding": "utf-16-be" if "be" in encoding else None}
    assert cells(path, **options) == rows
    copy = folder / "b.csv"
    with (
        open_table(path, **options) as table,
        table_writer(copy, table.schema, "csv", table.dialect) as write_rows,
    ):
        for batch in table.batches(3):
            write_rows(batch.cells)
    assert cells(copy, **options) == rows
    written = copy.read_bytes().decode(encoding)
    assert written.startswith(delimiter.join(names))
    assert written.endswith(line_end) == ends or not rows or '"' in written[-2:]


def test_long_tables_are_cut_into_blocks_without_a_trace(tmp_path: Path) -> None:
    generator = random.Random(0)
    words = ["x", "", "007", "1.50", "a,b", 'say "x"', "two\r\nlines", "é", "\r\n\r\n"]
    rows = [
        [generator.choice(words) * generator.randint(1, 9) for _ in "ab"] for _ in range(300_000)
    ]
    path = write(tmp_path, text_of([["a", "b"], *rows], ",", "\r\n"))
    assert path.stat().st_size > 6 << 20
    assert cells(path, max_rows=10_000) == rows


def test_line_ends_inside_cells_are_kept_wherever_blocks_end(tmp_path: Path) -> None:
    for shift in range(3):
        rows = [["x" * (4090 + shift), "\r\n"]] * 1500
        path = write(tmp_path, text_of([["a", "b"], *rows], ",", "\n"))
        assert cells(path, max_rows=10_000) == rows


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,2\t3\n", "\t"),
        ("a|b|c\n1|2|3\n", "|"),
        ('"x;y",b\n"1;2",2\n', ","),
        ("a\n1;2\n3|4\n", ","),
        ("a;b\n", ";"),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str, tmp_path: Path) -> None:
    with open_table(write(tmp_path, text)) as table:
        assert table.dialect is not None
        assert table.dialect.delimiter == delimiter


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = write(tmp_path, '\n  \n"a\nb", c ,d\n\n1,2,3\n   \n\n4,5,6')
    with open_table(path) as table:
        assert table.names == ("a\nb", "c", "d")
        assert table.schema.names == ["a\nb", " c ", "d"]
    assert cells(path) == [["1", "2", "3"], ["4", "5", "6"]]
    assert cells(write(tmp_path, " \n\na\n\n1\n")) == [["1"]]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    for text in ("a,b\n", "a,b", "a,b\n\n\n"):
        path = write(tmp_path, text)
        assert cells(path) == []
        with open_table(path) as table:
            assert table.sample(5).n_rows == 0


def test_a_header_longer_than_the_first_look(tmp_path: Path) -> None:
    names = [f"column number {place}" for place in range(20_000)]
    with open_table(write(tmp_path, ";".join(names) + "\n1\n")) as table:
        assert list(table.names) == names
    with pytest.raises(TableFileError, match="the header is too long"):
        open_table(write(tmp_path, "x" * 20_000_000))


@pytest.mark.parametrize(
    ("text", "words", "line", "row", "column"),
    [
        ("a,b,a\n1,2,3\n", "two columns have this name", None, 0, "a"),
        ("a,,c\n", "no name", None, 0, "number 2"),
        (",a\n0,1\n", "index=False", None, 0, "number 1"),
        ("a\0,b\n", "NUL", 1, 0, None),
        ("a,b\n1,2\n\n3\n4,5\n", "has 1 cell, but the header has 2", 4, 2, "b"),
        ('a,b\n"x\ny",2\n1,2,3\n', "has 3 cells, but the header has 2", 4, 2, "b"),
        ('a,b\n1,2\n3,"4\n5,6\n7,8\n', "a quote is never closed", 3, 2, None),
        ('a,b\n1,"2', "a quote is never closed", 2, 1, None),
    ],
)
def test_what_cannot_be_split_is_refused_with_its_place(
    text: str, words: str, line: int | None, row: int, column: str | None, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(TableFileError, match=words) as caught:
        cells(path)
    error = caught.value
    assert (error.path, error.line, error.row, error.column) == (str(path), line, row, column)


def test_a_row_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b\n1,2\n3,"' + "x\n" * 3_000_000)
    with pytest.raises(TableFileError, match="never closed") as caught:
        cells(path)
    assert (caught.value.line, caught.value.row) == (3, 2)
    path = write(tmp_path, "a,b\n1,2\n3," + "x" * 12_000_000 + "\n")
    with pytest.raises(TableFileError, match="line 3"):
        cells(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\n1,2\né,3\n".encode("latin-1"))
    with pytest.raises(TableFileError, match=r"line 3.*0xe9.*--encoding"):
        cells(path)
    assert cells(path, encoding="latin-1") == [["1", "2"], ["é", "3"]]
    path.write_bytes("a,b\n1,2\n".encode("utf-16-le"))
    with pytest.raises(TableFileError, match="utf-16"):
        open_table(path)
    assert cells(path, encoding="utf-16-le") == [["1", "2"]]
    with pytest.raises(TableFileError, match="no text encoding named 'klingon'"):
        open_table(path, encoding="klingon")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n", b"  \r\n"])
def test_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(TableFileError, match="the file is empty"):
        open_table(path)


@pytest.mark.parametrize("delimiter", ["", ",,", "a", '"', "\n", "é"])
def test_some_characters_cannot_separate(delimiter: str, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="cannot separate"):
        open_table(write(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, "a,b\n", "devices.csv")
    with pytest.raises(TableFileError, match=r"no such file\. Did you mean 'devices.csv'"):
        open_table(tmp_path / "device.csv")
    with pytest.raises(TableFileError, match="this is a folder"):
        open_table(tmp_path)
    with pytest.raises(TableFileError, match="this is a device"):
        open_table("/dev/zero")


def test_standard_input_and_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a;b\n1;x\n")))
    assert cells("-") == [["1", "x"]]  # type: ignore[arg-type]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[gzip.compress(b"a,b\n1,2\n")])
    writer.start()
    assert cells(pipe) == [["1", "2"]]
    writer.join()


def test_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    content = gzip.compress(b"a,b\n1.50,x\n,y\n" * 1000)
    path.write_bytes(content)
    assert cells(path)[0] == ["1.50", "x"]
    path.write_bytes(content[:-20])
    with pytest.raises(TableFileError, match="damaged or cut off"):
        cells(path)
    path.write_bytes(gzip.compress(bytes(100_000_000)))
    with pytest.raises(TableFileError, match="the header is too long"):
        open_table(path)


def test_missing_marks(tmp_path: Path) -> None:
    text = "a,b\n" + "\n".join(f'"{mark}", {mark} ' for mark in MISSING_MARKS) + "\n-,0\n -99 ,n/k"
    path = write(tmp_path, text)
    for marks, n_missing in ((MISSING_MARKS, (15, 15)), ((*MISSING_MARKS, "-99", "n/k"), (16, 16))):
        with open_table(path, missing_marks=marks) as table:
            (batch,) = table.batches()
            found = table.values(batch.cells)
        assert tuple(column.null_count for column in found.columns) == n_missing
    assert found.column("b").to_pylist()[-2:] == ["0", None]


NUMBERS = st.sampled_from(
    ["0", "-0", "7", "007", "1.50", "1.", ".5", "-.5", "1e5", "1E-3", "1e9999", "+7", "inf", "nan",
     "0x1F", "1_0", "1,5", "12345678901234567890", "9007199254740993", "9007199254740992.5", "½",
     "x", "1 2", "--", "-", "1e", "³"]
)  # fmt: skip


@given(st.lists(NUMBERS | st.none(), min_size=1, max_size=4).filter(any))
@settings(max_examples=300, deadline=None)
def test_text_is_a_number_by_the_rule_of_python(texts: list[str | None]) -> None:
    """What a file reads as numbers is what `halfseen.data` does, cell by cell."""
    from halfseen.files.cells import typed_column

    column = typed_column(pa.array(texts, pa.string()))
    raw = read_column(texts)
    assert pa.types.is_string(column.type) == (raw.kind != "number")
    if raw.kind == "number":
        assert column.drop_null().to_pylist() == raw.seen.tolist()


def test_types_of_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "i;f;c;b;z;m\n1;1.5;1,5;True;01001;x\n;;2;false;01002;1\nNA;?;;;;\n")
    with open_table(path) as table:
        (batch,) = table.batches()
        typed = table.typed(table.values(batch.cells))
    assert [str(column) for column in typed.schema.types] == [
        "int64", "double", "double", "bool", "string", "string",
    ]  # fmt: skip
    assert typed.column("c").to_pylist() == [1.5, 2.0, None]
    assert typed.column("b").to_pylist() == [True, False, None]
    # Between commas a decimal comma is no number, and may separate thousands.
    with open_table(write(tmp_path, 'a,b\n"1,5",1\n"2,5",2\n')) as table:
        (batch,) = table.batches()
        assert table.typed(table.values(batch.cells)).column("a").to_pylist() == ["1,5", "2,5"]


def test_a_text_among_numbers_is_an_error_where_numbers_are_needed(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n" + "1,2\n" * 30 + '"x\ny",2\nn/k,2\n')
    with open_table(path) as table:
        found = table.sample(100)
        values = table.values(found.cells)
        with pytest.raises(TableFileError, match=r"line 32 \(data row 31\), column 'a'"):
            table.numbers(values, "a", found.rows)
        (mixed,) = table.mixed_columns(values)
    assert (mixed.name, mixed.text, mixed.position) == ("a", "x\ny", 30)
    assert mixed.problem == r"'x\ny' is not a number, but 30 of 32 values are"


@pytest.mark.parametrize(
    ("column", "fills", "written"),
    [
        (["1", "", "3"], [7.6], "8"),
        (["1.0", "", "3.0"], [7.6], "8.0"),
        (["1.50", "", "2.25"], [1 / 3], "0.33"),
        (["0.1", "", "0.123456789"], [1 / 3], "0.333333"),
        (["0.1", "", "0.12"], [1234567.8], "1234568"),
        (["0.10", "", "0.12"], [-0.001], "0.00"),
        (["TRUE", "", "FALSE"], [True], "TRUE"),
        (["x", "", "y"], ['say "x, y"'], 'say "x, y"'),
        (["", "", ""], [2.5], "2.5"),
    ],
)
def test_fills_are_written_as_their_neighbours(
    column: list[str], fills: list[Any], written: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text_of([["a", "b"], *([cell, "1"] for cell in column)], ",", "\n"))
    with open_table(path) as table:
        (batch,) = table.batches()
        table.values(batch.cells)
        filled = table.fill(batch.cells, "a", np.array([False, True, False]), fills)
    assert filled.column(0).to_pylist() == [column[0], written, column[2]]
    assert filled.column(1).to_pylist() == ["1", "1", "1"]


def test_fills_with_decimal_commas(tmp_path: Path) -> None:
    with open_table(write(tmp_path, "a;b\n1,50;1\n;2\n2,25;3\n")) as table:
        (batch,) = table.batches()
        table.values(batch.cells)
        filled = table.fill(batch.cells, "a", np.array([False, True, False]), [0.5])
    assert filled.column(0).to_pylist() == ["1,50", "0,50", "2,25"]


def test_samples_are_uniform_and_nested(tmp_path: Path) -> None:
    path = write(tmp_path, "a\n" + "\n".join(map(str, range(50_000))))
    with open_table(path) as table:
        small, large = table.sample(1000, seed=3), table.sample(4000, seed=3)
        other, everything = table.sample(1000, seed=4), table.sample(10**6)
    assert small.n_rows == 50_000
    assert small.cells.column(0).to_pylist() == list(map(str, small.rows.tolist()))
    assert (np.diff(small.rows) > 0).all()
    assert set(small.rows) < set(large.rows)
    assert set(small.rows) != set(other.rows)
    assert np.array_equal(everything.rows, np.arange(50_000))
    counts = np.histogram(small.rows, bins=10, range=(0, 50_000))[0]
    assert counts.min() > 60
    # Whoever hid entries by the same seed would get a sample of hidden entries alone.
    smallest = np.sort(np.argsort(np.random.default_rng(3).random(50_000))[:1000])
    assert len(set(small.rows) & set(smallest)) < 100


def test_any_bytes_are_a_table_or_an_error_with_the_name_of_the_file(tmp_path: Path) -> None:
    generator = random.Random(0)
    path, n_good = tmp_path / "a.csv", 0
    alphabet = [
        b"a",
        b"1",
        b",",
        b";",
        b'"',
        b"\n",
        b"\r",
        b" ",
        b"\xe9",
        b"\xc3\xa9",
        b"\0",
        b"NA",
    ]
    for _ in range(400):
        weights = [9, 9, 9, 2, 1, 9, 2, 3, generator.random() < 0.1, 1, generator.random() < 0.1, 3]
        path.write_bytes(b"".join(generator.choices(alphabet, weights, k=generator.randint(1, 60))))
        error = None
        try:
            found = cells(path)
        except TableFileError as caught:
            error = caught
        if error is not None:
            assert str(error).startswith(str(path))
            continue
        n_good += 1
        with open_table(path) as table:
            names, delimiter = table.names, table.dialect.delimiter  # type: ignore[union-attr]
        records = list(
            csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), delimiter=delimiter)
        )
        rows = [r for r in records if r and (len(r) > 1 or r[0].strip(" \t"))]
        assert [name.strip(" \t") for name in rows[0]] == list(names)
        if len(names) > 1:
            assert rows[1:] == found
    assert n_good > 30


def test_text_of_cells() -> None:
    cells = pa.chunked_array([[" 1.50", "NA "]])
    assert observed_text(cells, MISSING_MARKS).to_pylist() == ["1.50", None]
    numbers, is_other = read_numbers(pa.array(["1,5", None, "x"]), decimal_comma=True)
    assert numbers.to_pylist() == [1.5, None, None]
    assert is_other.tolist() == [False, False, True]
    for column, type in ((["1", None], "int64"), (["1", "2.5"], "double"), (["007"], "string")):
        assert typed_column(pa.array(column)).type == type
    assert typed_column(pa.array(["True"])).type == pa.bool_()
    assert list(map(format_of_name, ("a.TSV.gz", "a.pq", "notes"))) == ["tsv", "parquet", None]


def test_new_cells_look_like_the_others() -> None:
    style = TextStyle.learn(pa.array(["1,50", "2,25"]), decimal_comma=True)
    assert style.write([2.346, 7]) == ["2,35", "7,00"]
    # No more decimals than any of them.
    assert TextStyle.learn(pa.array(["0.5", "1.25"])).write([2 / 3]) == ["0.67"]
    style = TextStyle.learn(pa.array(["TRUE", "x"]))
    assert style.write([True, "y", 1 / 3, 1234567.8]) == ["TRUE", "y", "0.333333", "1234568"]
