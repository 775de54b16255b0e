from __future__ import annotations

import csv
import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files.raw_fields import RawFields, fields_at_once, fields_one_by_one, raw_fields

AWKWARD = st.text(alphabet='ab1 ,;"\r\n', max_size=40).map(str.encode)
COMMA = ord(",")


def same(one: RawFields, other: RawFields) -> bool:
    return (
        one.starts.tolist() == other.starts.tolist()
        and one.ends.tolist() == other.ends.tolist()
        and one.record_ends.tolist() == other.record_ends.tolist()
        and one.consumed == other.consumed
        and one.broken == other.broken
    )


@given(AWKWARD, st.booleans())
@settings(max_examples=250, deadline=None)
def test_all_at_once_finds_what_one_by_one_finds(data: bytes, is_end: bool) -> None:
    at_once = fields_at_once(data, COMMA, is_end=is_end)
    one_by_one = fields_one_by_one(data, COMMA, is_end=is_end)
    if at_once is not None:
        assert same(at_once, one_by_one)
    assert same(raw_fields(data, COMMA, is_end=is_end), one_by_one)


@given(st.text(alphabet="ab ,;\r\n", max_size=40).map(str.encode))
@settings(max_examples=100, deadline=None)
def test_text_without_quotes_never_needs_the_careful_way(data: bytes) -> None:
    assert fields_at_once(data, COMMA, is_end=True) is not None


@given(
    st.lists(
        st.lists(st.text(alphabet='ab1 ,"\n', max_size=6), min_size=2, max_size=2),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
@settings(max_examples=150, deadline=None)
def test_reads_what_the_standard_library_writes(
    rows: list[list[str]], line_end: str, quoting: int
) -> None:
    file = io.StringIO()
    csv.writer(file, lineterminator=line_end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    data = file.getvalue().encode()
    fields = fields_at_once(data, COMMA, is_end=True)
    assert fields is not None
    assert fields.consumed == len(data)
    assert np.diff(fields.record_ends, prepend=0).tolist() == [2] * len(rows)
    spans = zip(fields.starts.tolist(), fields.ends.tolist(), strict=True)
    read = [
        next(csv.reader(io.StringIO(data[a:b].decode(), newline=""))) for a, b in spans if a < b
    ]
    assert [cell for (cell,) in read] == [
        cell for row in rows for cell in row if cell or quoting == 1
    ]


@given(AWKWARD, st.integers(0, 40))
@settings(max_examples=200, deadline=None)
def test_where_the_text_is_cut_makes_no_difference(data: bytes, cut: int) -> None:
    whole = raw_fields(data, COMMA, is_end=True)
    first = raw_fields(data[:cut], COMMA, is_end=False)
    rest = raw_fields(data[first.consumed :], COMMA, is_end=True)
    if first.broken is None:
        moved = (rest.starts + first.consumed).tolist()
        assert first.starts.tolist() + moved == whole.starts.tolist()
        assert (rest.broken is None) == (whole.broken is None)


def test_a_quote_inside_a_bare_field_is_a_character() -> None:
    fields = raw_fields(b'5" pipe,2\n', COMMA, is_end=True)
    assert fields.ends.tolist() == [7, 9]


def test_text_behind_a_closing_quote_is_broken() -> None:
    broken = raw_fields(b'1,2\n3,"a"b\n', COMMA, is_end=True).broken
    assert broken is not None
    assert (broken.start, broken.position) == (6, 1)


def test_spaces_behind_a_closing_quote_are_part_of_the_field() -> None:
    assert raw_fields(b'"a" ,2\n', COMMA, is_end=True).ends.tolist() == [4, 6]
