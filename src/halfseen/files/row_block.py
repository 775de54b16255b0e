"""Some rows of a text file: their bytes, and where their fields are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.files.raw_fields import RawFields, fields_one_by_one, raw_fields
from halfseen.files.text_layout import LONGEST_FIELD, TextLayout
from halfseen.files.text_stream import CHUNK_BYTES, TextEnds

_WIDE: Final = 200


class RowBlock(NamedTuple):
    r"""Some rows of a text file: their bytes, and where their fields are.

    Attributes
    ----------
    data : bytes
        UTF-8 of these rows, with line ends and blank lines between them.
    starts, ends : ndarray of int64, shape (n_rows, n_columns)
        Span of every field in `data`, quotes included.
    first_row : int
        Data row of the first, counted from 0.
    first_line : int
        Line at which `data` begins, counted from 1.

    Examples
    --------
    >>> block = RowBlock(b"1,2\n3,4\n", np.array([[0, 2], [4, 6]]), np.array([[1, 3], [5, 7]]),
    ...                  0, 2)
    >>> first, second = block.split(1)
    >>> second.data, second.starts, second.first_row, second.first_line
    (b'3,4\n', array([[0, 2]]), 1, 3)
    """

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    first_row: int
    first_line: int

    def line_at(self, offset: int) -> int:
        """Line of a byte, as an editor numbers it.

        Parameters
        ----------
        offset : int
            Byte in `data`.

        Returns
        -------
        int
            Counted from 1.
        """
        return self.first_line + n_line_ends(self.data[:offset])

    def split(self, n_rows: int) -> tuple[RowBlock, RowBlock]:
        """Cut into the first `n_rows` rows and the others.

        Parameters
        ----------
        n_rows : int
            At least 1, and less than there are.

        Returns
        -------
        tuple of RowBlock
            Both parts.
        """
        cut = int(self.starts[n_rows, 0])
        return (
            RowBlock(
                self.data[:cut],
                self.starts[:n_rows],
                self.ends[:n_rows],
                self.first_row,
                self.first_line,
            ),
            RowBlock(
                self.data[cut:],
                self.starts[n_rows:] - np.int64(cut),
                self.ends[n_rows:] - np.int64(cut),
                self.first_row + n_rows,
                self.line_at(cut),
            ),
        )


def read_rows(layout: TextLayout, chunk_bytes: int | None = None) -> Iterator[RowBlock]:
    r"""Read the rows of a text file.

    A line without any character is no row, and where there are several columns, neither is a line
    of spaces.

    Parameters
    ----------
    layout : TextLayout
        The file.
    chunk_bytes : int, optional
        Bytes read at a time; by default more for wide rows.

    Yields
    ------
    RowBlock
        Rows in file order. Put together, the data of all blocks is the text behind the header.

    Raises
    ------
    TableFileError
        With line, row and column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files.text_layout import find_text_layout
    >>> from halfseen.files.text_stream import TextStream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("a,b\n1,2\n3\n")
    ...     list(read_rows(find_text_layout(TextStream.open(str(path), "a.csv", None), None)))
    Traceback (most recent call last):
        ...
    halfseen.files.table_file_error.TableFileError: a.csv, line 3 (data row 2), column 'b': the row
    has 1 field, the header has 2. Add or remove delimiters, or put quotes around a field that holds
    one.
    """
    if chunk_bytes is None:
        # Every column of a block has its fixed cost.
        chunk_bytes = CHUNK_BYTES * (4 if len(layout.names) > _WIDE else 1)
    first_row, first_line = 0, 1 + n_line_ends(layout.header)
    chunks = layout.stream.chunks(chunk_bytes)
    unread, pending, is_end = len(layout.header), b"", False
    while not is_end:
        stopped: TextEnds | None = None
        try:
            chunk = next(chunks, None)
        except TextEnds as error:
            chunk, stopped = b"", error
        is_end = chunk is None
        skipped = min(unread, len(chunk or b""))
        unread -= skipped
        data = pending + (chunk or b"")[skipped:]
        if stopped is not None:
            row, line, position = _place(layout, data, first_row, first_line)
            raise layout.error(
                stopped.problem, stopped.remedy, row=row, line=line, position=position
            )
        fields = raw_fields(data, layout.delimiter, is_end=is_end)
        block = _block(layout, data, fields, first_row, first_line)
        if fields.broken is not None:
            raise layout.error(
                fields.broken.problem,
                "Close the quote, or double every quote that belongs to the text",
                row=first_row + len(block.starts) + 1,
                line=first_line + n_line_ends(data[: fields.broken.start]),
                position=fields.broken.position,
            )
        pending = data[fields.consumed :]
        if len(pending) > LONGEST_FIELD:
            _refuse_endless(layout, pending, first_row + len(block.starts), data, first_line)
        if block.data:
            yield block
        first_row += len(block.starts)
        first_line += n_line_ends(block.data)


def n_line_ends(text: bytes) -> int:
    r"""Number of line ends: LF, CR LF or CR.

    Parameters
    ----------
    text : bytes
        UTF-8.

    Returns
    -------
    int
        Line ends.

    Examples
    --------
    >>> n_line_ends(b"a\r\nb\n\rc")
    3
    """
    lone = text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else 0
    return text.count(b"\n") + lone


def _block(
    layout: TextLayout, data: bytes, fields: RawFields, first_row: int, first_line: int
) -> RowBlock:
    n_columns = len(layout.names)
    starts, ends = fields.starts, fields.ends
    counts = np.diff(fields.record_ends, prepend=0)
    kept = _rows_not_blank(data, fields, counts, n_columns)
    if kept is not None:
        of_kept = np.repeat(kept, counts)
        starts, ends, counts = starts[of_kept], ends[of_kept], counts[kept]
    n_whole = len(counts)
    if not np.all(counts == n_columns):
        n_whole = int(np.flatnonzero(counts != n_columns)[0])
    shape = (n_whole, n_columns)
    block = RowBlock(
        data[: fields.consumed],
        starts[: n_whole * n_columns].reshape(shape),
        ends[: n_whole * n_columns].reshape(shape),
        first_row,
        first_line,
    )
    # The earliest fault is named, so the rows before a ragged one are looked at first.
    _refuse_nul(
        layout,
        data,
        int(starts[n_whole * n_columns]) if n_whole < len(counts) else None,
        first_row,
        first_line,
    )
    _refuse_long_fields(layout, block)
    if n_whole < len(counts):
        found = int(counts[n_whole])
        raise layout.error(
            f"the row has {found} field{'s' if found > 1 else ''}, the header has {n_columns}",
            "Add or remove delimiters, or put quotes around a field that holds one",
            row=first_row + n_whole + 1,
            line=block.line_at(int(starts[n_whole * n_columns])),
            position=min(found, n_columns),
        )
    return block


def _rows_not_blank(
    data: bytes, fields: RawFields, counts: NDArray[np.int64], n_columns: int
) -> NDArray[np.bool_] | None:
    """Rows that are more than a blank line, or None when all are."""
    alone = np.flatnonzero(counts == 1)
    if not alone.size:
        return None
    firsts = fields.record_ends[alone] - 1
    starts, ends = fields.starts[firsts], fields.ends[firsts]
    blank = starts == ends
    if n_columns > 1:
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        blank = np.array([not data[start:end].strip(b" \t") for start, end in spans])
    if not blank.any():
        return None
    kept = np.ones(len(counts), dtype=bool)
    kept[alone[blank]] = False
    return kept


def _refuse_nul(
    layout: TextLayout, data: bytes, end: int | None, first_row: int, first_line: int
) -> None:
    offset = data.find(b"\0", 0, end)
    if offset >= 0:
        row, line, position = _place(layout, data[:offset], first_row, first_line)
        raise layout.error(
            "there is a NUL byte",
            "Remove it; if the file is UTF-16, say --encoding utf-16",
            row=row,
            line=line,
            position=position,
        )


def _refuse_long_fields(layout: TextLayout, block: RowBlock) -> None:
    lengths = block.ends - block.starts
    if lengths.size and int(lengths.max()) > LONGEST_FIELD:
        row, position = (int(index) for index in np.argwhere(lengths > LONGEST_FIELD)[0])
        raise layout.error(
            f"the field is longer than {LONGEST_FIELD:,} bytes",
            "Shorten it, or close the quote that was opened by mistake",
            row=block.first_row + row + 1,
            line=block.line_at(int(block.starts[row, position])),
            position=position,
        )


def _refuse_endless(
    layout: TextLayout, pending: bytes, n_rows: int, data: bytes, first_line: int
) -> None:
    """Refuse a row that goes on and on in one field, before it fills the memory."""
    partial = fields_one_by_one(pending, layout.delimiter, is_end=True)
    start = partial.broken.start if partial.broken is not None else int(partial.starts[-1])
    if len(pending) - start > LONGEST_FIELD:
        behind = len(data) - len(pending)
        raise layout.error(
            f"the field is longer than {LONGEST_FIELD:,} bytes",
            "Shorten it, or close the quote that was opened by mistake",
            row=n_rows + 1,
            line=first_line + n_line_ends(data[: behind + start]),
            position=partial.broken.position if partial.broken else partial.starts.size - 1,
        )


def _place(
    layout: TextLayout, before: bytes, first_row: int, first_line: int
) -> tuple[int, int, int]:
    """Row from 1, line from 1 and column from 0 of the byte that follows `before`."""
    whole = fields_one_by_one(before, layout.delimiter, is_end=False)
    counts = np.diff(whole.record_ends, prepend=0)
    kept = _rows_not_blank(before, whole, counts, len(layout.names))
    n_rows = len(counts) if kept is None else int(np.count_nonzero(kept))
    partial = fields_one_by_one(before[whole.consumed :], layout.delimiter, is_end=True)
    position = partial.broken.position if partial.broken else max(partial.starts.size - 1, 0)
    return first_row + n_rows + 1, first_line + n_line_ends(before), position
