"""How a text file is laid out: its stream, its delimiter and its header."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from halfseen.files.raw_fields import RawFields, fields_one_by_one
from halfseen.files.table_file_error import TableFileError
from halfseen.files.text_stream import TextEnds, TextStream

LONGEST_FIELD: Final = 1_000_000
LONGEST_HEADER: Final = 16_000_000
_SNIFFED_BYTES: Final = 1 << 15
_SNIFFED_RECORDS: Final = 100
_CANDIDATES: Final = (",", ";", "\t", "|")
_MARK: Final = "\ufeff".encode()


@dataclass(frozen=True)
class TextLayout:
    r"""How a text file is laid out.

    Attributes
    ----------
    stream : TextStream
        Its text.
    delimiter : int
        The byte between two fields.
    header : bytes
        Everything up to the first data row, as UTF-8: byte-order mark, blank lines, names.
    names : tuple of str
        Names of the columns.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("age; name\n1;b\n")
    ...     layout = find_text_layout(TextStream.open(str(path), "a.csv", None), None)
    >>> chr(layout.delimiter), layout.names
    (';', ('age', 'name'))
    """

    stream: TextStream
    delimiter: int
    header: bytes
    names: tuple[str, ...]

    def error(
        self, problem: str, remedy: str, *, row: int, line: int, position: int | None
    ) -> TableFileError:
        """An error at a place of this file.

        Parameters
        ----------
        problem, remedy : str
            Without full stop.
        row : int
            Data row, counted from 1.
        line : int
            Line, counted from 1.
        position : int or None
            Column, counted from 0.

        Returns
        -------
        TableFileError
            To be raised.
        """
        return TableFileError(
            problem,
            path=self.stream.shown,
            remedy=remedy,
            row=row,
            line=line,
            column=None if position is None else _column_at(position, self.names),
        )


def find_text_layout(stream: TextStream, delimiter: str | None) -> TextLayout:
    r"""Find delimiter and header of a text file.

    Parameters
    ----------
    stream : TextStream
        The file.
    delimiter : str or None
        What separates fields; by default found out on the header and the first rows.

    Returns
    -------
    TextLayout
        Delimiter and header.

    Raises
    ------
    TableFileError
        The file is empty, or its header cannot be used.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("a,a\n1,2\n")
    ...     find_text_layout(TextStream.open(str(path), "a.csv", None), None)
    Traceback (most recent call last):
        ...
    halfseen.files.table_file_error.TableFileError: a.csv, line 1 (the header), column 'a': two
    columns have this name. Give each column its own name.
    """
    head, is_end = _head(stream, _SNIFFED_BYTES)
    if not head[len(_MARK) if head.startswith(_MARK) else 0 :].strip(b"\r\n \t"):
        raise TableFileError(
            "the file is empty", path=stream.shown, remedy="Write a header and rows into it"
        )
    mark = _delimiter_byte(stream, delimiter, head, is_end)
    n_bytes = _SNIFFED_BYTES
    while True:
        begin = _begin(head)
        fields = fields_one_by_one(head[begin:], mark, is_end=is_end)
        if fields.record_ends.size or fields.broken or is_end:
            break
        n_bytes *= 8
        if n_bytes > LONGEST_HEADER:
            raise _header_error(
                stream,
                head[:begin],
                "the header is too long",
                "Is this a table at all? If so, end the header with a line break",
                None,
            )
        head, is_end = _head(stream, n_bytes)
    if not fields.record_ends.size:
        broken = fields.broken
        assert broken is not None
        raise _header_error(
            stream, head[:begin], broken.problem, "Close the quote, or remove it", broken.position
        )
    return TextLayout(stream, mark, *_header(stream, head, begin, fields))


def _head(stream: TextStream, n_bytes: int) -> tuple[bytes, bool]:
    """The beginning of the text, and whether it is all of it."""
    head = b""
    chunks = stream.chunks(min(n_bytes, 1 << 20))
    try:
        for chunk in chunks:
            head += chunk
            if len(head) > n_bytes:
                return head, False
    except TextEnds as error:
        if len(_lines(head[_begin(head) :])) <= 1:
            raise _header_error(stream, head, error.problem, error.remedy, None) from None
    finally:
        chunks.close()  # type: ignore[attr-defined]
    return head, True


def _begin(head: bytes) -> int:
    """Where the header begins, behind a byte-order mark and blank lines."""
    begin = len(_MARK) if head.startswith(_MARK) else 0
    while head[begin : begin + 1] in (b"\r", b"\n"):
        begin += 1
    return begin


def _lines(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _delimiter_byte(stream: TextStream, delimiter: str | None, head: bytes, is_end: bool) -> int:
    if delimiter is None:
        return ord(max(_CANDIDATES, key=lambda mark: _fit(head, ord(mark), is_end)))
    if (
        len(delimiter) != 1
        or not delimiter.isascii()
        or delimiter.isalnum()
        or delimiter in '"\r\n'
    ):
        raise TableFileError(
            f"{delimiter!r} cannot separate fields",
            path=stream.shown,
            remedy="Name one character such as , ; | or a tab",
        )
    return ord(delimiter)


def _fit(head: bytes, mark: int, is_end: bool) -> tuple[bool, float, int]:
    """How well a delimiter explains the header and the first rows; more is better."""
    fields = fields_one_by_one(head[_begin(head) :], mark, is_end=is_end)
    counts = np.diff(fields.record_ends, prepend=0)[: _SNIFFED_RECORDS + 1]
    if not counts.size:
        if not is_end:  # a header longer than what was read
            return _fit(head, mark, is_end=True)
        n_fields = fields.broken.position + 1 if fields.broken is not None else 0
        return n_fields > 1, 0.0, n_fields
    n_fields = int(counts[0])
    rows = counts[1:]
    agreement = float(np.mean(rows == n_fields)) if rows.size else 0.0
    return n_fields > 1, agreement, n_fields


def _header(
    stream: TextStream, head: bytes, begin: int, fields: RawFields
) -> tuple[bytes, tuple[str, ...]]:
    n_names = int(fields.record_ends[0])
    end = begin + (int(fields.starts[n_names]) if fields.record_ends.size > 1 else fields.consumed)
    if b"\0" in head[:end]:
        raise _header_error(
            stream, head[:begin], "there is a NUL byte", _nul_remedy(head[begin:]), None
        )
    names = tuple(
        _name(head[begin + start : begin + stop])
        for start, stop in zip(fields.starts[:n_names], fields.ends[:n_names], strict=True)
    )
    for position, name in enumerate(names):
        if not name:
            raise _header_error(
                stream,
                head[:begin],
                "the column has no name",
                "Give each column a name "
                "(pandas: to_csv(..., index=False) leaves out the nameless row numbers)",
                position,
            )
        if len(name) > LONGEST_FIELD:
            raise _header_error(
                stream, head[:begin], "the name is too long", "Shorten it", position
            )
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise _header_error(
            stream,
            head[:begin],
            "two columns have this name",
            "Give each column its own name",
            names.index(repeated),
            names,
        )
    return head[:end], names


def _name(raw: bytes) -> str:
    text = raw.decode().strip(" \t")
    if raw.startswith(b'"'):
        text = text[1:-1].replace('""', '"').strip(" \t")
    return text


def _nul_remedy(head: bytes) -> str:
    if head[1:2] == b"\0" or head[:1] == b"\0":
        return "If the file is UTF-16, say --encoding utf-16-le (or utf-16-be)"
    return "Remove it; is this a text file at all?"


def _header_error(
    stream: TextStream,
    before: bytes,
    problem: str,
    remedy: str,
    position: int | None,
    names: tuple[str, ...] = (),
) -> TableFileError:
    return TableFileError(
        problem,
        path=stream.shown,
        remedy=remedy,
        row=0,
        line=len(_lines(before)),
        column=None if position is None else _column_at(position, names),
    )


def _column_at(position: int, names: tuple[str, ...]) -> str:
    return names[position] if position < len(names) else f"number {position + 1}"
