"""A Parquet file as record batches, and a writer for one like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from halfseen.files.arrow_source import BytesSink, GroupWriter, RawBatch

# Larger batches and row groups are cut, so that they do not fill the memory.
_BATCH_BYTES: Final = 1 << 25
_GROUP_BYTES: Final = 1 << 26
_BUFFER_BYTES: Final = 1 << 16
_CODECS: Final = {
    "UNCOMPRESSED": "NONE",
    "SNAPPY": "SNAPPY",
    "GZIP": "GZIP",
    "BROTLI": "BROTLI",
    "LZ4": "LZ4",
    "LZ4_RAW": "LZ4",
    "ZSTD": "ZSTD",
}


class ParquetSource:
    """A Parquet file, an `ArrowSource`.

    Parameters
    ----------
    path : str
        The file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = str(pathlib.Path(folder, "a.parquet"))
    ...     pq.write_table(pa.table({"a": [1, None, 3]}), path)
    ...     source = ParquetSource(path)
    ...     [raw.batch.num_rows for raw in source.batches(2, None)]
    [2, 1]
    """

    def __init__(self, path: str) -> None:
        self._path = path
        with pq.ParquetFile(path) as file:
            self.schema: pa.Schema = file.schema_arrow
            self._metadata = file.metadata

    def batches(self, max_rows: int, positions: Sequence[int] | None) -> Iterator[RawBatch]:
        """Give the rows in file order.

        Parameters
        ----------
        max_rows : int
            Rows at a time, at most.
        positions : sequence of int or None
            Columns in the order wanted; by default all.

        Yields
        ------
        RawBatch
            Rows of one row group.
        """
        names = None if positions is None else [self.schema.names[place] for place in positions]
        # With a buffer, pages are read one by one instead of all of a row group.
        with pq.ParquetFile(self._path, buffer_size=_BUFFER_BYTES) as file:
            for index in range(self._metadata.num_row_groups):
                yield from self._group(file, index, max_rows, names)

    @contextmanager
    def writer(self, sink: BytesSink) -> Iterator[GroupWriter]:
        """Write a file with the same schema, metadata and compression.

        Parameters
        ----------
        sink : BytesSink
            Where the bytes go.

        Yields
        ------
        GroupWriter
            Takes row groups.
        """
        with pq.ParquetWriter(sink, self.schema, compression=self._compression) as writer:
            yield _ParquetGroups(writer)

    def _group(
        self, file: pq.ParquetFile, index: int, max_rows: int, names: list[str] | None
    ) -> Iterator[RawBatch]:
        group = self._metadata.row_group(index)
        n_rows = group.num_rows
        row_bytes = max(group.total_byte_size / max(n_rows, 1), 8.0 * len(self.schema.names))
        at_once = min(max_rows, max(1, int(_BATCH_BYTES / row_bytes)))
        per_group = max(1, int(_GROUP_BYTES / row_bytes))
        done = since = 0
        for batch in file.iter_batches(batch_size=at_once, row_groups=[index], columns=names):
            if names is not None:
                batch = batch.select(names)
            done += batch.num_rows
            since += batch.num_rows
            ends = done >= n_rows or since >= per_group
            since = 0 if ends else since
            yield RawBatch(batch, ends)

    @cached_property
    def _compression(self) -> str | dict[str, str]:
        """Compression of every column, as the first row group has it."""
        if not self._metadata.num_row_groups:
            return "SNAPPY"
        group = self._metadata.row_group(0)
        chunks = [group.column(place) for place in range(group.num_columns)]
        return {chunk.path_in_schema: _CODECS.get(chunk.compression, "ZSTD") for chunk in chunks}


class _ParquetGroups:
    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer

    def write(self, group: pa.Table) -> None:
        self._writer.write_table(group.unify_dictionaries(), row_group_size=max(1, group.num_rows))
