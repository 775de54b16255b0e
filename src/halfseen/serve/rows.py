"""Rows of a request: JSON records, CSV or Arrow, read into visible units of a model."""

from __future__ import annotations

import csv
import io
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from halfseen.data.frames import Container, Table, Target, align, read_table
from halfseen.data.raw import category_key, plain, read_column
from halfseen.data.schema import Encoded
from halfseen.files.cells import MISSING_MARKS
from halfseen.serve.schemas import Records
from halfseen.serve.settings import RequestError

ARROW = "application/vnd.apache.arrow.stream"
CSV = "text/csv"
JSON = "application/json"
_SHOWN = 5
_TYPES = (
    pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal,
    pa.types.is_string, pa.types.is_large_string, pa.types.is_null, pa.types.is_temporal,
)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Rows as they were given, as visible units, and what the sender should know of them."""

    table: Table
    target: Target | None
    encoded: Encoded
    notes: tuple[str, ...]
    arrow: pa.Table | None = None  # the features, if they came in Arrow

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @cached_property
    def X(self) -> Any:
        """Features in a container for the public functions of the library."""
        return _cells(self.table) if self.arrow is None else self.arrow

    @cached_property
    def y(self) -> Any:
        """What is known of the targets; None if no column of them was given."""
        return None if self.target is None else _cells(self.target)


def read_rows(model: Any, names: Names, content: bytes, media_type: str, most: int) -> Rows:
    """Rows from the body of a request."""
    if media_type == ARROW:
        return _from_arrow(model, names, content, most)
    if media_type == CSV:
        return from_columns(model, names, *_csv_columns(content, most))
    if media_type != JSON:
        accepted = f"{JSON}, {CSV} or {ARROW}"
        raise RequestError(415, f"A body of rows is {accepted}; name it in Content-Type.")
    return from_records(model, names, parse(Records, content).records, most)


def parse(kind: Any, content: bytes) -> Any:
    """A JSON body of a known form."""
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise RequestError(422, describe(error.errors(include_url=False))) from None


def describe(errors: Sequence[Any]) -> str:
    """The first few things that are wrong with a body, and where."""
    shown = dict.fromkeys(
        f"{' / '.join(map(str, one['loc'][:3])) or 'body'}: {one['msg']}" for one in errors[:20]
    )
    return "; ".join(list(shown)[:3])[:600]


@dataclass(frozen=True)
class Names:
    """Names of the columns of a model in requests and responses."""

    features: tuple[str, ...]
    targets: tuple[str, ...]

    @classmethod
    def of(cls, schema: Any) -> Names:
        """Those of the training table; positions where it had none."""
        targets = [str(column.name) for column in schema.targets]
        if len(targets) == 1 and not isinstance(schema.targets[0].name, str):
            targets = ["target"]
        return cls(tuple(str(column.name) for column in schema.features), tuple(targets))


def from_records(model: Any, names: Names, records: Sequence[Mapping[str, Any]], most: int) -> Rows:
    """Rows from mappings of column to cell; absent cells are missing."""
    check_number(len(records), most)
    given = set().union(*records)
    columns = {name: [record.get(name) for record in records] for name in given}
    return from_columns(model, names, columns, len(records))


def check_number(n_rows: int, most: int) -> None:
    """Refuse no rows, and too many."""
    if not n_rows:
        raise RequestError(422, "There are no rows; send at least one.")
    if n_rows > most:
        raise RequestError(413, f"{n_rows:,} rows are too many; send at most {most:,} at a time.")


def from_columns(
    model: Any, names: Names, columns: Mapping[str, Sequence[Any]], n_rows: int
) -> Rows:
    """Rows from columns by name; None is missing, and so are columns that are absent."""
    notes = _about_columns(names, columns)
    nothing = [None] * n_rows
    try:
        read = [read_column(columns.get(name, nothing), name) for name in names.features]
        # Containers matter to samples alone.
        container = Container(kind="numpy", dtypes=("object",) * len(read))
        table = Table(tuple(read), names.features, container)
        return _rows(model, names, table, columns, notes)
    except (ValueError, TypeError, OverflowError) as error:
        raise RequestError(422, str(error)) from None


def _rows(
    model: Any, names: Names, table: Table, columns: Any, notes: list[str], arrow: Any = None
) -> Rows:
    target = _known_targets(model, names, columns, table.n_rows)
    encoded = model._to_units(table, target)
    notes += _about_cells(model.schema_, names, table, encoded)
    return Rows(table, target, encoded, tuple(notes), arrow)


def _known_targets(model: Any, names: Names, columns: Any, n_rows: int) -> Target | None:
    """Targets that a request knows, unless features have their names."""
    known = [name for name in names.targets if name in columns and name not in names.features]
    if not known:
        return None
    cells = np.full((n_rows, len(names.targets)), None, dtype=object)
    for j, name in enumerate(names.targets):
        if name in known:
            cells[:, j] = np.fromiter(columns[name], object, n_rows)
    given: Target = model._read_target(cells[:, 0] if cells.shape[1] == 1 else cells, n_rows)
    for j, (name, column) in enumerate(zip(names.targets, model.schema_.targets, strict=True)):
        _, unknown = given.columns[j].codes(column.positions)
        if unknown:
            raise ValueError(f"Column {name!r}: {unknown[0]!r} is no class of the model.")
    return given


def _about_columns(names: Names, given: Mapping[str, Any]) -> list[str]:
    """Which columns are absent, and which the model does not have."""
    absent = [name for name in names.features if name not in given]
    others = sorted(set(given) - set(names.features) - set(names.targets))
    if others and len(absent) == len(names.features):
        raise RequestError(422, f"No column is one of the model; it has {_listed(names.features)}.")
    notes = [f"Columns {_listed(absent)} are absent and taken as missing."] if absent else []
    dropped = f"Columns {_listed(others)} are none of the model and not used."
    return [*notes, dropped] if others else notes


def _about_cells(schema: Any, names: Names, table: Table, encoded: Encoded) -> list[str]:
    """Which cells the model cannot use: categories that its training table did not have."""
    modelled = [j for j, column in enumerate(schema.features) if column.n_units]
    used = encoded.observed[:, [schema.units_of(j).start for j in modelled]]
    unused = table.observed[:, modelled] & ~used
    notes = []
    for place in np.flatnonzero(unused.any(axis=0)).tolist():
        j, rows = modelled[place], np.flatnonzero(unused[:, place])
        value = plain(table.columns[j].values[rows[0]])
        where = f"row {rows[0]}" + (f" and {len(rows) - 1} more" * (len(rows) > 1))
        problem = f"{value!r} is no value of the training table and taken as missing"
        notes.append(f"Column {names.features[j]!r}, {where}: {problem}.")
    return notes


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = len(names) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _cells(table: Table) -> Any:
    """Cells as an array of Python objects, None where missing."""
    cells = np.full((table.n_rows, len(table.columns)), None, dtype=object)
    for j, column in enumerate(table.columns):
        rows = np.flatnonzero(column.observed)
        cells[rows, j] = np.fromiter(map(plain, column.seen.tolist()), object, len(rows))
    return cells[:, 0] if isinstance(table, Target) and cells.shape[1] == 1 else cells


def _csv_columns(content: bytes, most: int) -> tuple[dict[str, list[Any]], int]:
    """Columns of a table with a header; separated by tabs, semicolons or commas."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError(422, "The table is not UTF-8 text; save it as UTF-8.") from None
    head = text.partition("\n")[0]
    separator = next((sign for sign in "\t;" if sign in head), ",")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        names = [name.strip() for name in next(lines, [])]
        for line in lines:
            if line and len(line) != len(names):
                found = f"Row {len(rows)} has {len(line)} cells, the header {len(names)}."
                raise RequestError(422, found)
            if len(rows) > most:
                raise RequestError(413, f"More than {most:,} rows are too many at a time.")
            rows += [line] if line else []
    except csv.Error as error:
        raise RequestError(
            422, f"The table cannot be read after row {len(rows)}: {error}."
        ) from None
    if len(set(names)) < len(names):
        raise RequestError(422, "Two columns have one name; each needs its own.")
    check_number(len(rows), most)
    marks = frozenset(MISSING_MARKS)
    columns = {
        name: [None if (cell := row[j].strip()) in marks else cell for row in rows]
        for j, name in enumerate(names)
    }
    return columns, len(rows)


