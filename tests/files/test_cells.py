from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files import DEFAULT_MISSING_MARKS
from halfseen.files.cells import fingerprints, read_cells, texts_by_row, texts_of
from halfseen.files.raw_fields import raw_fields
from halfseen.files.row_block import RowBlock

MARKS = (*DEFAULT_MISSING_MARKS, "not available")
RAW = st.sampled_from(
    [*DEFAULT_MISSING_MARKS, " NA", "NA\t", '"NA"', '" ? " ', '""', "not available", "NAN", "-",
     "1", "-1.5", " x y ", '"x"', '"a""b"', "é", "nanometre", "-nano", '"x,y"', 'i"n', "Nope"]
)  # fmt: skip


def block_of(rows: list[tuple[str, str, str]]) -> RowBlock:
    data = "".join(",".join(row) + "\n" for row in rows).encode()
    fields = raw_fields(data, ord(","), is_end=True)
    shape = (len(rows), 3)
    return RowBlock(data, fields.starts.reshape(shape), fields.ends.reshape(shape), 0, 2)


def cell_of(raw: str) -> str | None:
    text = raw
    if raw.startswith('"'):
        text = raw.rstrip(" \t")[1:-1].replace('""', '"')
    text = text.strip(" \t")
    return None if text in MARKS else text


@given(st.lists(st.tuples(RAW, RAW, RAW), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_cells_are_what_a_slow_reader_finds(rows: list[tuple[str, str, str]]) -> None:
    cells = read_cells(block_of(rows), MARKS)
    expected = [[cell_of(row[place]) for row in rows] for place in range(3)]
    assert cells.observed.tolist() == [[cell is not None for cell in column] for column in expected]
    assert texts_of(cells, np.array([2, 0])).to_pylist() == expected[2] + expected[0]
    by_row = [expected[place][row] for row in range(len(rows)) for place in (0, 2)]
    unescaped = [
        None if text is None else text.replace('""', '"')
        for text in texts_by_row(cells, np.array([0, 2])).to_pylist()
    ]
    assert unescaped == by_row


@given(st.lists(st.text(alphabet="abé", max_size=30), min_size=1, max_size=10))
@settings(max_examples=60, deadline=None)
def test_fingerprints_are_equal_for_equal_texts_alone(words: list[str]) -> None:
    words = [*words, words[0], words[0] * 20]
    raw = [word.encode() for word in words]
    ends = np.cumsum([len(word) for word in raw])
    starts = ends - [len(word) for word in raw]
    text = np.frombuffer(b"".join(raw) + bytes(8), dtype=np.uint8)
    hashes = fingerprints(text, starts, ends)
    assert len(set(hashes.tolist())) == len(set(words))
    assert hashes[0] == hashes[len(words) - 2]


def test_long_texts_that_differ_at_the_end() -> None:
    raw = b"x" * 1000 + b"y" + b"x" * 1000 + b"z" + b"x" * 1000 + b"y"
    text = np.frombuffer(raw + bytes(8), dtype=np.uint8)
    one, two, three = fingerprints(text, np.array([0, 1001, 2002]), np.array([1001, 2002, 3003]))
    assert one == three
    assert one != two
