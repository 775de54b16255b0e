"""Table files that are written: beside the old one and then renamed, or to standard output."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from halfseen.atomic import replace_atomically
from halfseen.files.source import Format, TableWriteError, format_of_name

WriteRows = Callable[[pa.Table], None]

_REASONS = {
    errno.ENOSPC: ("the disk is full", "Make room, or name a file on another disk"),
    errno.EDQUOT: ("your quota is used up", "Make room, or name a file on another disk"),
    errno.EROFS: ("the file system is read-only", "Name a file in another folder"),
    errno.EACCES: ("you may not write there", "Name a file in another folder"),
    errno.EPERM: ("you may not write there", "Name a file in another folder"),
    errno.ENOENT: ("there is no such folder", "Make it first, or name another"),
    errno.ENOTDIR: ("there is no such folder", "Make it first, or name another"),
    errno.EISDIR: ("this is a folder", "Name a file in it"),
}


class Dialect(NamedTuple):
    """How delimited text is written."""

    delimiter: str = ","
    line_end: str = "\n"
    encoding: str = "utf-8"
    mark: bytes = b""  # byte-order mark
    ends_last_line: bool = True


@contextlib.contextmanager
def open_output(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file to write to, put into place as a whole or not at all; "-" is standard output.

    What goes wrong is a `TableWriteError`, but for a reader of standard output that went away.
    """
    shown = fspath(path)
    with write_errors(shown):
        if shown == "-":
            if sys.stdout is None:
                raise OSError(errno.EBADF, "standard output is closed")
            yield cast(IO[bytes], _Counting(sys.stdout.buffer))
            sys.stdout.buffer.flush()
        elif os.path.exists(shown) and not os.path.isfile(shown) and not os.path.isdir(shown):
            with open(shown, "wb") as pipe_or_device:
                yield cast(IO[bytes], _Counting(pipe_or_device))
        else:
            with replace_atomically(shown) as part, part.open("wb") as file:
                yield file


@contextlib.contextmanager
def write_errors(path: str) -> Iterator[None]:
    """Turn what the system refuses into a `TableWriteError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        other = error.strerror or str(error), "Name another file"
        reason, remedy = _REASONS.get(error.errno or 0, other)
        problem = f"the result cannot be written ({reason})"
        raise TableWriteError(problem, path=path, remedy=remedy) from error


def output_format(path: str, default: Format = "csv") -> Format:
    """Format of a table file that is to be written: as its name says, or the default."""
    if Path(path).suffix.lower() in (".xlsx", ".xls"):
        remedy = "Name a .csv or .parquet file, which Excel opens or imports"
        raise TableWriteError("Excel files are read, not written", path=path, remedy=remedy)
    return format_of_name(path) or default


@contextlib.contextmanager
def table_writer(
    path: str | PathLike[str], schema: pa.Schema, format: Format, dialect: Dialect | None = None
) -> Iterator[WriteRows]:
    r"""Write a table file row block by row block; text is compressed if the name ends in .gz.

    >>> import tempfile
    >>> table = pa.table({"a": [1.5, None], "b": ["x", "y,z"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with table_writer(f"{folder}/a.csv", table.schema, "csv") as write:
    ...         write(table)
    ...     Path(folder, "a.csv").read_text()
    'a,b\n1.5,x\n,"y,z"\n'
    """
    shown = fspath(path)
    with open_output(shown) as file, contextlib.ExitStack() as stack:
        if format in ("csv", "tsv"):
            if shown.lower().endswith(".gz"):
                # Without a name and a time, the same content gives the same bytes.
                packed: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
                file = stack.enter_context(packed)
            used = dialect or Dialect(delimiter="\t" if format == "tsv" else ",")
            text = _TextRows(file, used, shown)
            text.write_header(schema.names)
            yield text.write
            text.close()
        elif format == "parquet":
            with pq.ParquetWriter(file, schema) as writer:
                yield writer.write_table
        else:
            options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
            writer = stack.enter_context(pa.ipc.new_file(file, schema, options=options))
            yield _ArrowRows(writer, schema).write


class _Counting(io.RawIOBase):
    """A stream that knows how much was written, which pipes do not."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._n_bytes = stream, 0

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._n_bytes += memoryview(data).nbytes
        return memoryview(data).nbytes

    def tell(self) -> int:
        return self._n_bytes

    def writable(self) -> bool:
        return True


class _TextRows:
    """Delimited text, each row after a line end."""

    def __init__(self, file: IO[bytes], dialect: Dialect, shown: str) -> None:
        self._file, self._dialect, self._shown = file, dialect, shown
        self._special = f'["\r\n{re.escape(dialect.delimiter)}]|^[ \t]|[ \t]$'

    def write_header(self, names: list[str]) -> None:
        self._file.write(self._dialect.mark)
        self._put(*self._rows([pa.array([name], pa.string()) for name in names]))

    def write(self, table: pa.Table) -> None:
        if table.num_rows:
            columns = list(map(self._text, table.columns, table.column_names))
            self._put("".join(self._dialect.line_end + row for row in self._rows(columns)))

    def close(self) -> None:
        if self._dialect.ends_last_line:
            self._put(self._dialect.line_end)

    def _rows(self, columns: list[pa.Array]) -> list[str]:
        # A line without any character would be no row.
        special = self._special if len(columns) > 1 else f"{self._special}|^$"
        quoted = [self._quoted(column, special) for column in columns]
        rows: list[str] = pc.binary_join_element_wise(*quoted, self._dialect.delimiter).to_pylist()
        return rows

    def _put(self, text: str) -> None:
        try:
            self._file.write(text.encode(self._dialect.encoding))
        except UnicodeEncodeError as error:
            found = text[error.start : error.end][:20]
            problem = f"the text {found!r} cannot be written in {self._dialect.encoding}"
            remedy = "Convert the table to UTF-8 first"
            raise TableWriteError(problem, path=self._shown, remedy=remedy) from None

    def _text(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        column = column.combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):
            column = pc.cast(column, pa.float64())
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
        try:
            return pc.fill_null(pc.cast(column, pa.string()), "")
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            raise TableWriteError(
                f"values of type {column.type} cannot be written as text",
                path=self._shown, column=name, remedy="Write the table as Parquet",
            ) from error  # fmt: skip

    def _quoted(self, text: pa.Array, special: str) -> pa.Array:
        needed = pc.match_substring_regex(text, special)
        if not pc.any(needed).as_py():
            return text
        doubled = pc.replace_substring(text, '"', '""')
        return pc.if_else(needed, pc.binary_join_element_wise('"', doubled, '"', ""), text)


class _ArrowRows:
    """Record batches of an Arrow file, in which a dictionary may only grow."""

    def __init__(self, writer: Any, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema
        self._words: dict[int, pa.Array] = {}

    def write(self, table: pa.Table) -> None:
        columns = [self._grown(j, column) for j, column in enumerate(table.columns)]
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def _grown(self, j: int, column: pa.ChunkedArray) -> Any:
        if not pa.types.is_dictionary(column.type):
            return column
        array = column.unify_dictionaries().combine_chunks()
        words = self._words.get(j, array.dictionary)
        new = array.dictionary.filter(pc.invert(pc.is_in(array.dictionary, value_set=words)))
        self._words[j] = words = pa.concat_arrays([words, new])
        place = pc.index_in(array.dictionary, value_set=words)
        indices = pc.cast(place.take(array.indices), column.type.index_type)
        return pa.DictionaryArray.from_arrays(indices, words, ordered=column.type.ordered)