def from_tensors(
    model: Any, names: Names, columns: Mapping[str, Sequence[Any]], n_rows: int, most: int
) -> Rows:
    """Rows from tensors, each a column."""
    check_number(n_rows, most)
    return from_columns(model, names, columns, n_rows)


def _from_arrow(model: Any, names: Names, content: bytes, most: int) -> Rows:
    try:
        table = _open_arrow(content, most)
        notes = _about_columns(names, dict.fromkeys(table.column_names))
        known = {name: table.column(name).to_pylist() for name in names.targets
                 if name in table.column_names}  # fmt: skip
        # A table without any column of the model is refused above, unless it has targets alone.
        if not set(names.features) & set(table.column_names):
            return from_columns(model, names, known, table.num_rows)
        arrow = align(table, names.features)
        return _rows(model, names, read_table(arrow), known, notes, arrow)
    except (
        ValueError,
        TypeError,
        OverflowError,
        OSError,
        pa.ArrowException,
        struct.error,
    ) as error:
        raise RequestError(422, f"The Arrow stream cannot be used: {error}"[:600]) from None


def _open_arrow(content: bytes, most: int) -> pa.Table:
    """A table from an IPC stream, of which no buffer is believed before it was checked."""
    reader = pa.ipc.MessageReader.open_stream(pa.BufferReader(content))
    try:
        while True:
            if _is_compressed(reader.read_next_message().metadata.to_pybytes()):
                raise ValueError("its buffers are compressed; write them without compression")
    except StopIteration:
        pass
    stream = pa.ipc.open_stream(pa.BufferReader(content))
    for field in stream.schema:
        inner = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if not any(is_type(inner) for is_type in _TYPES):
            raise ValueError(
                f"column {field.name!r} has type {field.type}, no number, text or date"
            )
    if len(set(stream.schema.names)) < len(stream.schema.names):
        raise ValueError("two columns have one name")
    batches, n_rows = [], 0
    for batch in stream:
        n_rows += batch.num_rows
        if n_rows > most:
            check_number(n_rows, most)
        batch.validate(full=True)
        batches.append(batch)
    check_number(n_rows, most)
    table = pa.Table.from_batches(batches, stream.schema)
    table.validate(full=True)
    return table


