"""Which observed entries moved the predictions of a row: units of deleted ones are unobserved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.base.estimator import TableClassifier, TableModel
from halfseen.data.columns import Column
from halfseen.data.raw import Bools, RawColumn, plain
from halfseen.data.schema import Encoded, Schema

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Units = NDArray[np.float32]

_LEAST_PROBABILITY = 1e-7  # keeps logarithms finite
_UNITS_AT_ONCE = 2**23  # that are predicted together: bounds memory


class EntryEffect(NamedTuple):
    """What one observed entry did to a prediction: the prediction with it minus without it."""

    column: str | int
    is_target: bool
    value: Any  # that was observed
    change: float  # of the log-odds of the event, of a number in its units, of an ordinal in ranks
    probability_change: float | None  # of the event


class ExplainedPrediction(NamedTuple):
    """The prediction of one column of a row, and the effects on it, the largest first."""

    row: int
    column: str | int
    is_target: bool
    value: Any
    event: Any  # the second of two categories, or the predicted one of several; None for numbers
    probability: float | None  # of the event
    effects: tuple[EntryEffect, ...]


class Explanations(NamedTuple):
    """Explained predictions, row after row."""

    predictions: tuple[ExplainedPrediction, ...]

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per effect; its fields begin with ``entry_``."""
        return tidy(self.predictions, "effects", "entry_")


def explain_rows(
    model: TableModel, X: Any, y: Any = None, *, rows: Any = None, columns: Any = None
) -> Explanations:
    """Which observed entries moved the predictions of each row, by deletion.

    Each observed entry is made missing in turn and the row is predicted again. The effect of an
    entry is the prediction with it minus the prediction without it. Effects do not add up: two
    entries that carry the same information have little effect each.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X, y : a table, and what is known of its targets, which are then observed entries
    rows : positions of the rows to explain, by default all
    columns : str, int or list of them, optional
        Columns whose predictions are explained: names, or positions among the features and then
        the targets. An observed one is made missing first. By default all unknown targets of a
        row, then all its missing features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> [prediction] = explain_rows(model, X, rows=[0]).predictions
    >>> prediction.column, prediction.value, len(prediction.effects)
    ('target', 0, 4)
    """
    read = Rows.read(model, X, y)
    schema, n_rows = read.schema, len(read.seen)
    chosen = list(range(n_rows)) if rows is None else [int(row) for row in rows]
    for row in chosen:
        if not 0 <= row < n_rows:
            raise ValueError(f"X has no row {row}; its rows count from 0 to {n_rows - 1}.")
    if columns is not None:
        asked = [positions(schema, columns)] * len(chosen)
    else:
        order = np.roll(np.arange(len(schema.columns)), len(schema.targets)).tolist()
        order = [j for j in order if schema.columns[j].n_units]
        asked = [[j for j in order if not read.is_given(row, j)] for row in chosen]
    return Explanations(tuple(_explained(read, chosen, asked)))


def _explained(
    read: Rows, rows: list[int], asked: list[list[int]]
) -> Iterator[ExplainedPrediction]:
    """Missing columns of a row are predicted together, each observed one by itself."""
    tasks: list[tuple[int, int, list[int]]] = []  # row, column to hide or -1, columns to explain
    for row, columns in zip(rows, asked, strict=True):
        missing = [j for j in columns if not read.seen[row, j]]
        tasks += [(row, -1, missing)] if missing else []
        tasks += [(row, j, [j]) for j in columns if read.seen[row, j]]
    given = read.take([row for row, _, _ in tasks])
    given = given.hide(np.array([hidden for _, hidden, _ in tasks], np.int64))
    found: dict[tuple[int, int], ExplainedPrediction] = {}
    for (row, _, columns), deleted in zip(tasks, given.deletions(), strict=True):
        values = read.values(deleted.whole[np.newaxis])
        for j in columns:
            value = plain(np.asarray(values[j])[0])
            found[row, j] = _explain(read, row, j, value, deleted)
    for row, columns in zip(rows, asked, strict=True):
        yield from (found[row, j] for j in columns)


def _explain(read: Rows, row: int, j: int, value: Any, deleted: Deletions) -> ExplainedPrediction:
    schema, column = read.schema, read.schema.columns[j]
    units = np.vstack([deleted.whole, deleted.without])
    own = units[:, schema.units_of(j)]
    event, probability = None, np.zeros(len(units))
    if is_discrete(column):
        each = read.probabilities(units, j)
        code = 1 if column.type == "binary" else int(each[0].argmax())
        event, probability = column.categories[min(code, len(column.categories) - 1)], each[:, code]
        others = np.delete(each, code, axis=1).sum(axis=1)
        level = np.log(probability) - np.log(np.maximum(others, _LEAST_PROBABILITY))
    elif column.is_number:
        level = column.decode(own)
    else:  # an ordinal column in ranks, before it is rounded to a category
        level = column.centre + column.scale * own[:, 0].astype(np.float64)
    change, probability_change = level[0] - level[1:], probability[0] - probability[1:]
    effects = []
    for k in np.argsort(-np.abs(change), kind="stable"):
        moved, of_event = float(change[k]), float(probability_change[k])
        entry = read.entry(row, deleted.columns[k])
        effects.append(EntryEffect(*entry, moved, None if event is None else of_event))
    shown = None if event is None else float(probability[0])
    names = column.name, j >= len(schema.features)
    return ExplainedPrediction(row, *names, value, event, shown, tuple(effects))


