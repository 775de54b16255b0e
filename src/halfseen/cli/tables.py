"""Tables for models: what a fit learns from, and a file as a model takes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from halfseen.cli.console import Console, Problem, UsageProblem
from halfseen.cli.options import ColumnOptions, chosen_columns, column_types, sibling_labels
from halfseen.data.columns import Column
from halfseen.data.frames import align, read_table
from halfseen.data.infer import infer_type
from halfseen.data.raw import Bools, category_key, class_text, read_column
from halfseen.files import RowSample, TableFile, TableFileError
from halfseen.files.cells import typed_column
from halfseen.files.tables import RowPositions

_FEW_ROWS = 100
_FEWEST_FOR_RULE = 10  # observed values
_MOST_LISTED = 8
_NO_LABELS = {  # why a column is none
    "identifier": "names rows", "date": "holds dates", "too many categories": "holds texts",
}  # fmt: skip
# Predictions of this many visible units are made at a time.
_UNITS_AT_ONCE = 4_000_000


def load_model(path: str) -> Any:
    """A fitted model from a file."""
    from halfseen import load

    try:
        model = load(path)
    except OSError as error:
        message = f"The model {path} cannot be read: {error.strerror or error}."
        raise Problem(message) from error
    if not model.schema_.has_feature_names:
        message = f"The model {path} was fitted to an array without names of columns."
        raise Problem(message, "Fit it to a data frame, or to a file, to use it on files.")
    return model


def set_texts(classes: Sequence[Any], inside: Bools) -> list[str]:
    """Prediction sets as text, with bars between their classes."""
    texts = np.array([class_text(value) for value in classes], object)
    return ["|".join(texts[row]) for row in inside]


def no_row(table: TableFile) -> TableFileError:
    """An error for a table that must have a row, and has none."""
    return table.error("there is a header, but no row", "Write rows below the header")


# What a fit learns from.


def sample_table(
    table: TableFile, console: Console, columns: ColumnOptions, max_rows: int, seed: int
) -> tuple[list[str], list[str], dict[str, Any], RowSample, pa.Table, pa.Table]:
    """Labels, columns left out, types, a random sample, its values, and what types these have.

    Columns that hold no numbers, booleans, text or dates have none of these types.
    """
    asked = column_types(columns.types, table.names)
    chosen = chosen_columns(columns.labels, table.names, "--labels")
    left_out = chosen_columns(columns.ignore, table.names, "--ignore")
    sample = _sample(table, console, max_rows, seed)
    values = table.values(sample.cells)
    if all(typed_column(pa.array([name])).type != pa.string() for name in table.names):
        console.note("All names of columns are numbers. Is the first line a row, and no header?")
    typed = table.typed(values)
    for field in typed.schema:
        if not _is_readable(field.type):
            console.note(f"Column {field.name!r} holds {field.type}, and is left out.")
            typed = typed.drop_columns(field.name)
    return chosen, left_out, asked, sample, values, typed


def _sample(table: TableFile, console: Console, max_rows: int, seed: int) -> RowSample:
    with console.progress(f"Reading {table.shown}"):
        sample = table.sample(max_rows, seed)
    if not sample.n_rows:
        raise no_row(table)
    return sample


class TrainingTable(NamedTuple):
    """Features and labels of some rows of a file."""

    X: pa.Table
    y: pa.Table | None
    labels: list[str]
    feature_types: dict[str, Any]
    not_modelled: dict[str, str]  # columns that a model would ignore, and why
    n_rows: int  # of the file
    typed: pa.Table  # all columns


def read_training_table(
    table: TableFile, console: Console, columns: ColumnOptions, max_rows: int, seed: int
) -> TrainingTable:
    """A random sample of the rows of a file, of which a model can learn."""
    read = sample_table(table, console, columns, max_rows, seed)
    chosen, left_out, asked, sample, values, typed = read
    if both := [name for name in chosen if name in left_out]:
        raise UsageProblem(f"{both[0]!r} is named by --labels and by --ignore.", "Choose one.")
    for mixed in table.mixed_columns(values):
        if mixed.name not in asked and mixed.name not in left_out:
            remedy = f"If it means missing, say --missing {mixed.text!r}; if the column holds "
            remedy += f"categories, --as {mixed.name}=categorical"
            row = int(sample.rows[mixed.position])
            raise table.error(mixed.problem, remedy, row, mixed.name)
    for name, type in asked.items():
        if type in ("numeric", "log-numeric"):
            numbers = table.numbers(values, name, sample.rows)
            typed = typed.set_column(typed.column_names.index(name), name, numbers)
    features = [name for name in typed.column_names if name not in {*chosen, *left_out}]
    raws = read_table(typed.select(features)).columns if features else ()
    reasons = {n: infer_type(raw, n).reason for n, raw in zip(features, raws, strict=True)}
    ignored = {n: "by request" for n in features if asked.get(n) == "ignored"}
    ignored |= {n: reason for n, reason in reasons.items() if reason and n not in asked}
    features = [name for name in features if name not in ignored]
    if not features:
        remedy = "Name fewer in --labels, --ignore."
        raise UsageProblem("No column is left to be a feature.", remedy)
    for name in chosen:
        _check_label(table, name, typed, sample.rows)
    if siblings := sibling_labels(chosen, features):
        shown = ", ".join(siblings[:_MOST_LISTED])
        remedy = "If it is not known for new rows, add it to --labels, or --ignore it."
        console.note(f"{shown}: named like a label, but a feature here. {remedy}")
    if len(sample.rows) < _FEW_ROWS:
        console.note(f"{len(sample.rows)} rows are few: some hundred are needed for good models.")
    return TrainingTable(
        typed.select(features), typed.select(chosen) if chosen else None, chosen,
        {n: asked[n] for n in asked if n in features}, ignored, sample.n_rows, typed,
    )  # fmt: skip


def _check_label(table: TableFile, name: str, typed: pa.Table, rows: RowPositions) -> None:
    """Refuse numbers and names of rows, which are no classes."""
    if name not in typed.column_names:
        message = f"--labels: {name!r} holds no numbers or text."
        raise UsageProblem(message, "Choose another column.")
    column = typed.column(name)
    raw = read_column(column.to_pylist(), name)
    if pa.types.is_floating(column.type) and (raw.seen % 1 != 0).any():
        place = raw.row(int(np.argmax(raw.seen % 1 != 0)))
        remedy = "Bin the numbers, or make it a feature: numbers are filled, too"
        problem = f"the label holds {column[place].as_py():g}, but a label has classes"
        raise table.error(problem, remedy, int(rows[place]), name)
    if (reason := infer_type(raw, name).reason) in _NO_LABELS:
        message = f"--labels: {name!r} {_NO_LABELS[reason]} ({len(raw.seen):,} of them)"
        raise UsageProblem(f"{message}; it has no classes.", "Choose another column.")


def _is_readable(type: pa.DataType) -> bool:
    """Whether it is numbers, booleans, text or dates."""
    is_binary = pa.types.is_binary(type) or pa.types.is_large_binary(type)
    return not (is_binary or pa.types.is_nested(type))


# A file as a model takes it.


class Part(NamedTuple):
    """Some rows of a file: their cells, and features and targets for a model."""

    rows: RowPositions  # among all data rows
    cells: pa.Table
    values: pa.Table
    X: pa.Table
    y: pa.Table | None


class ModelTable:
    """A table file, as a model takes it."""

    def __init__(self, table: TableFile, model: Any, console: Console, path: str) -> None:
        self.table, self.model, self._console = table, model, console
        schema = model.schema_
        self.features: dict[str, Column] = {str(c.name): c for c in schema.features}
        self.modelled = [name for name, column in self.features.items() if column.n_units]
        self.labels: list[str] = schema.target_names
        self.targets: dict[str, Column] = dict(zip(self.labels, schema.targets, strict=True))
        self.known_labels = [name for name in self.labels if name in table.names]
        if not any(name in table.names for name in self.modelled):
            names = ", ".join(map(repr, self.modelled[:_MOST_LISTED]))
            message = f"{table.shown} has none of the columns that {path} was fitted to ({names})."
            raise Problem(message, "Is it another table, or has it no header?")
        self.max_rows = max(64, min(16_384, _UNITS_AT_ONCE // schema.n_units))
        self.identifiers: list[str] | None = None  # that name rows; found in the first rows
        self.n_rows: int | None = None  # of the file; known once a sample was drawn

    def parts(self) -> Iterator[Part]:
        """Read the file once, in parts."""
        for first, cells in self.table.batches(self.max_rows):
            yield self.part(cells, range(first, first + cells.num_rows))

    def sample(self, max_rows: int, seed: int) -> Part:
        """A random sample of the rows, of which there must be one."""
        sample = _sample(self.table, self._console, max_rows, seed)
        self.n_rows = sample.n_rows
        return self.part(sample.cells, sample.rows)

    def part(self, cells: pa.Table, rows: RowPositions) -> Part:
        """Features and targets of some rows."""
        values = self.table.values(cells)
        self.identify(values)
        return Part(rows, cells, values, self._X(values, rows), self._y(values, rows))

    def _X(self, values: pa.Table, rows: RowPositions) -> pa.Table:
        """The features of the model, in its order; absent ones are missing, with a note."""
        columns: dict[str, Any] = {}
        for name, column in self.features.items():
            if not column.n_units:
                columns[name] = pa.nulls(values.num_rows)  # is not modelled
            elif name in values.column_names:
                own = self.table.numbers(values, name, rows) if column.is_number else values[name]
                columns[name] = own
        return align(pa.table(columns), self.features)

    def _y(self, values: pa.Table, rows: RowPositions) -> pa.Table | None:
        """The targets of the model, unknown where the file has none; None if it has none at all."""
        if not self.known_labels:
            return None
        columns: dict[str, Any] = {}
        for name, target in self.targets.items():
            if name not in values.column_names:
                columns[name] = pa.nulls(values.num_rows, pa.float64())
            elif any(isinstance(c, str) for c in target.categories):
                columns[name] = values.column(name)
            elif any(isinstance(c, bool) for c in target.categories):
                text = values.column(name).combine_chunks()
                columns[name] = typed_column(text) if pa.types.is_string(text.type) else text
            else:
                columns[name] = self._as_classes(values, name, rows)
        return pa.table(columns)

    def _as_classes(self, values: pa.Table, name: str, rows: RowPositions) -> pa.Array:
        """Known classes that are whole numbers, as those of a model are."""
        numbers = self.table.numbers(values, name, rows)
        found = numbers.to_numpy(zero_copy_only=False).astype(np.float64)
        is_other = found % 1 != 0
        if self.model.schema_.target_type == "multilabel-indicator":
            is_other = ~np.isin(found, (0, 1))
        others = np.flatnonzero(~np.isnan(found) & is_other)
        if len(others):
            place = int(others[0])
            shown = ", ".join(map(category_key, self.targets[name].categories[:_MOST_LISTED]))
            problem = f"{found[place]:g} is none of the classes of the model ({shown})"
            remedy = f"Correct it, or say --missing {found[place]:g} if it means unknown"
            raise self.table.error(problem, remedy, int(rows[place]), name)
        return numbers

    def given(self, part: Part) -> tuple[Any, ...]:
        """What methods of the model take of a part: `X`, and `y` if it has targets."""
        return (part.X, part.y) if self.targets else (part.X,)

    def identifiers_of(self, values: pa.Table, position: int) -> dict[str, Any]:
        """What names a row, by column."""
        return {name: values.column(name)[position].as_py() for name in self.identifiers or ()}

    def row_names(self, part: Part) -> list[str]:
        """Numbers of rows, counted from 1 below the header, and their identifiers."""
        names = []
        for position, row in enumerate(part.rows):
            own = self.identifiers_of(part.values, position).items()
            shown = ", ".join(f"{name} {value}" for name, value in own if value is not None)
            names.append(f"{int(row) + 1:,}" + (f" ({shown})" if shown else ""))
        return names

    def carried(
        self, part: Part, *, taken: Sequence[str], keep: Sequence[str] = ()
    ) -> list[tuple[str, Any]]:
        """Identifiers of rows, and columns to keep, as they are in the file."""
        carried = {*(self.identifiers or ()), *keep}
        names = [name for name in self.table.names if name in carried]
        cells = part.cells.rename_columns(list(self.table.names))
        return [(name, cells.column(name)) for name in names if name not in taken]

    def identify(self, values: pa.Table) -> None:
        """Find the columns that name rows in the first rows of the file."""
        if self.identifiers is not None:
            return
        others = [n for n in self.table.names if n not in {*self.features, *self.labels}]
        typed = self.table.typed(values.select(others))
        self.identifiers = [
            field.name
            for field in typed.schema
            if _is_readable(field.type)
            and _is_identifier(typed.column(field.name).to_pylist(), field.name)
        ]


def _is_identifier(cells: list[Any], name: str) -> bool:
    """Whether a column names rows, by the one rule, or in a few rows if all of them differ."""
    raw = read_column(cells, name)
    if len(raw.seen) >= _FEWEST_FOR_RULE:
        return infer_type(raw, name).reason == "identifier"
    if len(set(raw.seen.tolist())) < len(raw.seen) or raw.kind not in ("text", "number"):
        return False
    if raw.kind == "text":
        return infer_type(raw, name).reason != "date"
    is_named = infer_type(list(range(_FEWEST_FOR_RULE)), name).reason == "identifier"
    return is_named and bool((raw.seen % 1 == 0).all())
