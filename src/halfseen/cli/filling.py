"""Fills of missing cells: which columns, within which bounds, and how sure they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfseen.cli.console import UsageProblem
from halfseen.cli.options import per_column
from halfseen.cli.tables import ModelTable, Part
from halfseen.data.columns import Column
from halfseen.data.raw import category_key
from halfseen.files.cells import TextStyle

Bools = NDArray[np.bool_]


class LabelProbabilities(NamedTuple):
    """Classes of a label, and their probabilities of shape (n_rows, n_classes)."""

    classes: list[Any]
    proba: NDArray[np.float64]


@dataclass(frozen=True)
class FillPlan:
    """Columns to fill, and bounds of their numbers."""

    columns: tuple[str, ...]
    low: dict[str, float]
    high: dict[str, float]

    @classmethod
    def make(
        cls,
        model_table: ModelTable,
        only: Sequence[str],
        skip: Sequence[str],
        low: Sequence[str],
        high: Sequence[str],
    ) -> FillPlan:
        """From what ``--only``, ``--skip``, ``--min`` and ``--max`` give."""
        columns = columns_of(model_table)
        chosen = [n for n in columns if (not only or n in only) and n not in skip]
        for name in only:
            if name not in columns:
                message = f"--only: {name!r} is no column of the model."
                raise UsageProblem(message, f"Its columns are {', '.join(columns)}.")
        numbers = [name for name, column in columns.items() if column.is_number]
        bounds = []
        for option, words in (("--min", low), ("--max", high)):
            of_all, found = per_column(words, numbers, option)
            if of_all is not None:
                message = f"{option} takes COLUMN=VALUE, not {of_all!r}."
                raise UsageProblem(message, f"For instance {option} {(numbers or ['age'])[0]}=0")
            try:
                bounds.append({name: float(value) for name, value in found.items()})
            except ValueError:
                message = f"{option} takes a number behind the column: {' '.join(words)}."
                raise UsageProblem(message) from None
        for name in bounds[0].keys() & bounds[1].keys():
            if bounds[0][name] > bounds[1][name]:
                raise UsageProblem(f"--min of {name!r} is above its --max.")
        return cls(tuple(chosen), *bounds)

    def bounded(self, name: str, values: Any) -> Any:
        """Numbers within the bounds of a column."""
        return np.clip(values, self.low.get(name, -np.inf), self.high.get(name, np.inf))


def columns_of(model_table: ModelTable) -> dict[str, Column]:
    """Columns of the file that the model knows, features and then labels."""
    features = {str(c.name): c for c in model_table.features if c.n_units}
    known = {**features, **model_table.targets}
    return {name: column for name, column in known.items() if name in model_table.table.names}


def missing_in(values: pa.Table, name: str) -> Bools:
    """Where a column is missing."""
    column = values.column(name)
    is_float = pa.types.is_floating(column.type)
    return np.asarray(column.is_null(nan_is_null=is_float).to_numpy(), bool)


class Fill(NamedTuple):
    """Values for the missing cells of a column in some rows."""

    name: str
    values: list[Any]
    where: Bools


class Filler:
    """Fills parts of a file by what a model answers, and counts."""

    def __init__(self, model_table: ModelTable, plan: FillPlan) -> None:
        self._table, self._plan = model_table.table, plan
        self._columns = columns_of(model_table)
        self.filled: Counter[str] = Counter()
        self.left: Counter[str] = Counter()

    def fills(self, part: Part, *answers: Mapping[str, Any] | pa.Table | None) -> list[Fill]:
        """What belongs into the missing cells, by answers for all rows of features and labels."""
        columns: dict[str, Any] = {}
        for table in answers:
            names = () if table is None else getattr(table, "column_names", table)
            columns |= {name: table[name] for name in names}  # type: ignore[index]
        found = []
        for name in self._plan.columns:
            where = missing_in(part.values, name)
            if where.any():
                answered = columns[name]
                values = answered.to_pylist() if hasattr(answered, "to_pylist") else answered
                chosen = [
                    value for value, is_missing in zip(values, where, strict=True) if is_missing
                ]
                if self._columns[name].is_number:
                    chosen = self._plan.bounded(name, np.array(chosen, np.float64)).tolist()
                else:
                    chosen = nearest_categories(self._columns[name], chosen)
                found.append(Fill(name, chosen, where))
        return found

    def fill(self, part: Part, fills: Sequence[Fill]) -> pa.Table:
        """The cells of a part with its missing ones filled."""
        cells = part.cells
        for name, values, where in fills:
            cells = self._table.fill(cells, name, where, values, self._columns[name].whole)
            self.filled[name] += len(values)
        for name in self._table.names:
            if name not in self._plan.columns and (
                n_left := int(missing_in(part.values, name).sum())
            ):
                self.left[name] += n_left
        return cells


def drawn_labels(
    model_table: ModelTable, X: pa.Table, y: pa.Table | None, random: np.random.Generator
) -> dict[str, list[Any]]:
    """Labels drawn from their probabilities given drawn features and known labels."""
    if not model_table.known_labels:
        return {}
    proba = label_probabilities(model_table, model_table.model.complete(X, y).proba)
    # Row after row, so that parts of a file get the draws of the whole.
    uniform = random.random((X.num_rows, len(proba)))
    found = {}
    for (name, (classes, of_label)), drawn in zip(proba.items(), uniform.T, strict=True):
        codes = (np.cumsum(of_label, axis=1)[:, :-1] < drawn[:, np.newaxis]).sum(axis=1)
        found[name] = [classes[code] for code in codes]
    return found


def nearest_categories(column: Column, answers: Any) -> list[Any]:
    """Answers as categories of the column; a number between two becomes the nearer one."""
    keys = {category_key(value): value for value in column.categories}
    numbers = [v for v in column.categories if isinstance(v, int | float)]
    found = []
    for answer in answers:
        key = category_key(answer)
        if key not in keys and len(numbers) == len(column.categories):
            key = category_key(min(numbers, key=lambda v: abs(float(v) - float(answer))))
        found.append(keys.get(key, answer))
    return found


UNCERTAINTY_SCHEMA = pa.schema(
    [
        ("row", pa.int64()), ("column", pa.string()), ("fill", pa.string()), ("lower", pa.string()),
        ("upper", pa.string()), ("probability", pa.float64()), ("set", pa.string()),
        ("abstain", pa.bool_()),
    ]
)  # fmt: skip


def uncertainty_rows(
    model_table: ModelTable,
    plan: FillPlan,
    part: Part,
    fills: Sequence[Fill],
    proba: Mapping[str, LabelProbabilities],
    coverage: float,
) -> pa.Table:
    """One row for each filled cell: identifiers, fill, interval or probability, prediction set."""
    features, columns = [str(c.name) for c in model_table.features], columns_of(model_table)
    bounds = model_table.model.predict_interval(part.X, coverage)
    sets = label_sets(model_table, part.X, coverage) if model_table.known_labels else {}
    tables = [UNCERTAINTY_SCHEMA.empty_table()]
    keys = [np.zeros(0, np.int64)]
    for name, values, where in fills:
        rows, column = np.flatnonzero(where), columns[name]
        found: dict[str, Any] = {
            "row": part.first_row + rows + 1,
            "column": [name] * len(rows),
            "fill": [_value_text(value, column) for value in values],
        }
        if column.is_number and name in features:
            # Bounds come from features alone, the fill from known labels, too.
            low, high = bounds[rows, features.index(name)].T
            found["lower"] = np.minimum(plan.bounded(name, low), values)
            found["upper"] = np.maximum(plan.bounded(name, high), values)
            for side in ("lower", "upper"):
                found[side] = [_value_text(value, column) for value in found[side]]
        if name in proba:
            classes, of_label = proba[name]
            place = {category_key(value): k for k, value in enumerate(classes)}
            codes = [place[category_key(value)] for value in values]
            inside = sets[name][rows]
            inside[np.arange(len(rows)), codes] = True
            found["probability"] = np.round(of_label[rows, codes].astype(np.float64), 4)
            found["set"] = set_texts(classes, inside)
            found["abstain"] = inside.sum(axis=1) > 1
        absent = {
            f.name: pa.nulls(len(rows), f.type) for f in UNCERTAINTY_SCHEMA if f.name not in found
        }
        tables.append(pa.table({**found, **absent}).select(UNCERTAINTY_SCHEMA.names))
        keys.append(rows)
    table = pa.concat_tables([one.cast(UNCERTAINTY_SCHEMA) for one in tables])
    order = pa.array(np.concatenate(keys))
    for name, carried in reversed(carried_columns(model_table, part, UNCERTAINTY_SCHEMA.names)):
        table = table.add_column(1, name, carried.take(order))
    return table


def carried_columns(
    model_table: ModelTable, part: Part, taken: Sequence[str], keep: Sequence[str] = ()
) -> list[tuple[str, Any]]:
    """Identifiers of the rows and columns to keep, as they are in the file."""
    names = [n for n in model_table.table.names if n in model_table.identifiers or n in keep]
    cells = part.cells.rename_columns(list(model_table.table.names))
    return [(name, cells.column(name)) for name in names if name not in taken]


def label_sets(model_table: ModelTable, X: pa.Table, coverage: float) -> dict[str, Bools]:
    """Prediction set of each label, of shape (n_rows, n_classes)."""
    found = model_table.model.predict_set(X, coverage)
    if model_table.model.schema_.target_type == "multilabel-indicator":
        found = np.moveaxis(found, 1, 0)
    elif not isinstance(found, list):
        found = [found]
    return dict(zip(model_table.labels, found, strict=True))


def label_probabilities(model_table: ModelTable, proba: Any) -> dict[str, LabelProbabilities]:
    """Classes of each label, and their probabilities."""
    if model_table.model.schema_.target_type == "multilabel-indicator":
        proba = [np.stack([1 - column, column], axis=1) for column in np.asarray(proba).T]
    elif not isinstance(proba, list):
        proba = [proba]
    pairs = zip(model_table.targets.items(), proba, strict=True)
    return {name: LabelProbabilities(list(c.categories), found) for (name, c), found in pairs}


def class_text(value: Any) -> str:
    """A class as text."""
    return value if isinstance(value, str) else category_key(value)


def set_texts(classes: Sequence[Any], inside: Bools) -> list[str]:
    """Prediction sets as text, with bars between their classes."""
    texts = [class_text(value) for value in classes]
    return [
        "|".join(text for text, is_in in zip(texts, row, strict=True) if is_in) for row in inside
    ]


def _value_text(value: Any, column: Column) -> str:
    if isinstance(value, str | bool):
        return class_text(value)
    # An interval of whole numbers holds those within its rounded bounds.
    return str(round(float(value))) if column.whole else TextStyle().write([value])[0]
