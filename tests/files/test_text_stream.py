from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files import TableFileError
from halfseen.files.text_stream import TextEnds, TextStream


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stream") / "a.csv"


@given(
    st.text(max_size=40),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"]),
    st.integers(1, 7),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_text_comes_out_as_utf8_and_goes_back(
    path: Path, text: str, encoding: str, chunk_bytes: int, is_gzip: bool
) -> None:
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if is_gzip else content)
    stream = TextStream.open(str(path), "a.csv", encoding)
    chunks = list(stream.chunks(chunk_bytes))
    assert all(chunk.decode() for chunk in chunks)  # no character is cut
    assert stream.encode(b"".join(chunks).decode()) == content


@pytest.mark.parametrize(
    ("content", "encoding", "before", "shown"),
    [
        (b"abc\xffdef", None, b"abc", "0xff"),
        ("ab".encode("utf-16") + b"\x00", None, "\ufeffab".encode(), "0x00"),
        (b"ab\x81c", "cp1252", b"ab", "0x81"),
        ("aé".encode()[:-1], None, b"a", "0xc3"),
    ],
)
def test_text_ends_at_bytes_that_are_none(
    path: Path, content: bytes, encoding: str | None, before: bytes, shown: str
) -> None:
    path.write_bytes(content)
    given_out: list[bytes] = []
    with pytest.raises(TextEnds, match=shown):
        given_out.extend(TextStream.open(str(path), "a.csv", encoding).chunks())
    assert b"".join(given_out) == before


def test_a_gzip_file_that_is_cut_off_gives_what_it_has(path: Path) -> None:
    import random

    text = random.Random(0).randbytes(200_000).hex().encode()
    path.write_bytes(gzip.compress(text)[:-1000])
    given_out: list[bytes] = []
    with pytest.raises(TextEnds, match="cut off"):
        given_out.extend(TextStream.open(str(path), "a.csv", None).chunks(1000))
    read = b"".join(given_out)
    assert len(read) > 100_000
    assert text.startswith(read)


def test_an_encoding_that_changes_on_the_way_back_is_refused(path: Path) -> None:
    path.write_bytes(b"+AGE-,b\n")  # UTF-7 for an a that needs no escape
    with pytest.raises(TextEnds, match="cannot be written back"):
        list(TextStream.open(str(path), "a.csv", "utf-7").chunks())


def test_an_unknown_encoding_is_refused(path: Path) -> None:
    path.write_bytes(b"a")
    with pytest.raises(TableFileError, match="no text encoding named 'klingon'"):
        TextStream.open(str(path), "a.csv", "klingon")
