"""The rows of a CSV or TSV file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.files.cells import Cells, read_cells, texts_by_row, texts_of
from halfseen.files.column_role import ColumnRole
from halfseen.files.file_stamp import FileStamp
from halfseen.files.fill_text import fill_text
from halfseen.files.fill_values import fill_values
from halfseen.files.parse_numbers import parse_numbers
from halfseen.files.row_block import RowBlock, read_rows
from halfseen.files.scanned_column import ScannedColumn
from halfseen.files.table_body import Fill
from halfseen.files.table_file_error import TableFileError
from halfseen.files.text_layout import TextLayout

# A batch ends early when its text is this long, so that wide rows do not fill the memory.
_BATCH_BYTES: Final = 1 << 25


class _Kind(IntEnum):
    """How the cells of a column are converted."""

    TEXT = 0
    POINT = 1
    COMMA = 2


@dataclass(frozen=True)
class TextTable:
    r"""The rows of a CSV or TSV file, a `TableBody`.

    Attributes
    ----------
    layout : TextLayout
        Stream, delimiter and header.
    stamp : FileStamp
        The file as it was scanned.
    missing_marks : tuple of str
        Texts that mark a hole.
    columns : tuple of ScannedColumn
        What the scan found.
    roles : tuple of ColumnRole
        What each column is for.
    n_rows : int
        Data rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files.open_table import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("age,name\n31,Ada\nNA,Bo\n7.5,Bo\n")
    ...     with open_table(path) as table:
    ...         next(table.batches(max_rows=2)).to_pylist()
    [{'age': 31.0, 'name': 'Ada'}, {'age': None, 'name': 'Bo'}]
    """

    layout: TextLayout
    stamp: FileStamp
    missing_marks: tuple[str, ...]
    columns: tuple[ScannedColumn, ...]
    roles: tuple[ColumnRole, ...]
    n_rows: int

    def batches(self, max_rows: int, positions: Sequence[int]) -> Iterator[pa.Table]:
        """Give typed rows of some columns; see `TableBody`."""
        in_file_order = sorted(set(positions))
        for group in _groups(self._blocks(), max_rows):
            if any(len(block.starts) for block in group):
                parts = [
                    self._typed(self._cells(block, in_file_order), in_file_order) for block in group
                ]
                yield self._ordered(parts, positions)

    def take(self, rows: NDArray[np.int64], positions: Sequence[int]) -> pa.Table:
        """Give chosen rows of some columns; see `TableBody`."""
        in_file_order = sorted(set(positions))
        nothing = np.empty((0, len(self.roles)), dtype=np.int64)
        empty = RowBlock(b"", nothing, nothing, 0, 0)
        parts = [self._typed(self._cells(empty, in_file_order), in_file_order)]
        for block in self._blocks():
            first, last = np.searchsorted(
                rows, [block.first_row, block.first_row + len(block.starts)]
            )
            if first < last:
                chosen = rows[first:last] - block.first_row
                some = block._replace(starts=block.starts[chosen], ends=block.ends[chosen])
                parts.append(self._typed(self._cells(some, in_file_order), in_file_order))
        return self._ordered(parts, positions)

    def filled(
        self,
        fill: Fill,
        max_rows: int,
        n_filled: NDArray[np.int64],
        n_left: NDArray[np.int64],
    ) -> Iterator[bytes]:
        """Give the bytes of the file with its holes filled; see `TableBody`."""
        everything = range(len(self.roles))
        yield self._encoded(self.layout.header)
        for group in _groups(self._blocks(), max_rows):
            cells = [self._cells(block, None) for block in group]
            table = pa.concat_tables([self._typed(some, everything) for some in cells])
            values = {}
            if table.num_rows:
                given = fill(table.combine_chunks())
                values = fill_values(given, self.layout.names, table.num_rows, self.stamp.shown)
            first = 0
            for block, some in zip(group, cells, strict=True):
                n_rows = len(block.starts)
                mine = {key: array.slice(first, n_rows) for key, array in values.items()}
                text, counts = fill_text(block, some, mine, self.columns, self.layout)
                n_filled += counts
                n_left += np.count_nonzero(~some.observed, axis=1) - counts
                first += n_rows
                yield self._encoded(text)
        self.stamp.check()

    def close(self) -> None:
        """Nothing stays open between two passes."""

    def _blocks(self) -> Iterator[RowBlock]:
        """Rows in file order, of the file that was scanned and of no other."""
        n_rows = 0
        self.stamp.check()
        try:
            for block in read_rows(self.layout):
                n_rows += len(block.starts)
                yield block
        except (TableFileError, OSError):
            self.stamp.check()
            raise
        self.stamp.check()
        if n_rows != self.n_rows:
            raise TableFileError(
                f"the file had {self.n_rows:,} rows and now has {n_rows:,}",
                path=self.stamp.shown,
                remedy="Wait until nothing writes to it any more, then start again",
            )

    def _cells(self, block: RowBlock, positions: Sequence[int] | None) -> Cells:
        return read_cells(block, self.missing_marks, positions)

    def _typed(self, cells: Cells, positions: Sequence[int]) -> pa.Table:
        """The cells of some columns as a table; columns of one kind are converted together."""
        arrays: list[pa.Array] = [None] * len(positions)
        kinds = np.array([self._kind(position) for position in positions])
        chosen = np.flatnonzero(kinds == _Kind.TEXT)
        if chosen.size:
            texts = texts_of(cells, chosen)
            n_rows = cells.starts.shape[1]
            for order, place in enumerate(chosen.tolist()):
                arrays[place] = texts.slice(order * n_rows, n_rows)
        for kind in (_Kind.POINT, _Kind.COMMA):
            chosen = np.flatnonzero(kinds == kind)
            if not chosen.size:
                continue
            texts = texts_by_row(cells, chosen)
            numbers = parse_numbers(texts, decimal_comma=kind is _Kind.COMMA)
            if numbers is None:
                raise self._no_longer_numbers()
            by_column = np.ascontiguousarray(numbers.reshape(-1, chosen.size).T)
            for place, column in zip(chosen.tolist(), by_column, strict=True):
                arrays[place] = pa.array(column, from_pandas=True)
        return pa.table(arrays, names=[self.layout.names[position] for position in positions])

    def _ordered(self, parts: list[pa.Table], positions: Sequence[int]) -> pa.Table:
        names = [self.layout.names[position] for position in positions]
        return pa.concat_tables(parts).combine_chunks().select(names)

    def _kind(self, position: int) -> _Kind:
        if self.roles[position] is not ColumnRole.NUMBER:
            return _Kind.TEXT
        return _Kind.COMMA if self.columns[position].style.decimal_comma else _Kind.POINT

    def _no_longer_numbers(self) -> TableFileError:
        return TableFileError(
            "a column that held numbers no longer does",
            path=self.stamp.shown,
            remedy="Wait until nothing writes to it any more, then start again",
        )

    def _encoded(self, text: bytes) -> bytes:
        return (
            text
            if self.layout.stream.encoding == "utf-8"
            else self.layout.stream.encode(text.decode())
        )


def _groups(blocks: Iterator[RowBlock], max_rows: int) -> Iterator[list[RowBlock]]:
    """Blocks cut and put together to at most `max_rows` rows and not too many bytes."""
    group: list[RowBlock] = []
    n_rows = n_bytes = 0
    for block in blocks:
        rest = block
        while n_rows + len(rest.starts) > max_rows:
            if n_rows < max_rows:
                first, rest = rest.split(max_rows - n_rows)
                group.append(first)
            yield group
            group, n_rows, n_bytes = [], 0, 0
        group.append(rest)
        n_rows += len(rest.starts)
        n_bytes += len(rest.data)
        if n_bytes >= _BATCH_BYTES:
            yield group
            group, n_rows, n_bytes = [], 0, 0
    if group:
        yield group