_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2


def _is_compressed(message: bytes) -> bool:
    """Whether a flatbuffer of Arrow's `Message` announces compressed buffers.

    A few bytes of them can stand for gigabytes, and pyarrow has no bound.
    """
    root = struct.unpack_from("<I", message, 0)[0]
    kind = _field(message, root, 1)
    header = _field(message, root, 2)
    if kind is None or header is None:
        return False
    word = message[kind]
    batch: int | None = _follow(message, header)
    if word == _DICTIONARY_BATCH and batch is not None:
        data = _field(message, batch, 1)
        batch = None if data is None else _follow(message, data)
    is_batch = word in (_RECORD_BATCH, _DICTIONARY_BATCH) and batch is not None
    return is_batch and _field(message, batch, 3) is not None  # type: ignore[arg-type]


def _follow(message: bytes, place: int) -> int:
    return place + int(struct.unpack_from("<I", message, place)[0])


def _field(message: bytes, table: int, number: int) -> int | None:
    """Place of a field of a flatbuffer table."""
    vtable = table - struct.unpack_from("<i", message, table)[0]
    if vtable < 0:
        raise ValueError("its metadata is damaged")
    size = struct.unpack_from("<H", message, vtable)[0]
    if 4 + 2 * number >= size:
        return None
    offset = struct.unpack_from("<H", message, vtable + 4 + 2 * number)[0]
    return table + int(offset) if offset else None


def feature_value(table: Table, row: int, j: int, decoded: Any) -> Any:
    """A cell as given, or its fill where it is missing; None in a column that is not modelled."""
    column = table.columns[j]
    if column.observed[row]:
        value = column.values[row]
        return str(value) if column.kind == "date" else plain(value)
    return None if decoded is None else plain(decoded[row])


def class_text(value: Any) -> str:
    """A class as a key of JSON."""
    return category_key(value)
