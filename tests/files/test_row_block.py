from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files import TableFileError
from halfseen.files.row_block import n_line_ends, read_rows
from halfseen.files.text_layout import TextLayout, find_text_layout
from halfseen.files.text_stream import TextStream


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows") / "a.csv"


def layout_of(path: Path, content: bytes) -> TextLayout:
    path.write_bytes(content)
    return find_text_layout(TextStream.open(str(path), "a.csv", None), ",")


CELLS = st.sampled_from(["", "1", "ab", '"x,y"', '"p\r\nq"', '"a""b"', 'in"ch', "é"])
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\n \r\n"])


@given(st.lists(st.tuples(CELLS, CELLS, ENDS), min_size=1, max_size=15), st.integers(1, 30))
@settings(max_examples=120, deadline=None)
def test_rows_do_not_depend_on_how_the_file_is_cut(
    path: Path, rows: list[tuple[str, str, str]], chunk_bytes: int
) -> None:
    text = "".join(f"{one},{two}{end}" for one, two, end in rows).encode()
    layout = layout_of(path, b"a,b\n" + text)
    blocks = list(read_rows(layout, chunk_bytes))
    assert b"".join(block.data for block in blocks) == text
    read = [
        tuple(block.data[a:b].decode() for a, b in zip(starts, ends, strict=True))
        for block in blocks
        for starts, ends in zip(block.starts, block.ends, strict=True)
    ]
    assert read == [(one, two) for one, two, _ in rows]
    for index, block in enumerate(blocks):
        before = text[: sum(len(other.data) for other in blocks[:index])]
        assert block.first_line == 2 + n_line_ends(before)
        if len(block.starts) > 1:
            first, second = block.split(1)
            assert first.data + second.data == block.data
            assert second.first_line == first.first_line + n_line_ends(first.data)
            start = int(second.starts[0, 0])
            assert second.data[start:].startswith(rows[second.first_row][0].encode())


@pytest.mark.parametrize(
    ("content", "words", "row", "line", "column"),
    [
        (b"a,b\n1,2\n\n3\n", "has 1 field, the header has 2", 2, 4, "b"),
        (b"a,b\n1,2,3\n", "has 3 fields", 1, 2, "number 3"),
        (b'a,b\n1,"x\ny"\n3,"4\n', "never closed", 2, 4, "b"),
        (b'a,b\n1,"x"y\n', "text follows", 1, 2, "b"),
        (b"a,b\n1,2\n3,4\0\n", "NUL byte", 2, 3, "b"),
        (b"a,b\n1,2\n3,4\xff\n", "0xff", 2, 3, "b"),
        (b"a,b\n1,2\n" + b"x" * 1_000_001 + b",4\n", "longer than", 2, 3, "a"),
        (b'a,b\n1,2\n"' + b"x\n" * 1_500_000, "longer than", 2, 3, "a"),
        (b"a,b\n1,2\n3," + b"y" * 3_000_000, "longer than", 2, 3, "b"),
    ],
)
def test_the_place_of_a_fault_is_named(
    path: Path, content: bytes, words: str, row: int, line: int, column: str
) -> None:
    layout = layout_of(path, content)
    for chunk_bytes in (len(content), 100_000):
        with pytest.raises(TableFileError, match=words) as caught:
            list(read_rows(layout, chunk_bytes))
        error = caught.value
        assert (error.row, error.line, error.column) == (row, line, column)


def test_a_field_of_just_the_longest_length_is_read(path: Path) -> None:
    layout = layout_of(path, b"a,b\n" + b"x" * 1_000_000 + b",4\n")
    (block,) = [block for block in read_rows(layout, 300_000) if len(block.starts)]
    assert block.ends[0, 0] == 1_000_000


def test_one_column_with_blank_lines(path: Path) -> None:
    layout = layout_of(path, b'a\n1\n\n""\n \n2\n\n')
    (block,) = read_rows(layout)
    assert len(block.starts) == 4
