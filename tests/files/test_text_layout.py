from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.files import TableFileError
from halfseen.files.text_layout import TextLayout, find_text_layout
from halfseen.files.text_stream import TextStream


def layout_of(content: bytes, folder: Path, delimiter: str | None = None) -> TextLayout:
    path = folder / "a.csv"
    path.write_bytes(content)
    return find_text_layout(TextStream.open(str(path), "a.csv", None), delimiter)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"a,b\n1,2\n", ","),
        (b"a;b\n1,5;2,5\n", ";"),
        (b"a\tb\n1,2\t3\n", "\t"),
        (b"a|b|c\n1|2|3\n", "|"),
        (b'"x;y",b\n"1;2",2\n', ","),
        (b"a\n1;2\n3|4\n", ","),
        (b"a,b,c\n1,2\n3,4,5\n", ","),
        (b"a;b\n", ";"),
    ],
)
def test_the_delimiter_is_found_out(content: bytes, delimiter: str, tmp_path: Path) -> None:
    assert chr(layout_of(content, tmp_path).delimiter) == delimiter


def test_the_header_ends_where_the_rows_begin(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf\r\n\n"a\nb", c ,"d""e"\r\n\r\n1,2,3\r\n'
    layout = layout_of(content, tmp_path)
    assert layout.names == ("a\nb", "c", 'd"e')
    assert layout.header == b'\xef\xbb\xbf\r\n\n"a\nb", c ,"d""e"\r\n'


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_header_longer_than_the_first_look(delimiter: str, tmp_path: Path) -> None:
    names = [f"column number {place}" for place in range(20_000)]
    layout = layout_of((delimiter.join(names) + "\n1\n").encode(), tmp_path)
    assert list(layout.names) == names


def test_a_header_that_never_ends_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="the header is too long"):
        layout_of(b"x" * 20_000_000, tmp_path)


@pytest.mark.parametrize(
    ("content", "words", "line", "column"),
    [
        (b"a,b,a\n1,2,3\n", "two columns have this name", 1, "a"),
        (b"\n\na,,c\n", "no name", 3, "number 2"),
        (b",a\n0,1\n", "index=False", 1, "number 1"),
        (b'a,"b\n1,2\n', "never closed", 1, "number 2"),
        (b"a\0,b\n", "NUL byte", 1, None),
        (b"a,\xff\n", "0xff", 1, None),
    ],
)
def test_a_header_that_cannot_be_used_is_refused(
    content: bytes, words: str, line: int, column: str | None, tmp_path: Path
) -> None:
    with pytest.raises(TableFileError, match=words) as caught:
        layout_of(content, tmp_path)
    assert (caught.value.row, caught.value.line, caught.value.column) == (0, line, column)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"\n\n", b"  \r\n"])
def test_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="the file is empty"):
        layout_of(content, tmp_path)


@pytest.mark.parametrize("delimiter", ["", ",,", "a", '"', "\n", "é"])
def test_some_characters_cannot_separate(delimiter: str, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="cannot separate"):
        layout_of(b"a,b\n1,2\n", tmp_path, delimiter)


def test_a_delimiter_that_is_told(tmp_path: Path) -> None:
    assert layout_of(b"a:b,c\n", tmp_path, ":").names == ("a", "b,c")
