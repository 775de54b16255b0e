"""Copy a table file with its holes filled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np
import pyarrow as pa

from halfseen.files.file_format import format_of_name, is_gzip_name
from halfseen.files.filled_counts import FilledColumn, FilledCounts
from halfseen.files.table_file import TableFile
from halfseen.files.table_file_error import TableFileError
from halfseen.files.text_table import TextTable
from halfseen.files.write_out import write_out


def write_filled(
    source: TableFile,
    destination: str | PathLike[str],
    fill: Callable[[pa.Table], Mapping[str, Any]],
    *,
    max_rows: int = 65536,
) -> FilledCounts:
    r"""Copy a table file with its holes filled, and nothing else changed.

    In a text file, all bytes outside the filled holes are copied: quotes, zeros, spaces, line ends,
    byte-order mark. In a typed file schema, metadata, compression and all other values stay; whole
    numbers are rounded and kept within the range of their type. The new file is written beside
    the destination and put in place when it is complete, so that source and destination may be
    the same file; open it again before you read it again.

    Parameters
    ----------
    source : TableFile
        The file to copy.
    destination : str or path-like
        Where to; "-" is standard output. The format is that of the source. Text is compressed
        when the name ends in .gz.
    fill : callable
        Gets each batch, as `TableFile.batches` gives it, with all columns. Returns by column name
        one value per row, as pyarrow or numpy array. Only holes take them; null and NaN leave a
        hole as it is.
    max_rows : int
        Rows per batch, at most. What is written does not depend on it.

    Returns
    -------
    FilledCounts
        How many holes were filled.

    Raises
    ------
    TableFileError
        The file changed, a value cannot be written, or the disk is full; the destination is then
        as it was.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("code,size\n007,1.50\n008,NA\n007,2.25\n")
    ...     with open_table(path) as table:
    ...         counts = write_filled(table, path, lambda batch: {
    ...             "size": np.full(batch.num_rows, 1.0)})
    ...     print(path.read_text(), counts.n_filled)
    code,size
    007,1.50
    008,1.00
    007,2.25
     1
    """
    target = fspath(destination)
    _refuse_other_format(source, target)
    if max_rows < 1:
        raise ValueError(f"max_rows is {max_rows}: ask for at least one row at a time.")
    n_filled = np.zeros(len(source.columns), dtype=np.int64)
    n_left = np.zeros(len(source.columns), dtype=np.int64)
    chunks = source.body.filled(fill, max_rows, n_filled, n_left)
    write_out(target, chunks, is_gzip=_is_gzip(source, target))
    return FilledCounts(
        source.n_rows,
        tuple(
            FilledColumn(column.name, int(filled), int(left))
            for column, filled, left in zip(source.columns, n_filled, n_left, strict=True)
        ),
    )


def _refuse_other_format(source: TableFile, target: str) -> None:
    named = format_of_name(target) if target != "-" else None
    if named in (None, source.format):
        return
    raise TableFileError(
        f"the file to fill is {source.format}, but this name says {named}",
        path=target,
        remedy=f"Give it a name that ends in .{source.format}",
    )


def _is_gzip(source: TableFile, target: str) -> bool:
    if not isinstance(source.body, TextTable) or target == "-":
        return False
    if is_gzip_name(target):
        return True
    is_same = os.path.exists(target) and os.path.exists(source.path)
    is_same = is_same and os.path.samefile(target, source.path)
    return is_same and source.body.layout.stream.is_gzip
