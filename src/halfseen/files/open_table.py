"""Open a table file and find out what is in it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from os import PathLike, fspath

import pyarrow as pa

from halfseen.files.arrow_kind import ArrowKind, arrow_kind
from halfseen.files.arrow_scan import scan_arrow
from halfseen.files.arrow_source import ArrowSource
from halfseen.files.arrow_table import ArrowTable
from halfseen.files.choose_role import ChosenRole, choose_role, says_identifier
from halfseen.files.column_facts import ColumnFacts
from halfseen.files.column_role import ColumnRole
from halfseen.files.file_column import FileColumn
from halfseen.files.file_format import find_format
from halfseen.files.file_stamp import FileStamp
from halfseen.files.ipc_source import IpcSource
from halfseen.files.missing_marks import DEFAULT_MISSING_MARKS
from halfseen.files.parquet_source import ParquetSource
from halfseen.files.scanned_column import OddValue
from halfseen.files.spool_input import spool_input
from halfseen.files.table_file import TableFile
from halfseen.files.table_file_error import TableFileError
from halfseen.files.text_layout import find_text_layout
from halfseen.files.text_scan import scan_text
from halfseen.files.text_stream import TextStream
from halfseen.files.text_table import TextTable


def open_table(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    missing_marks: Sequence[str] = DEFAULT_MISSING_MARKS,
    encoding: str | None = None,
    delimiter: str | None = None,
    roles: Mapping[str, ColumnRole] | None = None,
) -> TableFile:
    r"""Open a table file: one streaming pass finds out what each column is.

    The rule by which a column gets its role is `halfseen.files.choose_role.choose_role`.

    Parameters
    ----------
    path : str or path-like
        The file; "-" is standard input, which is copied into a temporary file. Text may be
        compressed with gzip.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default told from the first bytes, else from the name, else CSV.
    missing_marks : sequence of str
        Texts that mark a hole in text files. In typed files holes are null, and NaN among
        decimals.
    encoding : str, optional
        Encoding of a text file. By default UTF-8, or what a byte-order mark says.
    delimiter : str, optional
        What separates fields. By default found out on the header and the first rows, among comma,
        semicolon, tab and bar.
    roles : mapping of str to ColumnRole, optional
        Roles that you know better, by column name.

    Returns
    -------
    TableFile
        The file; close it, or use it in a ``with`` block.

    Raises
    ------
    TableFileError
        With file, row, column and remedy.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("zip;size\n01001;1,5\n01002;NA\n01001;2,25\n01007;3\n")
    ...     with open_table(path) as table:
    ...         for column in table.columns:
    ...             print(column.name, column.role.value, column.reason, sep=": ")
    zip: category: 3 different codes with leading zeros
    size: number: all 3 values are numbers
    """
    shown = fspath(path)
    temporary = spool_input() if shown == "-" else None
    file = temporary or shown
    try:
        return _opened(
            file, shown, format, tuple(missing_marks), encoding, delimiter, roles or {}, temporary
        )
    except BaseException as error:
        if temporary is not None:
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise _unreadable(shown, error) from error
        raise


def _opened(
    file: str,
    shown: str,
    format: str | None,
    missing_marks: tuple[str, ...],
    encoding: str | None,
    delimiter: str | None,
    roles: Mapping[str, ColumnRole],
    temporary: str | None,
) -> TableFile:
    stamp = FileStamp.of(file, shown)
    if os.path.isdir(file):
        raise TableFileError("this is a folder", path=shown, remedy="Name a file in it")
    if stamp.size == 0:
        raise TableFileError(
            "the file is empty", path=shown, remedy="Write a header and rows into it"
        )
    found = find_format(file, shown, format)
    try:
        if found in ("csv", "tsv"):
            mark = "\t" if found == "tsv" and delimiter is None else delimiter
            table = _open_text(stamp, found, missing_marks, encoding, mark, roles, temporary)
        else:
            table = _open_arrow(stamp, found, roles, temporary)
    except TableFileError:
        stamp.check()
        raise
    stamp.check()
    return table


def _open_text(
    stamp: FileStamp,
    format: str,
    missing_marks: tuple[str, ...],
    encoding: str | None,
    delimiter: str | None,
    roles: Mapping[str, ColumnRole],
    temporary: str | None,
) -> TableFile:
    layout = find_text_layout(TextStream.open(stamp.path, stamp.shown, encoding), delimiter)
    _refuse_unknown_roles(roles, layout.names, stamp.shown)
    scanned, n_rows = scan_text(layout, missing_marks)
    _refuse_no_rows(n_rows, stamp.shown)
    for column in scanned:
        _refuse_mixed(column.facts, column.odd, roles.get(column.facts.name), stamp.shown)
    columns = tuple(_file_column(column.facts, roles) for column in scanned)
    body = TextTable(
        layout,
        stamp,
        missing_marks,
        scanned,
        tuple(column.role for column in columns),
        n_rows,
    )
    return TableFile(stamp.shown, format, columns, n_rows, body, temporary)


def _open_arrow(
    stamp: FileStamp, format: str, roles: Mapping[str, ColumnRole], temporary: str | None
) -> TableFile:
    try:
        source: ArrowSource
        source = ParquetSource(stamp.path) if format == "parquet" else IpcSource(stamp.path)
        names = tuple(source.schema.names)
        _refuse_names(names, stamp.shown)
        _refuse_unknown_roles(roles, names, stamp.shown)
        kept = frozenset(name for name in names if roles.get(name, ColumnRole.NUMBER).is_modelled)
        facts, n_rows = scan_arrow(source, stamp.shown, kept)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise TableFileError(
            f"this is no {format} file that can be read ({error})",
            path=stamp.shown,
            remedy="Write it again, or name its format with --format",
        ) from error
    _refuse_no_rows(n_rows, stamp.shown)
    columns = tuple(_file_column(column, roles) for column in facts)
    for column, kind in zip(columns, source.schema.types, strict=True):
        _refuse_impossible(column, kind, roles, stamp.shown)
    body = ArrowTable(source, stamp, tuple(column.role for column in columns))
    return TableFile(stamp.shown, format, columns, n_rows, body, temporary)


def _file_column(facts: ColumnFacts, roles: Mapping[str, ColumnRole]) -> FileColumn:
    chosen = choose_role(facts)
    if facts.name in roles:
        chosen = ChosenRole(ColumnRole(roles[facts.name]), "you said so")
    return FileColumn(
        facts.name,
        chosen.role,
        chosen.reason,
        facts.n_missing,
        facts.is_integer,
        facts.n_distinct,
        facts.examples,
    )


def _refuse_mixed(
    facts: ColumnFacts, odd: OddValue | None, role: ColumnRole | None, shown: str
) -> None:
    """Refuse texts among numbers, unless it is known what the column is."""
    is_error = role is ColumnRole.NUMBER or (
        role is None and facts.is_mixed and not says_identifier(facts.name)
    )
    if odd is None or not is_error:
        return
    value = odd.text if len(odd.text) <= 40 else odd.text[:39] + "…"
    among = f", but {facts.n_numbers:,} of {facts.n_observed:,} values are"
    raise TableFileError(
        f"{value!r} is no number{among if facts.n_numbers else ''}",
        path=shown,
        row=odd.row,
        line=odd.line,
        column=facts.name,
        remedy=f"If it means missing, add {value!r} to the missing marks; if the column holds "
        "categories, declare it a category",
    )


def _refuse_impossible(
    column: FileColumn, kind: pa.DataType, roles: Mapping[str, ColumnRole], shown: str
) -> None:
    """Refuse a role that the type of the column cannot have."""
    if column.name not in roles or not column.role.is_modelled:
        return
    found = arrow_kind(kind)
    if found is ArrowKind.OPAQUE or (
        column.role is ColumnRole.NUMBER and found in (ArrowKind.TEXT, ArrowKind.TIME)
    ):
        raise TableFileError(
            f"a column of type {kind} cannot be a {column.role.value}",
            path=shown,
            column=column.name,
            remedy="Change its type, or give it another role",
        )


def _refuse_names(names: tuple[str, ...], shown: str) -> None:
    if not names:
        raise TableFileError(
            "the file has no columns", path=shown, remedy="Write a table with columns"
        )
    for position, name in enumerate(names):
        if not name.strip():
            raise TableFileError(
                "the column has no name",
                path=shown,
                row=0,
                column=f"number {position + 1}",
                remedy="Give each column a name",
            )
        if name in names[:position]:
            raise TableFileError(
                "two columns have this name",
                path=shown,
                row=0,
                column=name,
                remedy="Give each column its own name",
            )


def _refuse_unknown_roles(
    roles: Mapping[str, ColumnRole], names: tuple[str, ...], shown: str
) -> None:
    for name in roles:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3) or list(names[:10])
            raise TableFileError(
                f"there is no column {name!r}, for which a role was given",
                path=shown,
                column=name,
                remedy=f"Did you mean {', '.join(repr(other) for other in near)}",
            )


def _refuse_no_rows(n_rows: int, shown: str) -> None:
    if not n_rows:
        raise TableFileError(
            "there is a header, but no row",
            path=shown,
            row=0,
            remedy="Write rows below the header",
        )


def _unreadable(shown: str, error: OSError) -> TableFileError:
    if isinstance(error, FileNotFoundError):
        folder, name = os.path.split(shown)
        others = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
        near = difflib.get_close_matches(name, others, n=3)
        listed = ", ".join(repr(other) for other in near)
        return TableFileError(
            "there is no such file",
            path=shown,
            remedy=f"Did you mean {listed}" if near else "Check the name and the folder",
        )
    return TableFileError(
        f"the file cannot be read ({error.strerror or error})",
        path=shown,
        remedy="Check that it is a regular file and that you may read it",
    )
