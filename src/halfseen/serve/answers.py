"""Answers to rows: predictions, completions, intervals, sets, explanations, unusual rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.base.estimator import by_target
from halfseen.data.raw import plain
from halfseen.explain import EntryEffect, explain_rows, unusual_rows
from halfseen.serve.models import Completed, Served
from halfseen.serve.rows import Rows, class_text, feature_value
from halfseen.serve.settings import RequestError

_ENTRIES = 5
_MOST_EFFECTS = 20


def needs_targets(served: Served) -> None:
    """Refuse to predict what the model has not."""
    if not served.names.targets:
        raise RequestError(422, f"Model {served.name} has no targets; ask it to complete.")


def needs_calibration(served: Served) -> None:
    """Refuse intervals and sets that nothing calibrates."""
    if served.model.calibration_ is None:
        message = f"Model {served.name} was fitted without validation entries"
        raise RequestError(422, f"{message}; it has no intervals and no sets.")


class Targets:
    """Decisions and probabilities of the targets of some rows."""

    def __init__(self, served: Served, completed: Completed) -> None:
        self.names, model = served.names.targets, served.model
        self.proba: list[NDArray[np.float64]] = (
            model._target_probabilities(completed.units) if self.names else []
        )
        self.decided = model._decide(self.proba) if self.names else []
        self.classes = [column.categories for column in model.schema_.targets]

    def records(self, n_rows: int) -> list[dict[str, Any]]:
        """Predictions of each row."""
        found: list[dict[str, Any]] = [{} for _ in range(n_rows)]
        parts = zip(self.names, self.decided, self.proba, self.classes, strict=True)
        for name, decided, proba, classes in parts:
            keys = [class_text(value) for value in classes]
            for row, value, p in zip(found, decided.tolist(), proba.tolist(), strict=True):
                row[name] = {"value": value, "probabilities": dict(zip(keys, p, strict=True))}
        return found

    def columns(self) -> dict[str, Any]:
        """Predictions as columns: the decision, and a probability of each class."""
        columns: dict[str, Any] = {}
        parts = zip(self.names, self.decided, self.proba, self.classes, strict=True)
        for name, decided, proba, classes in parts:
            columns[name] = arrow_cells(decided.tolist())
            for k, value in enumerate(classes):
                columns[f"{name}={class_text(value)}"] = proba[:, k]
        return columns

    def abstentions(self, served: Served, coverage: float) -> NDArray[np.int64]:
        """How many rows have several possible classes, of each target."""
        return np.array([(s.sum(axis=1) > 1).sum() for s in self.sets(served, coverage)], int)

    def sets(self, served: Served, coverage: float) -> list[NDArray[np.bool_]]:
        """Possible classes of each target, of shape (n_rows, n_classes)."""
        found = served.model._sets(self.proba, coverage)
        return by_target(served.model, found, are_sets=True)

    def set_records(self, served: Served, coverage: float) -> list[dict[str, Any]]:
        """Prediction sets of each row."""
        sets = self.sets(served, coverage)
        n_rows = len(sets[0])
        return [
            {
                name: {
                    "set": [c for c, inside in zip(classes, of[row], strict=True) if inside],
                    "abstains": bool(of[row].sum() > 1),
                }
                for name, classes, of in zip(self.names, self.classes, sets, strict=True)
            }
            for row in range(n_rows)
        ]

    def set_columns(self, served: Served, coverage: float) -> dict[str, Any]:
        """Prediction sets as columns: whether each class is possible."""
        columns: dict[str, Any] = {}
        sets = self.sets(served, coverage)
        for name, classes, of in zip(self.names, self.classes, sets, strict=True):
            columns |= {f"{name}={class_text(c)}": of[:, k] for k, c in enumerate(classes)}
            columns[f"{name}_abstains"] = of.sum(axis=1) > 1
        return columns


def arrow_cells(cells: list[Any]) -> pa.Array:
    """Cells of a column; as text where they are of several types."""
    try:
        return pa.array(cells)
    except pa.ArrowException:
        return pa.array([None if cell is None else class_text(cell) for cell in cells])


def completed_records(served: Served, rows: Rows, completed: Completed) -> list[dict[str, Any]]:
    """Each row with its missing values filled, and its targets."""
    decoded = served.model.schema_.decode(completed.units)
    targets = Targets(served, completed).records(rows.n_rows)
    observed = rows.table.observed
    found = []
    for i in range(rows.n_rows):
        values = {
            name: feature_value(rows.table, i, j, decoded[j])
            for j, name in enumerate(served.names.features)
        }
        filled = [
            name
            for j, name in enumerate(served.names.features)
            if not observed[i, j] and decoded[j] is not None
        ]
        found.append({"values": values, "filled": filled, "targets": targets[i]})
    return found


def completed_columns(served: Served, rows: Rows, completed: Completed) -> dict[str, Any]:
    """The table with its missing values filled, and predictions."""
    if rows.arrow is not None:
        table = served.model._filled(rows.arrow, rows.table, completed.units)
        features = dict(zip(table.column_names, table.columns, strict=True))
    else:
        records = [of["values"] for of in completed_records(served, rows, completed)]
        features = {n: arrow_cells([r[n] for r in records]) for n in served.names.features}
    return features | Targets(served, completed).columns()


def interval_bounds(
    served: Served, rows: Rows, completed: Completed, coverage: float
) -> NDArray[np.float64]:
    """Bounds as `predict_interval` gives them."""
    bounds: NDArray[np.float64] = served.model._intervals(rows.table, *completed, coverage)
    return bounds


def interval_records(
    served: Served, rows: Rows, completed: Completed, coverage: float
) -> list[dict[str, Any]]:
    """Intervals of the missing numbers of each row."""
    bounds = interval_bounds(served, rows, completed, coverage)
    schema, observed = served.model.schema_, rows.table.observed
    decoded = schema.decode(completed.units)
    return [
        {
            name: {"value": plain(decoded[j][i]), "low": finite(bounds[i, j, 0]),
                   "high": finite(bounds[i, j, 1])}
            for j, name in enumerate(served.names.features)
            if schema.features[j].is_number and not observed[i, j]
        }
        for i in range(rows.n_rows)
    ]  # fmt: skip


def finite(number: Any) -> float | None:
    """A number that JSON can write."""
    return float(number) if math.isfinite(number) else None


def explained(served: Served, rows: Rows, columns: Sequence[str] | None) -> list[list[Any]]:
    """Of each row, what moved its predictions: of targets, or else of missing features."""
    schema = served.model.schema_
    names = [*served.names.features, *served.names.targets]
    if columns:
        unknown = [name for name in columns if name not in names]
        if unknown:
            raise RequestError(422, f"The model has no column {unknown[0]!r} to explain.")
        positions = [len(names) - 1 - names[::-1].index(name) for name in columns]
        if any(not schema.columns[j].n_units for j in positions):
            raise RequestError(422, "The model ignores a column that was asked for.")
    else:
        positions = list(range(len(served.names.features), len(names)))
    found = explain_rows(served.model, rows.X, rows.y, columns=positions or None)
    of_rows: list[list[Any]] = [[] for _ in range(rows.n_rows)]
    for one in found.predictions:
        of_rows[one.row].append(
            {
                "column": _name(served, one.column, one.is_target),
                "value": one.value,
                "event": one.event,
                "probability": one.probability,
                "effects": [_effect(served, effect) for effect in one.effects[:_MOST_EFFECTS]],
            }
        )
    return of_rows


def _effect(served: Served, effect: EntryEffect) -> dict[str, Any]:
    return {
        "column": _name(served, effect.column, effect.is_target),
        "value": effect.value,
        "change": effect.change,
        "probability_change": effect.probability_change,
    }


def _name(served: Served, column: str | int, is_target: bool) -> str:
    if is_target and len(served.names.targets) == 1:
        return served.names.targets[0]
    return str(column)


def unusual(served: Served, rows: Rows) -> list[dict[str, Any]]:
    """Of each row, how unusual it is beside rows that the model draws."""
    served.usual_rows()
    found = unusual_rows(
        served.model, rows.X, rows.y, top=rows.n_rows, n_entries=_ENTRIES,
        reference=served.reference[0],
    )  # fmt: skip
    entries = {one.row: one.entries for one in found.rows}
    return [
        {
            "score": finite(found.scores[i]),
            "log_probability": float(found.log_probability[i]),
            "n_observed": int(found.n_observed[i]),
            "entries": [
                {
                    "column": _name(served, entry.column, entry.is_target),
                    "value": entry.value,
                    "expected": entry.expected,
                    "surprise": entry.surprise,
                }
                for entry in entries.get(i, ())
            ],
        }
        for i in range(rows.n_rows)
    ]
