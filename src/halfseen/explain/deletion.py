"""What explanations share: rows as visible units, deletion of entries, predictions, tidy results.

An entry is deleted on visible units: those of its column become unobserved and 0, exactly as a
missing cell is encoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.base.estimator import TableClassifier, TableModel
from halfseen.data.columns import Column
from halfseen.data.frames import Table, Target
from halfseen.data.raw import plain
from halfseen.data.schema import Encoded, Schema

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Units = NDArray[np.float32]

LEAST_PROBABILITY = 1e-7  # keeps logarithms finite
_UNITS_AT_ONCE = 2**23  # that are predicted together: bounds memory


@dataclass(frozen=True)
class Rows:
    """Rows of a table as they were given, and as visible units of a model."""

    model: TableModel
    table: Table
    target: Target | None
    encoded: Encoded

    @classmethod
    def read(cls, model: TableModel, X: Any, y: Any = None) -> Self:
        """Read a table and what is known of its targets."""
        check_is_fitted(model)
        if y is not None and not isinstance(model, TableClassifier):
            raise ValueError(f"{type(model).__name__} has no targets; leave y out.")
        table = model._read(X, reset=False)
        target = None if y is None else model._read_target(y, table.n_rows)
        return cls(model, table, target, model._to_units(table, target))

    @property
    def schema(self) -> Schema:
        """Columns of the model."""
        return self.model.schema_

    @property
    def given(self) -> Bools:
        """Where cells hold a value, of shape (n_rows, n_columns)."""
        n_rows, n_targets = self.table.n_rows, len(self.schema.targets)
        unknown = np.zeros((n_rows, n_targets), bool)
        of_target = unknown if self.target is None else self.target.observed
        return np.hstack([self.table.observed, of_target])

    def cell(self, row: int, j: int) -> Any:
        """Value that was given, as a type of Python."""
        columns = self.table.columns + (() if self.target is None else self.target.columns)
        return plain(columns[j].values[row])


class Deletions(NamedTuple):
    """Predictions of all units of a row: as it is, and without each observed entry."""

    whole: Units  # (n_units,)
    columns: Ints  # (n_entries,), positions of the columns that were deleted
    without: Units  # (n_entries, n_units)


def deletions(model: TableModel, encoded: Encoded) -> Iterator[Deletions]:
    """Delete each observed entry of each row in turn; rows are predicted in bounded parts."""
    schema = model.schema_
    seen = observed_columns(schema, encoded.observed)
    ends = np.cumsum(1 + seen.sum(axis=1))
    at_once = _UNITS_AT_ONCE // schema.n_units
    first = 0
    while first < len(seen):
        n_before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, n_before + at_once, side="right")))
        # Of each row first itself: the deletion of column -1 deletes nothing.
        nothing = np.ones((last - first, 1), bool)
        row, deleted = np.nonzero(np.hstack([nothing, seen[first:last]]))
        deleted -= 1
        predicted = model._complete_units(hide(schema, take(encoded, first + row), deleted))
        starts = np.flatnonzero(deleted < 0)[1:]
        parts = zip(np.split(deleted, starts), np.split(predicted, starts), strict=True)
        for columns, units in parts:
            yield Deletions(units[0], columns[1:], units[1:])
        first = last


def take(encoded: Encoded, rows: Any) -> Encoded:
    """Some rows."""
    return Encoded(encoded.values[rows], encoded.observed[rows])


def hide(schema: Schema, encoded: Encoded, columns: Any) -> Encoded:
    """Make columns missing: one position per row, or a mask of shape (n_rows, n_columns)."""
    columns = np.asarray(columns)
    unit_column = schema.unit_column
    of_unit = columns[:, unit_column] if columns.ndim == 2 else unit_column == columns[:, None]
    observed = encoded.observed & ~of_unit
    return Encoded(np.where(observed, encoded.values, np.float32(0)), observed)


def observed_columns(schema: Schema, observed_units: Bools) -> Bools:
    """Which columns are observed, of shape (n_rows, n_columns); an ignored column never is."""
    slices = [schema.units_of(j) for j in range(len(schema.columns))]
    return np.stack([observed_units[:, units].any(axis=1) for units in slices], axis=1)


def is_discrete(column: Column) -> bool:
    """Whether a column is predicted by probabilities of its categories."""
    return column.type in ("binary", "categorical") and not column.graded


def predicted_values(model: TableModel, units: Units) -> list[NDArray[Any] | None]:
    """Values of each column as `transform` and `predict` decide them; an ignored one is None."""
    features: list[NDArray[Any] | None] = model.schema_.decode(units)
    if not isinstance(model, TableClassifier):
        return features
    return features + model._decide(model._target_probabilities(units))


def probabilities(schema: Schema, units: Units, j: int) -> Floats:
    """Probability of each category of a column, none of them 0, of shape (n_rows, n_categories)."""
    found = schema.columns[j].probabilities(units[:, schema.units_of(j)])
    return np.clip(found, LEAST_PROBABILITY, 1.0)


def codes(schema: Schema, encoded: Encoded, j: int) -> Ints:
    """Category of a column that each row holds, meaningless where it is missing."""
    return np.asarray(probabilities(schema, encoded.values, j).argmax(axis=1))


def tidy(results: Iterable[Any], parts: str, prefix: str) -> list[dict[str, Any]]:
    """One dictionary per part of a result: fields of the result, and of the part with a prefix."""
    lists = ("effects", "entries", "responses", "rows")
    return [
        {name: value for name, value in result._asdict().items() if name not in lists}
        | {prefix + name: value for name, value in part._asdict().items()}
        for result in results
        for part in getattr(result, parts)
    ]


def positions(schema: Schema, columns: Any) -> list[int]:
    """Positions of columns: a name, a number that counts features and then targets, or several."""
    asked = columns if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
    return [_position(schema, column) for column in asked]


def _position(schema: Schema, column: Any) -> int:
    names = [one.name for one in schema.columns]
    if isinstance(column, str):
        found = [j for j, name in enumerate(names) if name == column]
    else:
        found = [range(len(names))[column]] if -len(names) <= column < len(names) else []
    if not found:
        shown = ", ".join(map(repr, names[-20:])) + (" and others" if len(names) > 20 else "")
        raise ValueError(f"The model has no column {column!r}; it has {shown}.")
    j = found[-1]  # of equal names the target is meant
    if not schema.columns[j].n_units:
        raise ValueError(f"Column {names[j]!r} is ignored by the model; nothing predicts it.")
    return j
