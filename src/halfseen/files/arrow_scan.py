"""Find out what stands in the columns of a Parquet or Arrow file, in one pass."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.arrow_kind import ArrowKind, arrow_kind, observed_in
from halfseen.files.arrow_source import ArrowSource
from halfseen.files.cells import fingerprints, mixed
from halfseen.files.column_facts import ColumnFacts
from halfseen.files.distinct_values import DistinctValues
from halfseen.files.look_like_dates import look_like_dates
from halfseen.files.table_file_error import TableFileError

_EXAMPLES: Final = 3
_LARGEST_WHOLE: Final = 2.0**53
_SCANNED_ROWS: Final = 65536


def scan_arrow(
    source: ArrowSource, shown: str, modelled: frozenset[str] | None
) -> tuple[tuple[ColumnFacts, ...], int]:
    """Read a whole Parquet or Arrow file once, in bounded memory.

    Parameters
    ----------
    source : ArrowSource
        The file.
    shown : str
        Its name in messages.
    modelled : frozenset of str or None
        Columns in which an infinite number is an error; by default all.

    Returns
    -------
    columns : tuple of ColumnFacts
        One per column.
    n_rows : int
        Rows in the file.

    Raises
    ------
    TableFileError
        A number is infinite, with row and column.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow.parquet as pq
    >>> from halfseen.files.parquet_source import ParquetSource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = str(pathlib.Path(folder, "a.parquet"))
    ...     pq.write_table(pa.table({"a": [1, None, 3]}), path)
    ...     (facts,), n_rows = scan_arrow(ParquetSource(path), "a.parquet", None)
    >>> facts.n_missing, facts.is_integer, facts.n_distinct, n_rows
    (1, True, 2, 3)
    """
    names = source.schema.names
    columns = [
        _ArrowColumnScan(name, kind) for name, kind in zip(names, source.schema.types, strict=True)
    ]
    n_rows = 0
    for raw in source.batches(_SCANNED_ROWS, None):
        raw.batch.validate(full=True)  # a damaged file must not lead readers out of their buffers
        for column, array in zip(columns, raw.batch.columns, strict=True):
            row = column.add(array, n_rows)
            if row is not None and (modelled is None or column.name in modelled):
                raise TableFileError(
                    "the number is infinite",
                    path=shown,
                    row=row + 1,
                    column=column.name,
                    remedy="Replace it by a finite number or by null, or declare the column an "
                    "identifier to let it pass through",
                )
        n_rows += raw.batch.num_rows
    return tuple(column.facts(n_rows) for column in columns), n_rows


class _ArrowColumnScan:
    def __init__(self, name: str, kind: pa.DataType) -> None:
        self.name = name
        self._kind = arrow_kind(kind)
        self._distinct = DistinctValues()
        self._n_missing = 0
        self._n_bytes = 0
        self._n_with_space = 0
        self._is_integer = True
        self._is_huge = False
        self._counts_rows = True
        self._first_value = 0.0
        self._are_dates = True
        self._examples: tuple[str, ...] = ()

    def add(self, array: pa.Array, first_row: int) -> int | None:
        """Take in some rows; give back the row of an infinite number."""
        observed = observed_in(array)
        n_observed = int(np.count_nonzero(observed))
        self._n_missing += len(array) - n_observed
        self._counts_rows &= n_observed == len(array)
        if not n_observed:
            return None
        if self._kind is ArrowKind.OPAQUE:
            return None
        if pa.types.is_string_view(array.type):
            array = array.cast(pa.string())  # few functions know views
        seen = array if n_observed == len(array) else array.filter(pa.array(observed))
        if not self._examples:
            shown = dict.fromkeys(str(value.as_py()) for value in seen.slice(0, 100))
            self._examples = tuple(shown)[:_EXAMPLES]
        if self._kind is ArrowKind.NUMBER:
            return self._add_numbers(seen, observed, first_row)
        if self._kind is ArrowKind.TEXT:
            self._add_texts(seen)
        elif self._kind is ArrowKind.TRUTH:
            self._distinct.add(mixed(pc.cast(seen, pa.uint64()).to_numpy()))
        elif self._kind is ArrowKind.TIME:
            self._distinct.add(_fingerprints(pc.cast(seen, pa.string())))
        return None

    def facts(self, n_rows: int) -> ColumnFacts:
        n_observed = n_rows - self._n_missing
        is_number = self._kind is ArrowKind.NUMBER and n_observed > 0
        is_opaque = self._kind is ArrowKind.OPAQUE
        return ColumnFacts(
            self.name,
            n_rows=n_rows,
            n_missing=self._n_missing,
            n_numbers=n_observed if is_number else 0,
            is_integer=is_number and self._is_integer,
            is_huge=is_number and self._is_huge,
            counts_rows=is_number and self._is_integer and self._counts_rows,
            are_dates=self._kind is ArrowKind.TIME
            or (self._kind is ArrowKind.TEXT and self._are_dates and n_observed > 0),
            are_truths=self._kind is ArrowKind.TRUTH,
            is_opaque=is_opaque,
            is_declared_text=self._kind is ArrowKind.TEXT,
            n_distinct=None if is_opaque else self._distinct.count,
            n_distinct_about=self._distinct.estimate,
            all_differ=self._distinct.all_differ,
            mean_length=self._n_bytes / max(n_observed, 1),
            n_with_space=self._n_with_space,
            examples=self._examples,
        )

    def _add_numbers(
        self, seen: pa.Array, observed: NDArray[np.bool_], first_row: int
    ) -> int | None:
        if pa.types.is_decimal(seen.type):
            seen = pc.cast(seen, pa.float64())
        is_exact = pa.types.is_integer(seen.type)
        numbers: NDArray[np.float64] = seen.to_numpy(zero_copy_only=False).astype(np.float64)
        keys = seen.to_numpy(zero_copy_only=False) if is_exact else numbers + 0.0
        self._distinct.add(mixed(keys.astype(np.int64 if is_exact else np.float64).view(np.uint64)))
        if self._is_integer:
            self._is_integer = is_exact or bool(np.all(numbers == np.rint(numbers)))
        if self._is_integer and self._counts_rows:
            if first_row == 0:
                self._first_value = float(numbers[0])
                self._counts_rows = self._first_value in (0.0, 1.0)
            rows = np.arange(first_row, first_row + len(numbers))
            self._counts_rows &= bool(np.array_equal(numbers, rows + self._first_value))
        if is_exact:
            self._is_huge |= bool(np.any(np.abs(numbers) >= _LARGEST_WHOLE))
            return None
        infinite = np.flatnonzero(np.isinf(numbers))
        if not infinite.size:
            return None
        return first_row + int(np.flatnonzero(observed)[infinite[0]])

    def _add_texts(self, seen: pa.Array) -> None:
        if not pa.types.is_dictionary(seen.type):
            seen = pc.cast(seen, pa.string()).dictionary_encode()
        words = pc.cast(seen.dictionary, pa.string())
        indices = seen.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        used = np.bincount(indices, minlength=len(words))
        self._distinct.add(_fingerprints(words)[indices])
        lengths = pc.fill_null(pc.binary_length(words), 0).to_numpy(zero_copy_only=False)
        spaced = pc.fill_null(pc.match_substring(words, " "), False)
        self._n_bytes += int(used @ lengths)
        self._n_with_space += int(used[spaced.to_numpy(zero_copy_only=False)].sum())
        if self._are_dates:
            self._are_dates = look_like_dates(words.filter(pa.array(used > 0)))


def _fingerprints(words: pa.StringArray) -> NDArray[np.uint64]:
    """Hashes of texts; null hashes like the empty text."""
    _, offsets, data = words.buffers()
    stored = np.frombuffer(offsets, dtype=np.int32, count=len(words) + 1 + words.offset)
    places = stored[words.offset :].astype(np.int64)
    raw = b"" if data is None else data.slice(0, int(places[-1])).to_pybytes()
    text = np.frombuffer(raw + bytes(8), dtype=np.uint8)
    return fingerprints(text, places[:-1], places[1:])
