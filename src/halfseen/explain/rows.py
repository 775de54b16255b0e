"""Which observed entries moved the predictions of a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from halfseen.base.estimator import TableModel
from halfseen.data.columns import Column
from halfseen.data.raw import plain
from halfseen.explain.deletion import (
    LEAST_PROBABILITY,
    Deletions,
    Floats,
    Rows,
    deletions,
    hide,
    is_discrete,
    observed_columns,
    positions,
    predicted_values,
    probabilities,
    take,
    tidy,
)


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
    model : RBMClassifier, RBMImputer, HalfseenClassifier or HalfseenImputer
        A fitted model.
    X : array-like or data frame of shape (n_rows, n_features)
    y : array-like, series or data frame, optional
        What is known of the targets. Known targets are then observed entries, as in `complete`.
    rows : sequence of int, optional
        Positions of the rows to explain, by default all.
    columns : str, int or list of them, optional
        Columns whose predictions are explained: names, or positions among the features and then
        the targets. An observed one is made missing first. By default all unknown targets of a
        row, then all its missing features.

    Returns
    -------
    Explanations

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
    schema, n_rows = read.schema, read.table.n_rows
    chosen = list(range(n_rows)) if rows is None else [int(row) for row in rows]
    for row in chosen:
        if not 0 <= row < n_rows:
            raise ValueError(f"X has no row {row}; its rows count from 0 to {n_rows - 1}.")
    if columns is not None:
        asked = [positions(schema, columns)] * len(chosen)
    else:
        n_features, n_columns = len(schema.features), len(schema.columns)
        order = [*range(n_features, n_columns), *range(n_features)]
        order, given = [j for j in order if schema.columns[j].n_units], read.given
        asked = [[j for j in order if not given[row, j]] for row in chosen]
    return Explanations(tuple(_explained(read, chosen, asked)))


def _explained(
    read: Rows, rows: list[int], asked: list[list[int]]
) -> Iterator[ExplainedPrediction]:
    """Missing columns of a row are predicted together, each observed one by itself."""
    seen = observed_columns(read.schema, read.encoded.observed)
    tasks: list[tuple[int, int, list[int]]] = []  # row, column to hide or -1, columns to explain
    for row, columns in zip(rows, asked, strict=True):
        missing = [j for j in columns if not seen[row, j]]
        tasks += [(row, -1, missing)] if missing else []
        tasks += [(row, j, [j]) for j in columns if seen[row, j]]
    encoded = take(read.encoded, [row for row, _, _ in tasks])
    encoded = hide(read.schema, encoded, np.array([hidden for _, hidden, _ in tasks], np.int64))
    found: dict[tuple[int, int], ExplainedPrediction] = {}
    for (row, _, columns), deleted in zip(tasks, deletions(read.model, encoded), strict=True):
        values = predicted_values(read.model, deleted.whole[np.newaxis])
        for j in columns:
            value = plain(np.asarray(values[j])[0])
            found[row, j] = _explain(read, row, j, value, deleted)
    for row, columns in zip(rows, asked, strict=True):
        yield from (found[row, j] for j in columns)


def _explain(read: Rows, row: int, j: int, value: Any, deleted: Deletions) -> ExplainedPrediction:
    schema = read.schema
    column, n_features = schema.columns[j], len(schema.features)
    units = np.vstack([deleted.whole, deleted.without])
    event, probability = None, np.zeros(len(units))
    if is_discrete(column):
        each = probabilities(schema, units, j)
        code = 1 if column.type == "binary" else int(each[0].argmax())
        event, probability = column.categories[min(code, len(column.categories) - 1)], each[:, code]
        others = np.delete(each, code, axis=1).sum(axis=1)
        level = np.log(probability) - np.log(np.maximum(others, LEAST_PROBABILITY))
    else:
        level = _number(column, units[:, schema.units_of(j)])
    change, probability_change = level[0] - level[1:], probability[0] - probability[1:]
    effects = tuple(
        EntryEffect(
            schema.columns[deleted.columns[k]].name,
            bool(deleted.columns[k] >= n_features),
            read.cell(row, deleted.columns[k]),
            float(change[k]),
            None if event is None else float(probability_change[k]),
        )
        for k in np.argsort(-np.abs(change), kind="stable")
    )
    shown = None if event is None else float(probability[0])
    return ExplainedPrediction(row, column.name, j >= n_features, value, event, shown, effects)


def _number(column: Column, units: Any) -> Floats:
    """A number in its units; an ordinal column in ranks, before it is rounded to a category."""
    if column.is_number:
        return column.decode(units)
    return column.centre + column.scale * np.asarray(units[:, 0], np.float64)
