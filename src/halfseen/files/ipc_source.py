"""An Arrow file or stream as record batches, and a writer for one like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import pyarrow as pa

from halfseen.files.arrow_source import BytesSink, GroupWriter, RawBatch

_FILE_MAGIC: Final = b"ARROW1"
# A compressed buffer is its length in eight bytes, then a frame that begins with one of these.
_FRAMES: Final = ((b"\x04\x22\x4d\x18", "lz4"), (b"\x28\xb5\x2f\xfd", "zstd"))
_SEARCHED: Final = 1 << 16


class IpcSource:
    """An Arrow IPC file (Feather) or stream, an `ArrowSource`.

    Parameters
    ----------
    path : str
        The file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = str(pathlib.Path(folder, "a.arrow"))
    ...     table = pa.table({"a": [1, None, 3]})
    ...     with pa.ipc.new_file(path, table.schema) as writer:
    ...         writer.write_table(table)
    ...     source = IpcSource(path)
    ...     [raw.batch.num_rows for raw in source.batches(2, None)]
    [2, 1]
    """

    def __init__(self, path: str) -> None:
        self._path = path
        with open(path, "rb") as file:
            self._is_stream = file.read(len(_FILE_MAGIC)) != _FILE_MAGIC
        with pa.OSFile(path) as file:
            self.schema: pa.Schema = self._reader(file).schema
        self._codec = self._find_codec()

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
            Rows of one record batch.
        """
        with pa.OSFile(self._path) as file:
            for whole in self._read(self._reader(file)):
                some = whole if positions is None else whole.select(list(positions))
                for first in range(0, some.num_rows, max_rows):
                    part = some.slice(first, max_rows)
                    yield RawBatch(part, first + part.num_rows == some.num_rows)

    @contextmanager
    def writer(self, sink: BytesSink) -> Iterator[GroupWriter]:
        """Write a file or stream with the same schema, metadata and compression.

        Parameters
        ----------
        sink : BytesSink
            Where the bytes go.

        Yields
        ------
        GroupWriter
            Takes record batches.
        """
        options = pa.ipc.IpcWriteOptions(compression=self._codec, emit_dictionary_deltas=True)
        new = pa.ipc.new_stream if self._is_stream else pa.ipc.new_file
        with new(sink, self.schema, options=options) as writer:
            yield _IpcGroups(writer)

    def _reader(self, file: pa.NativeFile) -> pa.RecordBatchReader:
        return pa.ipc.open_stream(file) if self._is_stream else pa.ipc.open_file(file)

    def _read(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        if self._is_stream:
            yield from reader
        else:
            for index in range(reader.num_record_batches):
                yield reader.get_batch(index)

    def _find_codec(self) -> str | None:
        with pa.OSFile(self._path) as file:
            if not self._is_stream:
                file.seek(8)
            for message in pa.ipc.MessageReader.open_stream(file):
                if message.type != "record batch":
                    continue
                body = message.body.slice(0, min(_SEARCHED, message.body.size)).to_pybytes()
                for place in range(8, len(body), 8):
                    found = [name for mark, name in _FRAMES if body.startswith(mark, place)]
                    if found and not body.startswith(b"\xff" * 8, place - 8):
                        return found[0]
                return None
        return None


class _IpcGroups:
    def __init__(self, writer: pa.RecordBatchWriter) -> None:
        self._writer = writer

    def write(self, group: pa.Table) -> None:
        for batch in group.unify_dictionaries().combine_chunks().to_batches():
            self._writer.write_batch(batch)
