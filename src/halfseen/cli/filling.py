"""Fills of missing cells: which columns, within which bounds, and how sure they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from halfseen.base.estimator import by_target
from halfseen.cli.console import UsageProblem
from halfseen.cli.options import chosen_columns, per_column
from halfseen.cli.tables import ModelTable, Part, set_texts
from halfseen.data.columns import Column
from halfseen.data.raw import Bools, category_key

UNCERTAINTY_SCHEMA = pa.schema(
    {"row": pa.int64(), **dict.fromkeys(("column", "fill", "lower", "upper"), pa.string()),
     "probability": pa.float64(), "set": pa.string(), "abstain": pa.bool_()}
)  # fmt: skip
Fill = tuple[str, list[Any], Bools]  # column, values for its missing cells, where these are


class Filler:
    """Fills parts of a file by what a model predicts, and counts."""

    def __init__(
        self, model_table: ModelTable, only: Sequence[str], skip: Sequence[str],
        low: Sequence[str], high: Sequence[str],
    ) -> None:  # fmt: skip
        self._model_table, self._table = model_table, model_table.table
        known = model_table.features | model_table.targets
        names = [*model_table.modelled, *model_table.labels]
        names = [name for name in names if name in self._table.names]
        asked = chosen_columns(only, self._table.names, "--only")
        if others := [name for name in asked if name not in names]:
            message = f"--only: {others[0]!r} is no column of the model."
            raise UsageProblem(message, f"Its columns are {', '.join(names)}.")
        skipped = chosen_columns(skip, names, "--skip")
        self._columns = {name: known[name] for name in asked or names if name not in skipped}
        numbers = [name for name in names if known[name].is_number]
        self._low, self._high = _bounds("--min", low, numbers), _bounds("--max", high, numbers)
        for name in self._low.keys() & self._high.keys():
            if self._low[name] > self._high[name]:
                raise UsageProblem(f"--min of {name!r} is above its --max.")
        self.filled: Counter[str] = Counter()
        self.left: Counter[str] = Counter()

    def completed(self, part: Part, coverage: float | None) -> tuple[pa.Table, pa.Table | None]:
        """Cells of a part with expectations, and how sure these are if `coverage` is given."""
        done = self._model_table.model.complete(*self._model_table.given(part))
        fills = self._fills(part, done.X, done.y if part.y is not None else None)
        rows = None if coverage is None else self._uncertainty(part, fills, done.proba, coverage)
        return self._filled(part, fills), rows

    def drawn(self, part: Part, X: pa.Table, random: np.random.Generator) -> pa.Table:
        """Cells of a part with drawn features, and with labels drawn given these."""
        labels: dict[str, pa.Array] = {}
        if part.y is not None:
            model, targets = self._model_table.model, self._model_table.targets
            proba = by_target(model, model.complete(X, part.y).proba)
            # Row after row, so that parts of a file get the draws of the whole.
            uniform = random.random((X.num_rows, len(proba)))
            for (name, column), own, u in zip(targets.items(), proba, uniform.T, strict=True):
                codes = (np.cumsum(own, axis=1)[:, :-1] < u[:, np.newaxis]).sum(axis=1)
                labels[name] = pa.array([column.categories[code] for code in codes])
        return self._filled(part, self._fills(part, X, labels))

    def _fills(self, part: Part, X: pa.Table, y: Any) -> list[Fill]:
        """What belongs into the missing cells, by predictions for all rows."""
        found = []
        for name, column in self._columns.items():
            where = _missing(part.values, name)
            if where.any():
                predicted = X[name] if name in X.column_names else y[name]
                values = predicted.filter(pa.array(where)).to_pylist()
                if column.is_number:
                    values = self._bounded(name, np.array(values, np.float64)).tolist()
                else:
                    values = _nearest_categories(column, values)
                found.append((name, values, where))
        return found

    def _bounded(self, name: str, values: Any) -> Any:
        return np.clip(values, self._low.get(name, -np.inf), self._high.get(name, np.inf))

    def _filled(self, part: Part, fills: Sequence[Fill]) -> pa.Table:
        cells = part.cells
        for name, values, where in fills:
            cells = self._table.fill(cells, name, where, values, self._columns[name].whole)
            self.filled[name] += len(values)
        for name in self._table.names:
            if name not in self._columns and (n_left := int(_missing(part.values, name).sum())):
                self.left[name] += n_left
        return cells

    def _uncertainty(
        self, part: Part, fills: Sequence[Fill], proba: Any, coverage: float
    ) -> pa.Table:
        """One row for each filled cell: identifiers, fill, interval or probability, set."""
        features, schema = list(self._model_table.features), UNCERTAINTY_SCHEMA
        model, labels = self._model_table.model, self._model_table.labels
        bounds = model.predict_interval(part.X, coverage)
        of_labels: dict[str, Any] = {}
        if part.y is not None:
            sets = by_target(model, model.predict_set(part.X, coverage), are_sets=True)
            pairs = zip(by_target(model, proba), sets, strict=True)
            of_labels = dict(zip(labels, pairs, strict=True))
        tables, keys = [schema.empty_table()], [np.zeros(0, np.int64)]
        for name, values, where in fills:
            rows, column = np.flatnonzero(where), self._columns[name]
            written = partial(self._table.written, name, whole=column.whole)
            found: dict[str, Any] = {
                "row": 1 + np.array(part.rows)[rows],
                "column": [name] * len(rows),
                "fill": written(values),
            }
            if column.is_number and name in features:
                # Bounds come from features alone, the fill from known labels, too.
                low, high = self._bounded(name, bounds[rows, features.index(name)].T)
                found["lower"] = written(np.minimum(low, values))
                found["upper"] = written(np.maximum(high, values))
            if name in of_labels:
                of_label, inside = (answer[rows] for answer in of_labels[name])
                chosen = np.arange(len(rows)), [column.categories.index(value) for value in values]
                inside[chosen] = True
                found["probability"] = np.round(of_label[chosen], 4)
                found["set"] = set_texts(column.categories, inside)
                found["abstain"] = inside.sum(axis=1) > 1
            tables.append(pa.table(found))
            keys.append(rows)
        table = pa.concat_tables(tables, promote_options="default")
        order = pa.array(np.concatenate(keys))
        for name, carried in reversed(self._model_table.carried(part, taken=schema.names)):
            table = table.add_column(1, name, carried.take(order))
        return table


def _bounds(option: str, words: Sequence[str], numbers: Sequence[str]) -> dict[str, float]:
    """Bounds of columns of numbers, as in ``age=0``."""
    example = f"For instance {option} {(*numbers, 'age')[0]}=0"
    if plain := [word for word in words if "=" not in word]:
        raise UsageProblem(f"{option} takes COLUMN=VALUE, not {plain[0]!r}.", example)
    try:
        found = per_column(words, numbers, option, lambda _, text: float(text))
    except ValueError as error:
        message = f"{option} takes a number behind the column: {error}."
        raise UsageProblem(message, example) from None
    if any(math.isnan(bound) for bound in found.values()):
        raise UsageProblem(f"{option}: nan is no bound.", example)
    return found


def _missing(values: pa.Table, name: str) -> Bools:
    column = values.column(name)
    is_float = pa.types.is_floating(column.type)
    return np.asarray(column.is_null(nan_is_null=is_float).to_numpy(), bool)


def _nearest_categories(column: Column, answers: Any) -> list[Any]:
    """Answers as categories of the column; a number between two becomes the nearer one."""
    keys = {category_key(value): value for value in column.categories}

    def nearest(answer: Any) -> Any:
        key = category_key(answer)
        return keys[key] if key in keys else min(keys.values(), key=lambda v: abs(v - answer))

    return list(map(nearest, answers))
