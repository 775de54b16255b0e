"""A Parquet or Arrow file as record batches, and a writer for one like it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import pyarrow as pa


class RawBatch(NamedTuple):
    """Some rows as they stand in the file.

    Attributes
    ----------
    batch : pyarrow.RecordBatch
        The rows.
    ends_group : bool
        A row group of the file ends here.

    Examples
    --------
    >>> RawBatch(pa.record_batch({"a": [1]}), ends_group=True).batch.num_rows
    1
    """

    batch: pa.RecordBatch
    ends_group: bool


class GroupWriter(Protocol):
    """Writes row groups.

    Examples
    --------
    >>> GroupWriter.__name__
    'GroupWriter'
    """

    def write(self, group: pa.Table) -> None:
        """Write one row group."""
        ...


class ArrowSource(Protocol):
    """A Parquet or Arrow file.

    Examples
    --------
    >>> ArrowSource.__name__
    'ArrowSource'
    """

    @property
    def schema(self) -> pa.Schema:
        """Names, types and metadata."""
        ...

    def batches(self, max_rows: int, positions: Sequence[int] | None) -> Iterator[RawBatch]:
        """Rows in file order, of all columns or of some in the order asked for."""
        ...

    def writer(self, sink: BytesSink) -> AbstractContextManager[GroupWriter]:
        """A writer of a file with the same schema, metadata and compression."""
        ...


class BytesSink(io.RawIOBase):
    """Takes what a writer writes and hands it on piece by piece.

    Examples
    --------
    >>> sink = BytesSink()
    >>> sink.write(b"half"), sink.write(b"seen"), sink.tell()
    (4, 4, 8)
    >>> sink.drain(), sink.drain()
    ([b'half', b'seen'], [])
    """

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._n_bytes = 0

    def writable(self) -> bool:
        """Bytes can be written."""
        return True

    def write(self, piece: object) -> int:
        """Take in some bytes."""
        taken = bytes(piece)  # type: ignore[call-overload]
        self._pieces.append(taken)
        self._n_bytes += len(taken)
        return len(taken)

    def tell(self) -> int:
        """Bytes written so far."""
        return self._n_bytes

    def drain(self) -> list[bytes]:
        """Hand on what was written since the last time.

        Returns
        -------
        list of bytes
            Everything that is new.
        """
        pieces, self._pieces = self._pieces, []
        return pieces