class Deletions(NamedTuple):
    """Predictions of all units of a row: as it is, and without each observed entry."""

    whole: Units  # (n_units,)
    columns: Ints  # (n_entries,), positions of the columns that were deleted
    without: Units  # (n_entries, n_units)


@dataclass(frozen=True)
class Rows:
    """Rows as visible units of a model, and the cells of the table that they come from."""

    model: TableModel
    cells: tuple[RawColumn, ...]  # features, then what is known of the targets
    encoded: Encoded

    @classmethod
    def read(cls, model: TableModel, X: Any, y: Any = None) -> Self:
        """Read a table and what is known of its targets."""
        check_is_fitted(model)
        if y is not None and not isinstance(model, TableClassifier):
            raise ValueError(f"{type(model).__name__} has no targets; leave y out.")
        table = model._read(X, reset=False)
        target = None if y is None else model._read_target(y, table.n_rows)
        cells = table.columns + (() if target is None else target.columns)
        return cls(model, cells, model._to_units(table, target))

    @property
    def schema(self) -> Schema:
        """Columns of the model."""
        return self.model.schema_

    @cached_property
    def seen(self) -> Bools:
        """Which columns are observed, (n_rows, n_columns); an ignored column never is."""
        slices = [self.schema.units_of(j) for j in range(len(self.schema.columns))]
        return np.stack([self.encoded.observed[:, own].any(axis=1) for own in slices], axis=1)

    def is_given(self, row: int, j: int) -> bool:
        """Whether a cell holds a value, be it one that the model does not know."""
        return j < len(self.cells) and bool(self.cells[j].observed[row])

    def entry(self, row: int, j: int) -> tuple[str | int, bool, Any]:
        """Column, whether it is a target, and the value in a row of the table."""
        is_target = bool(j >= len(self.schema.features))
        return self.schema.columns[j].name, is_target, plain(self.cells[j].values[row])

    def take(self, rows: Any) -> Self:
        """Some rows."""
        values, observed = self.encoded
        return replace(self, encoded=Encoded(values[rows], observed[rows]))

    def hide(self, columns: Any) -> Self:
        """Make columns missing: one position per row, or a mask of shape (n_rows, n_columns)."""
        columns, of_unit = np.asarray(columns), self.schema.unit_column
        hidden = columns[:, of_unit] if columns.ndim == 2 else of_unit == columns[:, None]
        observed = self.encoded.observed & ~hidden
        values = np.where(observed, self.encoded.values, np.float32(0))
        return replace(self, encoded=Encoded(values, observed))

    def deletions(self) -> Iterator[Deletions]:
        """Delete each observed entry of each row in turn; rows are predicted in bounded parts."""
        ends = np.cumsum(1 + self.seen.sum(axis=1))
        at_once = _UNITS_AT_ONCE // self.schema.n_units
        first = 0
        while first < len(self.seen):
            n_before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, n_before + at_once, side="right")))
            # Of each row first itself: the deletion of column -1 deletes nothing.
            nothing = np.ones((last - first, 1), bool)
            row, deleted = np.nonzero(np.hstack([nothing, self.seen[first:last]]))
            deleted -= 1
            given = self.take(first + row).hide(deleted)
            predicted = self.model._complete_units(given.encoded)
            starts = np.flatnonzero(deleted < 0)[1:]
            parts = zip(np.split(deleted, starts), np.split(predicted, starts), strict=True)
            yield from (Deletions(units[0], columns[1:], units[1:]) for columns, units in parts)
            first = last

    def values(self, units: Units) -> list[NDArray[Any] | None]:
        """Values of each column as `transform` and `predict` decide them; None if ignored."""
        features: list[NDArray[Any] | None] = self.schema.decode(units)
        if not isinstance(self.model, TableClassifier):
            return features
        return features + self.model._decide(self.model._target_probabilities(units))

    def probabilities(self, units: Units, j: int) -> Floats:
        """Probability of each category of a column, none of them 0, (n_rows, n_categories)."""
        found = self.schema.columns[j].probabilities(units[:, self.schema.units_of(j)])
        return np.clip(found, _LEAST_PROBABILITY, 1.0)

    def codes(self, j: int) -> Ints:
        """Category of a column that each row holds, meaningless where it is missing."""
        return np.asarray(self.probabilities(self.encoded.values, j).argmax(axis=1))


def is_discrete(column: Column) -> bool:
    """Whether a column is predicted by probabilities of its categories."""
    return column.type in ("binary", "categorical") and not column.graded


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
    names = [one.name for one in schema.columns]
    # A position may count from the end; of equal names the target is meant.
    places: dict[Any, int] = {j: j % len(names) for j in range(-len(names), len(names))}
    places |= {name: j for j, name in enumerate(names) if isinstance(name, str)}
    for column in asked:
        if column not in places:
            shown = ", ".join(map(repr, names[-20:])) + (" and others" if len(names) > 20 else "")
            raise ValueError(f"The model has no column {column!r}; it has {shown}.")
        if not schema.columns[places[column]].n_units:
            name = names[places[column]]
            raise ValueError(f"Column {name!r} is ignored by the model; nothing predicts it.")
    return [places[column] for column in asked]
