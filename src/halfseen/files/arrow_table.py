"""The rows of a Parquet or Arrow file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.files.arrow_kind import observed_in, typed_array
from halfseen.files.arrow_source import ArrowSource, BytesSink, RawBatch
from halfseen.files.column_role import ColumnRole
from halfseen.files.file_stamp import FileStamp
from halfseen.files.fill_arrow import fill_arrow, fill_dictionary
from halfseen.files.fill_values import fill_values
from halfseen.files.table_body import Fill
from halfseen.files.table_file_error import TableFileError

_TAKEN_FROM: Final = 65536


@dataclass(frozen=True)
class ArrowTable:
    """The rows of a Parquet or Arrow file, a `TableBody`.

    Attributes
    ----------
    source : ArrowSource
        The file.
    stamp : FileStamp
        The file as it was scanned.
    roles : tuple of ColumnRole
        What each column is for.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow.parquet as pq
    >>> from halfseen.files.open_table import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.parquet")
    ...     pq.write_table(pa.table({"age": [31, None, 7.5], "kind": ["a", "b", "a"]}), path)
    ...     with open_table(path) as table:
    ...         next(table.batches(max_rows=2)).to_pylist()
    [{'age': 31.0, 'kind': 'a'}, {'age': None, 'kind': 'b'}]
    """

    source: ArrowSource
    stamp: FileStamp
    roles: tuple[ColumnRole, ...]

    def batches(self, max_rows: int, positions: Sequence[int]) -> Iterator[pa.Table]:
        """Give typed rows of some columns; see `TableBody`."""
        for raw in self._raw(max_rows, positions):
            yield self._typed(raw.batch, positions)

    def take(self, rows: NDArray[np.int64], positions: Sequence[int]) -> pa.Table:
        """Give chosen rows of some columns; see `TableBody`."""
        schema = self.source.schema
        empty = [pa.array([], schema.types[place]) for place in positions]
        names = [schema.names[place] for place in positions]
        parts = [self._typed(pa.record_batch(empty, names=names), positions)]
        first_row = 0
        for raw in self._raw(_TAKEN_FROM, positions):
            last_row = first_row + raw.batch.num_rows
            first, last = np.searchsorted(rows, [first_row, last_row])
            if first < last:
                chosen = pa.array(rows[first:last] - first_row)
                parts.append(self._typed(raw.batch, positions).take(chosen))
            first_row = last_row
        return pa.concat_tables(parts).combine_chunks()

    def filled(
        self,
        fill: Fill,
        max_rows: int,
        n_filled: NDArray[np.int64],
        n_left: NDArray[np.int64],
    ) -> Iterator[bytes]:
        """Give the bytes of the file with its holes filled; see `TableBody`."""
        sink = BytesSink()
        everything = range(len(self.roles))
        known: dict[int, pa.Array] = {}
        group: list[pa.RecordBatch] = []
        first_row = 0
        with self.source.writer(sink) as writer:
            for raw in self._raw(max_rows, None):
                batch = raw.batch
                given = fill(self._typed(batch, everything))
                values = fill_values(
                    given, tuple(batch.schema.names), batch.num_rows, self.stamp.shown
                )
                group.append(self._filled(batch, values, known, first_row, n_filled, n_left))
                first_row += batch.num_rows
                if raw.ends_group:
                    writer.write(pa.Table.from_batches(group, self.source.schema))
                    group = []
                    yield from sink.drain()
        self.stamp.check()
        yield from sink.drain()

    def close(self) -> None:
        """Nothing stays open between two passes."""

    def _raw(self, max_rows: int, positions: Sequence[int] | None) -> Iterator[RawBatch]:
        """Rows in file order, of the file that was scanned and of no other."""
        self.stamp.check()
        try:
            yield from self.source.batches(max_rows, positions)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self.stamp.check()
            raise TableFileError(
                f"the file cannot be read ({error})",
                path=self.stamp.shown,
                remedy="It may be damaged: write it again",
            ) from error
        self.stamp.check()

    def _typed(self, batch: pa.RecordBatch, positions: Sequence[int]) -> pa.Table:
        arrays = [
            typed_array(array, self.roles[position])
            for array, position in zip(batch.columns, positions, strict=True)
        ]
        return pa.table(arrays, names=batch.schema.names)

    def _filled(
        self,
        batch: pa.RecordBatch,
        values: dict[int, pa.Array],
        known: dict[int, pa.Array],
        first_row: int,
        n_filled: NDArray[np.int64],
        n_left: NDArray[np.int64],
    ) -> pa.RecordBatch:
        columns = list(batch.columns)
        for position, column in enumerate(columns):
            holes = ~observed_in(column)
            n_left[position] += np.count_nonzero(holes)
            if position not in values:
                continue
            chosen = holes & values[position].is_valid().to_numpy(zero_copy_only=False)
            n_filled[position] += np.count_nonzero(chosen)
            n_left[position] -= np.count_nonzero(chosen)
            columns[position] = self._filled_column(
                column, chosen, values[position], known, position, first_row
            )
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _filled_column(
        self,
        column: pa.Array,
        chosen: NDArray[np.bool_],
        values: pa.Array,
        known: dict[int, pa.Array],
        position: int,
        first_row: int,
    ) -> pa.Array:
        def refuse(place: int | None, shown: str) -> Exception:
            return TableFileError(
                f"the type {column.type} of the column cannot hold {shown!r}",
                path=self.stamp.shown,
                row=None if place is None else first_row + place + 1,
                column=self.source.schema.names[position],
                remedy="Give the column a type that can, or leave its holes",
            )

        if not pa.types.is_dictionary(column.type):
            return fill_arrow(column, chosen, values, refuse)
        filled = fill_dictionary(column, chosen, values, known.get(position), refuse)
        known[position] = filled.dictionary
        return filled
