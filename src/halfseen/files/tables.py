"""Table files read in batches of bounded memory, and filled without changing an observed cell."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from os import PathLike
from typing import Any, Final, NamedTuple, NoReturn, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from halfseen.data.frames import fill_table
from halfseen.data.raw import Bools, shortened
from halfseen.files.cells import MISSING_MARKS, TextStyle, observed_text, read_numbers, typed_column
from halfseen.files.source import BLANKS, LONGEST_ROW, Format, Source, TableFileError, open_source
from halfseen.files.writing import Dialect

BATCH_ROWS: Final = 16_384
_BATCH_CELLS: Final = 4_000_000
_SAMPLE: Final = 0x5EED
_SNIFFED_CHARACTERS: Final = 1 << 15
_LONGEST_HEADER: Final = 16 << 20
_SNIFFED_RECORDS: Final = 100
_DELIMITERS: Final = (",", ";", "\t", "|")
_NUMBERS: Final = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
RowPositions = Sequence[int] | NDArray[np.int64]

# A last row of our own tells whether all quotes before it are closed.
_END: Final = "\x03halfseen: end of file\x03"
# A column is mixed if this share of its observed text is numbers, but not all.
_MIXED: Final = 0.9
_LONGEST_SHOWN: Final = 40


class Batch(NamedTuple):
    """Some rows of a file, cell by cell as they are."""

    first_row: int  # number of data rows before it
    cells: pa.Table


class RowSample(NamedTuple):
    """A uniform sample of the rows of a file, in their order."""

    cells: pa.Table
    rows: NDArray[np.int64]  # their positions among all data rows
    n_rows: int  # of the file


class MixedColumn(NamedTuple):
    """A column of text in which nearly all observed values are numbers."""

    name: str
    text: str  # the first that is none
    position: int  # where it stands
    problem: str


class TableFile:
    """A table file, whose columns have types unless it is text; see `open_table`."""

    def __init__(self, source: Source, schema: pa.Schema, missing: Sequence[str] = ()) -> None:
        self._source = source
        self.shown: str = source.shown  # its name in messages
        self.format: Format = source.format
        self.schema = schema  # columns as they are written back
        self.names = tuple(schema.names)
        if source.is_text:  # blanks around a name are written back
            self.names = tuple(name.strip(BLANKS) for name in schema.names)
        self.dialect: Dialect | None = None  # how a text file is written
        self._missing, self._decimal_comma = pa.array(missing, pa.string()), False
        self._temporary = contextlib.ExitStack()
        self._check_names()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary file, if there is one."""
        self._temporary.close()

    def batches(self, max_rows: int = BATCH_ROWS) -> Iterator[Batch]:
        """Read all rows once, at most `max_rows` at a time; of no rows, one empty batch."""
        first = 0
        for table in self._tables():
            for start in range(0, table.num_rows, max_rows):
                part = table.slice(start, max_rows)
                yield Batch(first, part)
                first += part.num_rows
        if not first:
            yield Batch(0, self.schema.empty_table())

    def sample(self, max_rows: int, seed: int = 0) -> RowSample:
        """Draw at most `max_rows` rows uniformly, in one pass over the file.

        The same seed draws the same rows, and a larger sample holds the smaller one.
        """
        # Apart from the draws by which a user of the same seed may have hidden entries.
        generator = np.random.default_rng([seed, _SAMPLE])
        kept, rows, keys, n_rows = self.schema.empty_table(), np.zeros(0, np.int64), np.zeros(0), 0

        def smallest() -> tuple[pa.Table, NDArray[np.int64], NDArray[np.float64]]:
            if len(keys) <= max_rows:
                return kept, rows, keys
            chosen = np.sort(np.argpartition(keys, max_rows)[:max_rows])
            return kept.take(pa.array(chosen)), rows[chosen], keys[chosen]

        for batch in self.batches():
            drawn = generator.random(batch.cells.num_rows)
            n_rows = batch.first_row + len(drawn)
            bound = np.partition(keys, max_rows - 1)[max_rows - 1] if len(keys) >= max_rows else 1.0
            chosen = np.flatnonzero(drawn < bound)
            added = batch.cells.take(pa.array(chosen))
            kept = pa.concat_tables([kept, added], promote_options="none")
            rows = np.concatenate([rows, batch.first_row + chosen])
            keys = np.concatenate([keys, drawn[chosen]])
            if len(keys) > max_rows + max(max_rows, BATCH_ROWS):
                kept, rows, keys = smallest()
        return RowSample(*smallest()[:2], n_rows)

    def values(self, cells: pa.Table) -> pa.Table:
        """What cells mean: of text, null where missing, without the blanks around it."""
        numbers = read_numbers(self._missing, decimal_comma=False)[0].drop_null()
        for j, (name, column) in enumerate(zip(self.names, cells.columns, strict=True)):
            if pa.types.is_dictionary(column.type):
                column = pc.cast(column, column.type.value_type)
            if len(self._missing) and _is_text(column.type):
                marked = pc.is_in(pc.cast(column, pa.string()), value_set=self._missing)
            elif len(numbers) and any(is_kind(column.type) for is_kind in _NUMBERS):
                marked = pc.is_in(pc.cast(column, pa.float64(), safe=False), value_set=numbers)
            else:
                continue
            null = pa.scalar(None, column.type)
            cells = cells.set_column(j, name, pc.if_else(marked, null, column))
        return cells

    def typed(self, values: pa.Table) -> pa.Table:
        """Values as numbers, booleans or text, by what all of a column are."""
        return values

    def numbers(self, values: pa.Table, name: str, rows: RowPositions) -> pa.Array:
        """A column as numbers; what is none is an error at one of `rows`, one for each value."""
        column = values.column(name).combine_chunks()
        if _is_text(column.type):
            column, is_other = read_numbers(pc.cast(column, pa.string()), self._decimal_comma)
        elif pa.types.is_floating(column.type):
            is_other = np.isinf(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False))
        else:
            return column
        if is_other.any():
            place = int(np.argmax(is_other))
            shown = shortened(str(values.column(name)[place].as_py()), _LONGEST_SHOWN)
            remedy = f"Correct it, or say --missing {shown!r} if it means missing"
            raise self.error(f"{shown!r} is not a number", remedy, int(rows[place]), name)
        return column

    def mixed_columns(self, values: pa.Table) -> Iterator[MixedColumn]:
        """Columns of text in which nearly all values are numbers: typing errors, or marks."""
        for name, column in zip(values.column_names, values.columns, strict=True):
            text = column.combine_chunks()
            if not pa.types.is_string(text.type) or text.null_count == len(text):
                continue
            numbers, is_other = read_numbers(text, self._decimal_comma)
            n_observed, n_other = len(text) - text.null_count, int(is_other.sum())
            others = text.filter(pa.array(is_other))
            are_codes = pc.any(pc.match_substring_regex(others, r"^[+-]?\d+$")).as_py()
            if not 0 < n_other <= (1 - _MIXED) * n_observed or are_codes:
                continue
            found = numbers.drop_null().to_numpy()
            are_keys = (found == np.floor(found)).all() and len(np.unique(found)) > len(found) / 2
            if not are_keys:
                place = int(np.argmax(is_other))
                shown = shortened(others[0].as_py(), _LONGEST_SHOWN)
                among = f"{n_observed - n_other:,} of {n_observed:,} values are"
                yield MixedColumn(name, shown, place, f"{shown!r} is not a number, but {among}")

    def fill(
        self, cells: pa.Table, name: str, where: Bools, fills: Sequence[Any], whole: bool = False
    ) -> pa.Table:
        """Cells with `fills` in the places of a column where `where`, written as its others are.

        `whole` rounds numbers of a text column in which no cell has been seen.
        """
        values, j = np.full(len(where), None, dtype=object), self.names.index(name)
        values[where] = np.fromiter(fills, object, len(fills))
        filled = fill_table(cells.select([j]), [values], ~where[:, np.newaxis])
        return cells.set_column(j, filled.schema.field(0), filled.column(0))

    def written(self, name: str, values: Sequence[Any], whole: bool = False) -> list[str]:
        """Values as text, like the cells of a column; `whole` is for one without such cells."""
        return TextStyle(whole).write(values)

    def error(
        self, problem: str, remedy: str, row: int | None = None, column: str | None = None
    ) -> TableFileError:
        """An error at a data row, counted from 0, and a column of this file."""
        line = None if row is None else self._line(row)
        number = None if row is None else row + 1
        return self._source.error(problem, remedy, row=number, line=line, column=column)

    def _tables(self) -> Iterator[pa.Table]:
        rows = min(max(_BATCH_CELLS // len(self.names), 64), BATCH_ROWS)
        with _arrow_errors(self._source), _open_arrow(self._source) as file:
            if self.format == "parquet":
                batches: Any = file.iter_batches(rows)
            elif isinstance(file, pa.ipc.RecordBatchFileReader):
                batches = map(file.get_batch, range(file.num_record_batches))
            else:
                batches = file
            for batch in batches:
                yield pa.Table.from_batches([batch], self.schema)

    def _line(self, row: int) -> int | None:
        return None

    def _check_names(self) -> None:
        if not self.names:
            raise self._source.error("the file is without columns", "Write some into it")
        blank = [position for position, name in enumerate(self.names) if not name.strip()]
        if blank:
            problem, column = "the column has no name", f"number {blank[0] + 1}"
            remedy = "Give each column a name (pandas: to_csv(..., index=False) leaves out the "
            remedy += "nameless row numbers)"
            raise self._source.error(problem, remedy, row=0, column=column)
        name, count = Counter(self.names).most_common(1)[0]
        if count > 1:
            remedy = "Give each column its own name"
            raise self._source.error("two columns have this name", remedy, row=0, column=name)


def open_table(
    path: str | PathLike[str], *, format: str | None = None,
    missing_marks: Sequence[str] = MISSING_MARKS, missing: Sequence[str] = (),
    encoding: str | None = None, delimiter: str | None = None,
) -> TableFile:  # fmt: skip
    r"""Open a table file: CSV, TSV, Parquet, Arrow, or the first sheet of an Excel workbook.

    Parameters
    ----------
    path : the file; "-" is standard input; text may be compressed with gzip
    format : {"csv", "tsv", "parquet", "arrow"}, by default found by content, else by name, else CSV
    missing_marks : texts that mean "missing" in text files; in others null does, and NaN
    missing : more such texts, in files of any format; in columns of numbers, as numbers
    encoding : of a text file; by default UTF-8, or what a byte-order mark says
    delimiter : between cells of text; by default found among comma, semicolon, tab and bar

    Returns
    -------
    TableFile
        To be closed, or used in a ``with`` block. What is wrong with a file is a `TableFileError`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("zip;size\n01001;1,5\n01002;NA\n")
    ...     with open_table(path) as table:
    ...         for batch in table.batches():
    ...             print(table.typed(table.values(batch.cells)).to_pydict())
    {'zip': ['01001', '01002'], 'size': [1.5, None]}
    """
    with contextlib.ExitStack() as stack:
        source = open_source(path, format, encoding, stack)
        if source.is_text:
            mark = "\t" if source.format == "tsv" and delimiter is None else delimiter
            table: TableFile = _TextTable(source, (*missing_marks, *missing), mark)
        else:
            with _arrow_errors(source), _open_arrow(source) as file:
                schema = file.schema_arrow if source.format == "parquet" else file.schema
            table = TableFile(source, schema, missing)
        table._temporary = stack.pop_all()
        return table


class _TextTable(TableFile):
    """Delimited text, read by pyarrow with every cell as text."""

    def __init__(self, source: Source, marks: tuple[str, ...], delimiter: str | None) -> None:
        head, is_all = _head(source, _SNIFFED_CHARACTERS)
        while not is_all and len(head) < _LONGEST_HEADER and not _records(head, ",", is_all):
            head, is_all = _head(source, 8 * len(head))
        if not head.strip():
            raise source.error("the file is empty", "Write a header and rows into it")
        self.delimiter = _delimiter(source, head, is_all, delimiter)
        header = next(iter(_records(head, self.delimiter, is_all)), [])
        if not header:
            remedy = "Is this a table at all? If so, end the header with a line break"
            raise source.error("the header is too long", remedy, line=1, row=0)
        if "\0" in "".join(header):
            remedy = "If the file is UTF-16, say --encoding utf-16-le (or utf-16-be)"
            raise source.error("there is a NUL character", remedy, line=1, row=0)
        super().__init__(source, pa.schema([(name, pa.string()) for name in header]))
        line_end = re.search(r"\r\n|\n|\r", re.sub(r'"[^"]*"', "", head))
        self.dialect = Dialect(
            self.delimiter, line_end[0] if line_end else "\n", source.encoding, source.mark,
            source.ends_last_line,
        )  # fmt: skip
        self._marks, self._decimal_comma = marks, self.delimiter != ","
        self._styles: dict[str, TextStyle] = {}

    def _tables(self) -> Iterator[pa.Table]:
        fields = [f"f{j}" for j in range(len(self.names))]
        end_row = f"\n{_END}{self.delimiter * (len(fields) - 1)}\n"
        is_header, is_closed = True, False
        with contextlib.closing(self._source.text()) as pieces:
            try:
                reader = arrow_csv.open_csv(
                    pa.PythonFile(_Text(chain(pieces, [end_row])), mode="r"),
                    arrow_csv.ReadOptions(
                        column_names=fields, block_size=LONGEST_ROW, use_threads=False
                    ),
                    arrow_csv.ParseOptions(
                        delimiter=self.delimiter, newlines_in_values=True,
                        invalid_row_handler=_skip_blank_row,
                    ),
                    arrow_csv.ConvertOptions(column_types=dict.fromkeys(fields, pa.string())),
                )  # fmt: skip
                for batch in reader:
                    found = pa.table(batch.columns, schema=self.schema)
                    if is_header and found.num_rows:
                        # Blank lines before the header are rows where there is one column.
                        is_blank = [not cell.as_py().strip(BLANKS) for cell in found.column(0)[:99]]
                        n_blank = is_blank.index(False) if len(self.names) == 1 else 0
                        found, is_header = found.slice(n_blank + 1), False
                    if found.num_rows and found.column(0)[-1].as_py() == _END:
                        found, is_closed = found.slice(0, found.num_rows - 1), True
                    yield found
            except pa.ArrowInvalid as error:
                self._refuse(str(error))
        if not is_closed:
            self._refuse("a quote is never closed")

    def _refuse(self, reason: str) -> NoReturn:
        """Find the row that cannot be read, and raise an error that names it."""
        n_names = len(self.names)
        for row, (line, record) in enumerate(self._data_records(), start=1):
            if len(record) != n_names:
                cells = "cell" if len(record) == 1 else "cells"
                raise self._source.error(
                    f"the row has {len(record)} {cells}, but the header has {n_names}",
                    "Add or remove cells, or put cells that hold the delimiter into quotes",
                    row=row, line=line, column=self.names[min(len(record), n_names - 1)],
                )  # fmt: skip
            if sum(map(len, record)) >= LONGEST_ROW // 4:
                problem = f"the row is longer than {LONGEST_ROW >> 20} MB"
                raise self._source.error(problem, "Shorten it", row=row, line=line)
        raise self._source.error(f"the text cannot be read ({reason})", "Check its quotes")

    def _data_records(self) -> Iterator[tuple[int, list[str]]]:
        records = (
            (line, record)
            for line, record in self._source.records(self.delimiter)
            if len(self.names) == 1 or len(record) > 1 or record[0].strip(BLANKS)
        )
        next(records, None)
        yield from records

    def _line(self, row: int) -> int | None:
        with contextlib.suppress(TableFileError):
            return next((line for line, _ in islice(self._data_records(), row, None)), None)
        return None

    def values(self, cells: pa.Table) -> pa.Table:
        columns = [observed_text(column, self._marks) for column in cells.columns]
        for name, column in zip(self.names, columns, strict=True):
            if name not in self._styles and column.null_count < len(column):
                self._styles[name] = TextStyle.learn(column, self._decimal_comma)
        return pa.table(columns, names=self.names)

    def written(self, name: str, values: Sequence[Any], whole: bool = False) -> list[str]:
        return (self._styles.get(name) or TextStyle(whole)).write(values)

    def typed(self, values: pa.Table) -> pa.Table:
        columns = [typed_column(c.combine_chunks(), self._decimal_comma) for c in values.columns]
        return pa.table(columns, names=values.column_names)

    def fill(
        self, cells: pa.Table, name: str, where: Bools, fills: Sequence[Any], whole: bool = False
    ) -> pa.Table:
        texts, j = pa.array(self.written(name, fills, whole), pa.string()), self.names.index(name)
        column = pc.replace_with_mask(cells.column(j).combine_chunks(), pa.array(where), texts)
        return cells.set_column(j, cells.schema.field(j), column)


class _Text(io.RawIOBase):
    """Text in pieces as a file of UTF-8 that pyarrow reads."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces, self._buffer = pieces, b""

    def read(self, n_bytes: int = -1) -> bytes:
        parts, size = [self._buffer], len(self._buffer)
        while size < n_bytes and (piece := next(self._pieces, "")):
            parts.append(piece.encode())
            size += len(parts[-1])
        joined = b"".join(parts)
        # pyarrow drops a line feed that begins a block behind one that ends with a carriage return.
        size = len(joined[:n_bytes].rstrip(b"\r")) or n_bytes
        self._buffer = joined[size:]
        return joined[:size]

    def readable(self) -> bool:
        return True


def _skip_blank_row(row: arrow_csv.InvalidRow) -> str:
    return "skip" if row.actual_columns == 1 and not row.text.strip() else "error"


def _head(source: Source, n_characters: int) -> tuple[str, bool]:
    """The beginning of the text, and whether it is all of it."""
    head = ""
    with contextlib.closing(source.text()) as pieces:
        for piece in pieces:
            head += piece
            if len(head) > n_characters:
                return head[:n_characters], False
    return head, True


def _records(head: str, delimiter: str, is_all: bool) -> list[list[str]]:
    """The first records, without blank ones and without a last one that may go on."""
    with contextlib.suppress(csv.Error):  # a field that is too long to be a name
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
        records = list(islice(reader, _SNIFFED_RECORDS + 2))
        is_whole = is_all or len(records) == _SNIFFED_RECORDS + 2
        records = records if is_whole else records[:-1]
        return [r for r in records if r and (len(r) > 1 or r[0].strip(BLANKS))]
    return []


def _delimiter(source: Source, head: str, is_all: bool, asked: str | None) -> str:
    def agreement(mark: str) -> tuple[bool, float, int]:
        """How well it explains the header and the first rows; more is better."""
        n_names, *counts = [len(record) for record in _records(head, mark, is_all)] or [0]
        share = float(np.mean([n == n_names for n in counts])) if counts else 0.0
        return n_names > 1, share, n_names

    if asked is None:
        return max(_DELIMITERS, key=agreement)
    if len(asked) != 1 or not asked.isascii() or asked.isalnum() or asked in '"\r\n':
        remedy = "Name one character such as , ; | or a tab"
        raise source.error(f"{asked!r} cannot separate cells", remedy)
    return asked


def _is_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type))


@contextlib.contextmanager
def _open_arrow(source: Source) -> Iterator[Any]:
    if source.format == "parquet":
        # Buffers that are filled ahead would be kept until the end of the file.
        with pq.ParquetFile(source.path, pre_buffer=False) as file:
            yield file
        return
    with pa.memory_map(source.path) as mapped:
        try:
            file = pa.ipc.open_file(mapped)
        except pa.ArrowInvalid:
            mapped.seek(0)
            file = pa.ipc.open_stream(mapped)
        yield file


@contextlib.contextmanager
def _arrow_errors(source: Source) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0][:200]
        problem = f"this is no {source.format} file that can be read ({reason})"
        raise source.error(problem, "Write it again, or name its format with --format") from error
