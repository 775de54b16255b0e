"""Where the bytes of a table file come from: format, compression and encoding."""

from __future__ import annotations

import codecs
import contextlib
import csv
import datetime
import difflib
import errno
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import IO, Any, Final, Literal, get_args

Format = Literal["csv", "tsv", "parquet", "arrow"]
FORMATS: Final[tuple[str, ...]] = get_args(Format)

_SUFFIXES: Final[dict[str, Format]] = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow",
}  # fmt: skip
_SIGNATURES: Final[dict[bytes, Format]] = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BYTE_ORDER_MARKS: Final = {  # UTF-32 before UTF-16, whose mark it begins with
    codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be",
}  # fmt: skip
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
_CHUNK_BYTES: Final = 1 << 20
LONGEST_ROW: Final = 4 << 20  # bytes
BLANKS: Final = " \t"


class TableFileError(ValueError):
    """What is wrong with a table file, where, and what helps.

    Data rows count from 1, and row 0 is the header; lines are as an editor numbers them.

    Examples
    --------
    >>> print(TableFileError("'n/k' is not a number", path="a.csv", row=3, line=4, column="age",
    ...                      remedy="Make the column categorical"))
    a.csv, line 4 (data row 3), column 'age': 'n/k' is not a number. Make the column categorical.
    """

    def __init__(
        self, problem: str, *, path: str | PathLike[str], remedy: str,
        row: int | None = None, line: int | None = None, column: str | None = None,
    ) -> None:  # fmt: skip
        self.path, self.row, self.line, self.column = fspath(path), row, line, column
        place = None if row is None else f"data row {row}" if row else "the header"
        if line is not None:
            place = f"line {line}" + (f" ({place})" if place else "")
        stream = "standard output" if isinstance(self, TableWriteError) else "standard input"
        places = [stream if self.path == "-" else self.path, place]
        places.append(None if column is None else f"column {column!r}")
        end = "" if remedy.endswith("?") else "."
        super().__init__(f"{', '.join(filter(None, places))}: {problem}. {remedy}{end}")


class TableWriteError(TableFileError):
    """A result cannot be written."""


