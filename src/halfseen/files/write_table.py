"""Write a new table file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike, fspath

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from halfseen.files.arrow_source import BytesSink
from halfseen.files.file_format import check_format, format_of_name, is_gzip_name
from halfseen.files.table_file_error import TableFileError
from halfseen.files.write_out import write_out


def write_table(
    destination: str | PathLike[str], batches: Iterable[pa.Table], *, format: str | None = None
) -> int:
    r"""Write a new table file.

    Parameters
    ----------
    destination : str or path-like
        The file; "-" is standard output. Text is compressed when the name ends in .gz.
    batches : iterable of pyarrow.Table
        The rows, piece by piece, all with the same columns; at least one piece.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default told from the name, else CSV.

    Returns
    -------
    int
        Rows written.

    Raises
    ------
    TableFileError
        A type cannot be written in this format, or the disk is full; the destination is then as
        it was.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     n_rows = write_table(path, [pa.table({"a": [1.5, None], "b": ["x", "y,z"]})])
    ...     print(n_rows, path.read_text(), sep="\n")
    2
    a,b
    1.5,x
    ,"y,z"
    <BLANKLINE>
    """
    target = fspath(destination)
    found = check_format(format, target) if format else format_of_name(target) or "csv"
    pieces = _Pieces(batches, target)
    first = next(pieces, None)
    if first is None:
        raise TableFileError(
            "there is nothing to write", path=target, remedy="Give at least one table of rows"
        )
    tables = chain([first], pieces)
    is_text = found in ("csv", "tsv")
    chunks = (
        _text(tables, first.schema, "\t" if found == "tsv" else ",", target)
        if is_text
        else _typed(tables, first.schema, found)
    )
    try:
        write_out(target, chunks, is_gzip=is_text and is_gzip_name(target))
    except pa.ArrowException as error:
        raise TableFileError(
            f"the table cannot be written as {found} ({error})",
            path=target,
            remedy="Change the types of its columns, or choose another format",
        ) from error
    return pieces.n_rows


class _Pieces:
    """Hands on tables with the same columns, and counts their rows."""

    def __init__(self, tables: Iterable[pa.Table], target: str) -> None:
        self._tables = iter(tables)
        self._target = target
        self._schema: pa.Schema | None = None
        self.n_rows = 0

    def __iter__(self) -> Iterator[pa.Table]:
        return self

    def __next__(self) -> pa.Table:
        table = next(self._tables)
        if self._schema is None:
            self._schema = table.schema
        elif not table.schema.equals(self._schema):
            raise TableFileError(
                "a later piece has other columns than the first",
                path=self._target,
                row=self.n_rows + 1,
                remedy="Give all pieces the same names and types",
            )
        self.n_rows += table.num_rows
        return table


def _typed(tables: Iterable[pa.Table], schema: pa.Schema, format: str) -> Iterator[bytes]:
    sink = BytesSink()
    new = pq.ParquetWriter if format == "parquet" else pa.ipc.new_file
    with new(sink, schema) as writer:
        for table in tables:
            writer.write_table(table)
            yield from sink.drain()
    yield from sink.drain()


def _text(
    tables: Iterable[pa.Table], schema: pa.Schema, delimiter: str, target: str
) -> Iterator[bytes]:
    names = _quoted(pa.array(schema.names, pa.string()), delimiter)
    yield (delimiter.join(names.to_pylist()) + "\n").encode()
    for table in tables:
        if not table.num_rows:
            continue
        columns = [
            _column_text(table.column(place).combine_chunks(), name, delimiter, target)
            for place, name in enumerate(table.column_names)
        ]
        if len(columns) == 1:
            # A line without any character would be no row.
            columns = [pc.if_else(pc.equal(columns[0], ""), '""', columns[0])]
        rows = pc.binary_join_element_wise(*columns, delimiter) if len(columns) > 1 else columns[0]
        yield ("\n".join(rows.to_pylist()) + "\n").encode()


def _column_text(column: pa.Array, name: str, delimiter: str, target: str) -> pa.StringArray:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        column = pc.cast(column, pa.float64())
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    try:
        texts = pc.cast(column, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise TableFileError(
            f"values of type {column.type} cannot be written as text",
            path=target,
            column=name,
            remedy="Write the table as Parquet, or change the type",
        ) from error
    return pc.fill_null(_quoted(texts, delimiter), "")


def _quoted(texts: pa.StringArray, delimiter: str) -> pa.StringArray:
    """Texts in quotes where they need them."""
    needed = pc.match_substring_regex(texts, f'["\r\n{delimiter}]|^[ \t]|[ \t]$')
    if not pc.any(needed).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise('"', doubled, '"', ""), texts)
