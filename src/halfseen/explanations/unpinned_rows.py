"""Rows with one observed entry after the other taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.exact_conditional import exact_conditional
from halfseen.explanations.likelihood_machine import likelihood_machine
from halfseen.tables import Encoded, Schema

Completer = Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[np.floating]]
METHODS = ("model", "exact")
_MOST_AT_ONCE = 8192


@dataclass(frozen=True)
class UnpinnedRow:
    """One row as it is, and with each of its observed entries taken away in turn.

    Attributes
    ----------
    columns : ndarray of int64, shape (n_entries,)
        The columns that were taken away, counted over features and targets together.
    completed : ndarray of float, shape (1 + n_entries, n_visible)
        What the model expects of every unit: first of the row as it is, then without each entry.
    """

    columns: NDArray[np.int64]
    completed: NDArray[np.floating]


def completer_of(model: RBMBase, method: str) -> Completer:
    """How rows are completed: as the model answers, or exactly."""
    if method not in METHODS:
        raise ValueError(f"method must be of {METHODS}, got {method!r}")
    if method == "exact":
        machine = likelihood_machine(model, 'method="exact"')
        return lambda visible, observed: exact_conditional(machine, visible, observed)
    if model.prediction_ is not None:
        return model.prediction_.complete
    return likelihood_machine(model, "an answer").complete


def unpinned_rows(schema: Schema, encoded: Encoded, completer: Completer) -> list[UnpinnedRow]:
    """Ask again about every row, once for every observed entry, with that entry missing.

    All rows are sent to the model together, in parts that bound memory. What is sent for a row is
    bit for bit what its table encodes to after the entry was deleted.

    Parameters
    ----------
    schema : Schema
        The columns.
    encoded : Encoded
        The rows.
    completer : callable
        ``(visible, observed) -> completed``, row by row.

    Returns
    -------
    list of UnpinnedRow
        One for every row.
    """
    entries = [entries_of(schema, observed) for observed in encoded.observed]
    rows: list[UnpinnedRow] = []
    while len(rows) < len(entries):
        first = last = len(rows)
        n_asked = 0
        while last < len(entries) and (
            last == first or n_asked + 1 + len(entries[last]) <= _MOST_AT_ONCE
        ):
            n_asked += 1 + len(entries[last])
            last += 1
        rows += _asked_together(schema, encoded, entries, range(first, last), completer)
    return rows


def entries_of(schema: Schema, observed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The columns of which a row holds an observed entry."""
    return np.unique(schema.column_of_unit[observed])


def _asked_together(
    schema: Schema,
    encoded: Encoded,
    entries: list[NDArray[np.int64]],
    rows: range,
    completer: Completer,
) -> list[UnpinnedRow]:
    nothing = np.array([-1], np.int64)
    removed = [np.concatenate([nothing, entries[row]]) for row in rows]
    row_of = np.repeat(np.array(rows, np.int64), [len(columns) for columns in removed])
    taken_away = schema.column_of_unit == np.concatenate(removed)[:, None]
    observed = encoded.observed[row_of] & ~taken_away
    visible = np.where(observed, encoded.visible[row_of], np.float32(0))
    completed = completer(visible, observed)
    ends = np.cumsum([len(columns) for columns in removed])
    parts = np.split(completed, ends[:-1])
    return [UnpinnedRow(entries[row], part) for row, part in zip(rows, parts, strict=True)]
