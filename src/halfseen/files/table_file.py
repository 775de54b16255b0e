"""A table file whose columns are known."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from types import TracebackType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.files.choose_rows import choose_rows
from halfseen.files.file_column import FileColumn
from halfseen.files.table_body import TableBody
from halfseen.files.table_file_error import TableFileError


class TableFile:
    r"""A table file whose columns are known; made by `open_table`.

    Rows can be read as often as wanted, always in bounded memory. When the file changes
    meanwhile, reading ends with an error.

    Parameters
    ----------
    path : str
        The file; "-" for standard input.
    format : str
        "csv", "tsv", "parquet" or "arrow".
    columns : tuple of FileColumn
        In file order.
    n_rows : int
        Data rows.
    body : TableBody
        The rows.
    temporary : str or None
        A file to delete in the end.

    Attributes
    ----------
    path, format, columns, n_rows, body
        As above.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("age,kind\n31,a\n,b\n7,a\n8,c\n")
    ...     with open_table(path) as table:
    ...         print(table.format, table.n_rows, [column.role.value for column in table.columns])
    ...         print(table.sample_rows(2, seed=0)[1])
    csv 4 ['number', 'category']
    [0 1]
    """

    def __init__(
        self,
        path: str,
        format: str,
        columns: tuple[FileColumn, ...],
        n_rows: int,
        body: TableBody,
        temporary: str | None = None,
    ) -> None:
        self.path = path
        self.format = format
        self.columns = columns
        self.n_rows = n_rows
        self.body = body
        self._temporary = temporary
        self._is_closed = False

    def column(self, name: str) -> FileColumn:
        """One column by name.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        FileColumn
            What the scan found.

        Raises
        ------
        TableFileError
            There is no such column; near spellings are named.
        """
        return self.columns[self._position(name)]

    def batches(
        self, max_rows: int = 65536, columns: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """Read the rows in file order.

        Numbers are float64, categories string, yes/no string (bool where the file has that type),
        holes null. Columns that pass through are string in text files, and as they are in others.
        The types are the same in every batch.

        Parameters
        ----------
        max_rows : int
            Rows per batch, at most; wide rows come in smaller batches.
        columns : sequence of str, optional
            Columns in the order wanted; by default all.

        Yields
        ------
        pyarrow.Table
            At least one row.

        Raises
        ------
        TableFileError
            A column is unknown, or the file changed.
        """
        self._check_open()
        if max_rows < 1:
            raise ValueError(f"max_rows is {max_rows}: ask for at least one row at a time.")
        yield from self.body.batches(max_rows, self._positions(columns))

    def sample_rows(
        self, n: int, seed: int, columns: Sequence[str] | None = None
    ) -> tuple[pa.Table, NDArray[np.int64]]:
        """Read rows chosen at random, in one pass.

        Which rows these are depends on seed, `n` and the number of rows alone: a row is chosen
        when the hash of seed and row number is among the `n` lowest. A larger `n` therefore adds
        rows and drops none.

        Parameters
        ----------
        n : int
            Rows wanted.
        seed : int
            Another seed chooses other rows.
        columns : sequence of str, optional
            Columns in the order wanted; by default all.

        Returns
        -------
        rows : pyarrow.Table
            At most `n` rows in file order, typed as in `batches`.
        indices : ndarray of int64
            Their row numbers, counted from 0.
        """
        self._check_open()
        rows = choose_rows(self.n_rows, n, seed)
        return self.body.take(rows, self._positions(columns)), rows

    def close(self) -> None:
        """Let go of the file; a copy of standard input is deleted."""
        self._is_closed = True
        self.body.close()
        if self._temporary is not None:
            os.unlink(self._temporary)
            self._temporary = None

    def __enter__(self) -> TableFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError(f"{self.path} is closed: open it again.")

    def _positions(self, columns: Sequence[str] | None) -> list[int]:
        if columns is None:
            return list(range(len(self.columns)))
        return [self._position(name) for name in columns]

    def _position(self, name: str) -> int:
        names = [column.name for column in self.columns]
        if name in names:
            return names.index(name)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
        near += [other for other in names if other.lower() == name.lower() and other not in near]
        listed = ", ".join(repr(other) for other in near or names[:10])
        more = ", and more" if len(names) > 10 else ""
        raise TableFileError(
            f"there is no column {name!r}",
            path=self.path,
            column=name,
            remedy=f"Did you mean {listed}" if near else f"The columns are {listed}{more}",
        )
