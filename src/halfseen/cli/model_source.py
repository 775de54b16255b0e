"""A table that a model is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from halfseen.cli.counted import counted
from halfseen.cli.problem import Problem
from halfseen.cli.reading import Reading
from halfseen.cli.terminal import Terminal
from halfseen.cli.typed_columns import typed_for_model

if TYPE_CHECKING:
    import pyarrow

    from halfseen.files import TableFile
    from halfseen.tables import Schema

_MOST_NAMED = 6
_UNITS_PER_BATCH = 4_000_000
_FEWEST_ROWS, _MOST_ROWS = 256, 32_768


@dataclass(frozen=True)
class ModelSource:
    """A table that a model is asked about, in the model's columns and types.

    Attributes
    ----------
    source : TableFile
        The table.
    schema : Schema
        Columns of the model.
    absent : tuple of str
        Columns of the model that the table lacks, taken as missing in every row.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table, Schema
    >>> schema = Schema(learn_columns(read_table([[1.0], [2.0]])), (), None)
    >>> ModelSource(None, schema, ()).rows_at_once
    32768
    """

    source: TableFile
    schema: Schema
    absent: tuple[str, ...]

    @property
    def present(self) -> list[str]:
        """Columns of the model that the table has, in the model's order."""
        return [column.name for column in self.schema.columns if column.name not in self.absent]

    @property
    def passed(self) -> list[str]:
        """Columns of the table that the model does not know."""
        own = {column.name for column in self.schema.columns}
        return [column.name for column in self.source.columns if column.name not in own]

    @property
    def rows_at_once(self) -> int:
        """Rows of a batch that keep memory within bounds, whatever the number of columns."""
        rows = _UNITS_PER_BATCH // max(self.schema.n_visible, 1)
        return max(_FEWEST_ROWS, min(_MOST_ROWS, rows // 256 * 256))

    def for_model(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Rows of the table in the model's columns, order and types.

        Parameters
        ----------
        batch : pyarrow.Table
            Rows of the table, of all columns or those of the model.

        Returns
        -------
        pyarrow.Table
            Columns that the table lacks are all missing.
        """
        import pyarrow as pa

        typed = typed_for_model(batch.select(self.present), self.schema, self.source.path)
        columns = {
            column.name: (
                pa.nulls(len(batch), pa.string() if column.holds_text else pa.float64())
                if column.name in self.absent
                else typed.column(column.name)
            )
            for column in self.schema.columns
        }
        return pa.table(columns)

    def without_labels(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The features of some rows, in the model's columns, order and types.

        Parameters
        ----------
        batch : pyarrow.Table
            Rows of the table; labels are not looked at.

        Returns
        -------
        pyarrow.Table
        """
        features = tuple(column.name for column in self.schema.features)
        labels = tuple(column.name for column in self.schema.targets)
        blind = ModelSource(self.source, self.schema, tuple({*self.absent, *labels}))
        return blind.for_model(batch).select(features)

    def batches(self) -> Iterator[pyarrow.Table]:
        """All rows for the model, batch by batch.

        Yields
        ------
        pyarrow.Table
        """
        for batch in self.source.batches(self.rows_at_once, self.present):
            yield self.for_model(batch)

    def sample(self, n_rows: int, seed: int) -> tuple[pyarrow.Table, Any]:
        """At most so many rows for the model, and where they are, counted from 0.

        Parameters
        ----------
        n_rows : int
            Most rows.
        seed : int
            The same seed draws the same rows.

        Returns
        -------
        table : pyarrow.Table
        rows : ndarray of int
        """
        table, rows = self.source.sample_rows(n_rows, seed, self.present)
        return self.for_model(table), rows


def open_for_model(
    path: str,
    schema: Schema,
    reading: Reading,
    terminal: Terminal,
    *,
    allow_missing_columns: bool = False,
) -> ModelSource:
    """Open a table that a model is asked about.

    Parameters
    ----------
    path : str
        The file, or "-" for standard input.
    schema : Schema
        Columns of the model.
    reading : Reading
        How to read it.
    terminal : Terminal
        Where to say what is missing.
    allow_missing_columns : bool, default=False
        Whether features that the table lacks count as missing in every row.

    Returns
    -------
    ModelSource

    Raises
    ------
    Problem
        The table lacks features of the model.
    """
    from halfseen.files import ColumnRole

    source = reading.open(path, terminal)
    codes, wrong = _codes(source, schema), _not_numbers(source, schema)
    if wrong and path != "-":
        # Says which row holds what; if it finds nothing wrong, so much the better.
        source = reading.open(path, terminal, {name: ColumnRole.NUMBER for name in wrong})
    if codes:
        source = _reopened(path, codes, reading, terminal)
    names = {column.name for column in source.columns}
    features = [column.name for column in schema.features if column.name not in names]
    labels = [column.name for column in schema.targets if column.name not in names]
    all_of_them = len(features) == len(schema.features)
    if all_of_them or (features and not allow_missing_columns):
        raise _lacking(path, features, sorted(names), all_of_them=all_of_them)
    if features:
        terminal.note(
            f"{path} lacks {_listed(features)}: missing in every row, so answers rest on the other "
            "columns."
        )
    return ModelSource(source, schema, (*features, *labels))


def _codes(source: TableFile, schema: Schema) -> list[str]:
    """Columns that look like decimal numbers, and whose texts the model knows as categories."""
    texts = {column.name for column in schema.columns if column.holds_text}
    return [
        column.name
        for column in source.columns
        if column.name in texts and column.role.value == "number" and not column.is_integer
    ]


def _not_numbers(source: TableFile, schema: Schema) -> list[str]:
    """Columns of text where the model learned numbers."""
    numbers = {column.name for column in schema.columns if not column.holds_text}
    texts = ("category", "text", "date")
    return [c.name for c in source.columns if c.name in numbers and c.role.value in texts]


def _reopened(path: str, codes: list[str], reading: Reading, terminal: Terminal) -> TableFile:
    from halfseen.files import ColumnRole

    if path == "-":
        raise Problem(
            f"Standard input holds {_listed(codes)} as numbers, and the model knows categories.",
            "Save the table to a file first, and name that.",
        )
    return reading.open(path, terminal, {name: ColumnRole.CATEGORY for name in codes})


def _lacking(path: str, features: list[str], names: list[str], *, all_of_them: bool) -> Problem:
    lower = {name.lower(): name for name in names}
    near = get_close_matches(features[0].lower(), list(lower), n=1)
    hint = f" (did you mean {lower[near[0]]!r} for {features[0]!r}?)" if near else ""
    if all_of_them:
        return Problem(
            f"{path} has none of the columns that the model learned from: "
            f"{_listed(features)}{hint}.",
            f"Is it the right table? It has {_listed(names)}.",
        )
    return Problem(
        f"{path} lacks {counted(len(features), 'column')} that the model learned from: "
        f"{_listed(features)}{hint}.",
        "Rename the columns, or take them as missing in every row: --allow-missing-columns.",
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