@dataclass(frozen=True)
class Source:
    """A regular file that holds a table, and what is known of its bytes."""

    path: str  # of the file that is read
    shown: str  # its name in messages
    format: Format
    is_gzip: bool = False
    encoding: str = "utf-8"  # of a text file, with the byte order
    mark: bytes = b""  # byte-order mark

    @property
    def is_text(self) -> bool:
        """Whether it is delimited text."""
        return self.format in ("csv", "tsv")

    @property
    def ends_last_line(self) -> bool:
        """Whether the last line has an end; of compressed text it is taken to have one."""
        if self.is_gzip:
            return True
        with open(self.path, "rb") as file:
            file.seek(max(os.path.getsize(self.path) - 4, 0))
            return file.read().endswith(tuple(end.encode(self.encoding) for end in "\r\n"))

    def error(self, problem: str, remedy: str, **place: Any) -> TableFileError:
        """An error in this file."""
        return TableFileError(problem, path=self.shown, remedy=remedy, **place)

    def text(self) -> Generator[str, None, None]:
        """The text without byte-order mark, piece by piece; what cannot be decoded is an error."""
        decoder, n_lines = codecs.getincrementaldecoder(self.encoding)(), 1
        with self._binary() as file:
            chunk: bytes | None = None
            while chunk != b"":
                try:
                    chunk = file.read(_CHUNK_BYTES)
                    text = decoder.decode(chunk, not chunk)
                except _DAMAGED as error:
                    problem = f"the compressed file is damaged or cut off ({error})"
                    raise self.error(problem, "Fetch it again", line=n_lines) from error
                except UnicodeDecodeError as error:
                    before = error.object[: error.start].decode(self.encoding, "ignore")
                    found = error.object[error.start : error.end].hex()
                    raise self.error(
                        f"the bytes 0x{found} are no text in {self.encoding}",
                        "Name the encoding of the file with --encoding, such as cp1252 or utf-16",
                        line=n_lines + _count_line_ends(before),
                    ) from None
                n_lines += _count_line_ends(text)
                if text:
                    yield text

    def records(self, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """First line and fields of each record, one by one; what cannot be split is an error."""
        limit, line, n_records = csv.field_size_limit(LONGEST_ROW), 1, 0
        try:
            with self._binary() as file:
                lines = io.TextIOWrapper(file, self.encoding, "replace", newline="")
                reader = csv.reader(lines, delimiter=delimiter, strict=True)
                for record in reader:
                    if record and (len(record) > 1 or record[0].strip(BLANKS)):
                        yield line, record
                        n_records += 1
                    line = reader.line_num + 1
        except csv.Error as error:
            problem = "text follows a closing quote"
            if "end of data" in str(error):
                problem = "a quote is never closed"
            elif "limit" in str(error):
                size = f"{LONGEST_ROW >> 20} MB"
                problem = f"a quote is never closed, or a cell is longer than {size}"
            remedy = "Close the quote, or double it"
            raise self.error(problem, remedy, line=line, row=n_records) from None
        except _DAMAGED:
            return
        finally:
            csv.field_size_limit(limit)

    @contextlib.contextmanager
    def _binary(self) -> Iterator[Any]:
        """The bytes behind the byte-order mark."""
        with gzip.open(self.path) if self.is_gzip else open(self.path, "rb") as file:
            file.read(len(self.mark))
            yield file


def open_source(
    path: str | PathLike[str], format: str | None, encoding: str | None, stack: contextlib.ExitStack
) -> Source:
    """Find out what a file is. Standard input, pipes and Excel files become temporary files."""
    shown = fspath(path)
    try:
        file = _regular_file(shown, stack)
        head = _head(file)
        if not head:
            raise _error(shown, "the file is empty", "Write a header and rows into it")
        if head.startswith(_OLD_EXCEL):
            raise _error(shown, "this is an old Excel file", "Save it as .xlsx or as CSV")
        if head.startswith(_ZIP):
            path = _temporary(stack, "sheet.csv")
            _excel_to_csv(file, shown, path)
            return Source(path, shown, "csv")
        return _source(file, shown, head, format, encoding)
    except OSError as error:
        raise _unreadable(shown, error) from error


def _error(shown: str, problem: str, remedy: str) -> TableFileError:
    return TableFileError(problem, path=shown, remedy=remedy)


def format_of_name(path: str) -> Format | None:
    """The format that the name of a file tells, None if it does not."""
    name = os.path.basename(path).lower().removesuffix(".gz")
    return _SUFFIXES.get(os.path.splitext(name)[1])


def _source(file: str, shown: str, head: bytes, format: str | None, encoding: str | None) -> Source:
    if format is not None and format not in FORMATS:
        raise _error(shown, f"there is no format {format!r}", f"Use one of {', '.join(FORMATS)}")
    signed = next((name for sign, name in _SIGNATURES.items() if head.startswith(sign)), None)
    found: Any = format or signed or format_of_name(shown) or "csv"
    if found in ("parquet", "arrow"):
        return Source(file, shown, found)
    is_gzip = head.startswith(_GZIP)
    if is_gzip:
        try:
            with gzip.open(file) as unpacked:
                head = unpacked.read(4)
        except _DAMAGED:
            head = b""  # reading it will tell
    mark = next(filter(head.startswith, _BYTE_ORDER_MARKS), b"")
    marked = _BYTE_ORDER_MARKS.get(mark, "")
    if encoding is None:
        return Source(file, shown, found, is_gzip, marked or "utf-8", mark)
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except LookupError:
        remedy = "Name one that Python knows, such as utf-8, cp1252, latin-1 or utf-16"
        raise _error(shown, f"there is no text encoding named {encoding!r}", remedy) from None
    name = name.removesuffix("-sig")
    if marked.startswith(name):
        return Source(file, shown, found, is_gzip, marked, mark)
    name = f"{name}-le" if name in ("utf-16", "utf-32") else name
    return Source(file, shown, found, is_gzip, name)


def _regular_file(shown: str, stack: contextlib.ExitStack) -> str:
    """A file that can be read more than once: standard input and pipes are copied."""
    if shown == "-":
        if sys.stdin is None:
            raise _error("-", "standard input is closed", "Name a file")
        return _spooled(sys.stdin.buffer, stack)
    mode = os.stat(shown).st_mode
    if stat.S_ISDIR(mode):
        raise _error(shown, "this is a folder", "Name a file in it")
    if stat.S_ISFIFO(mode):
        with open(shown, "rb") as pipe:
            return _spooled(pipe, stack)
    if not stat.S_ISREG(mode):
        raise _error(shown, "this is a device", "Name a regular file")
    return shown


def _temporary(stack: contextlib.ExitStack, name: str) -> str:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="halfseen-"))
    return os.path.join(folder, name)


def _spooled(stream: IO[bytes], stack: contextlib.ExitStack) -> str:
    path = _temporary(stack, "input")
    try:
        with open(path, "wb") as spool:
            shutil.copyfileobj(stream, spool, _CHUNK_BYTES)
    except OSError as error:
        problem = f"the input cannot be kept in a temporary file ({error.strerror})"
        remedy = f"Make room in {tempfile.gettempdir()}, or set TMPDIR to another folder"
        raise _error("-", problem, remedy) from error
    return path


def _head(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read(8)


def _excel_to_csv(file: str, shown: str, path: str) -> None:
    """Write the first sheet as CSV: whole numbers without decimals, dates as ISO."""
    try:
        import openpyxl
    except ImportError:
        remedy = 'Install it with pip install "halfseen[excel]", or save the sheet as CSV'
        raise _error(shown, "reading Excel files needs another package", remedy) from None
    try:
        with open(file, "rb") as given, open(path, "w", encoding="utf-8", newline="") as opened:
            book = openpyxl.load_workbook(given, read_only=True, data_only=True)
            writer = csv.writer(opened, lineterminator="\n")
            for row in book.worksheets[0].iter_rows(values_only=True):
                writer.writerow(map(_excel_text, row))
    except (zipfile.BadZipFile, LookupError, ValueError, TypeError, AttributeError) as error:
        problem = f"this is no Excel workbook that can be read ({error})"
        raise _error(shown, problem, "Save it again as .xlsx, or as CSV") from error


def _excel_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)


def _count_line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _unreadable(shown: str, error: OSError) -> TableFileError:
    if error.errno == errno.ENOENT:
        folder, name = os.path.split(shown)
        remedy = "Check the name and the folder"
        with contextlib.suppress(OSError):
            if near := difflib.get_close_matches(name, os.listdir(folder or "."), n=3):
                remedy = f"Did you mean {', '.join(map(repr, near))}?"
        return _error(shown, "there is no such file", remedy)
    problem = f"the file cannot be read ({error.strerror or error})"
    return _error(shown, problem, "Check that it is a regular file and that you may read it")
