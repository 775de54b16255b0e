"""Everything a model says of some rows, asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.column_answer import AnswerKind, ColumnAnswer
from halfseen.cli.completed_units import bounds_of_units, completed_units
from halfseen.cli.possible_values import possible_values
from halfseen.cli.table_units import encoded_units
from halfseen.tables import Column, Encoded, Schema

if TYPE_CHECKING:
    import pyarrow


def column_answers(
    model: Any, table: pyarrow.Table, level: float | None = None
) -> list[ColumnAnswer]:
    """What a model says of every column of some rows, what is known pinned.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    table : pyarrow.Table
        Rows in the model's columns and types.
    level : float or None
        How often bounds and sets shall hold the truth; None to leave them out, which is quicker.

    Returns
    -------
    list of ColumnAnswer
        Features first, labels after them; without columns of which training saw nothing.
    """
    encoded = encoded_units(model.schema_, table)
    return answers_of_units(model, encoded, completed_units(model, encoded), level)


def answers_of_units(
    model: Any,
    encoded: Encoded,
    completed: NDArray[np.float32],
    level: float | None = None,
) -> list[ColumnAnswer]:
    """Completed units of some rows as answers.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    encoded : Encoded
        The rows as visible units.
    completed : ndarray of shape (n_rows, n_visible)
        What is said of the units.
    level : float or None
        How often bounds and sets shall hold the truth; None to leave them out.

    Returns
    -------
    list of ColumnAnswer
    """
    schema: Schema = model.schema_
    bounds = None
    if level is not None and model.prediction_ is not None and schema.n_gaussian:
        bounds = bounds_of_units(model, encoded, level)
    answers = [
        _feature(schema, j, column, encoded, completed, bounds)
        for j, column in enumerate(schema.features)
        if column.kind != "empty"
    ]
    return answers + label_answers(model, encoded, completed, level)


def _feature(
    schema: Schema,
    j: int,
    column: Column,
    encoded: Encoded,
    completed: NDArray[np.float32],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> ColumnAnswer:
    own = schema.feature_units(j)
    seen = encoded.observed[:, own.start]
    units = completed[:, own].astype(np.float64)
    if column.kind == "numeric":
        lower = upper = None
        if bounds is not None:
            lower, upper = (
                _rounded(column.destandardised(bound[:, own.start]), column) for bound in bounds
            )
        expected = column.destandardised(units[:, 0])
        return ColumnAnswer(
            column.name, "number", False, seen, expected=expected, lower=lower, upper=upper
        )
    if column.kind == "binary":
        shares = _both(units[:, 0])
        return ColumnAnswer(
            column.name,
            "yes-no",
            False,
            seen,
            values=(0, 1),
            chosen=(units[:, 0] >= 0.5).astype(np.int64),
            probabilities=shares,
        )
    shares = units.clip(0.0, 1.0)
    total = shares.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])
    return ColumnAnswer(
        column.name,
        "category",
        False,
        seen,
        values=column.categories,
        chosen=shares.argmax(axis=1),
        probabilities=shares,
    )


def label_answers(
    model: Any,
    encoded: Encoded,
    completed: NDArray[np.float32],
    level: float | None = None,
) -> list[ColumnAnswer]:
    """Completed units of some rows as answers for the labels alone.

    Parameters
    ----------
    model, encoded, completed, level
        As of :func:`answers_of_units`.

    Returns
    -------
    list of ColumnAnswer
    """
    schema: Schema = model.schema_
    if not schema.targets:
        return []
    knows = np.any(encoded.observed[:, schema.is_target_unit], axis=1)
    answers = []
    for j, probability in enumerate(schema.target_probabilities(completed)):
        column = schema.targets[j]
        kind: AnswerKind
        values: tuple[Any, ...]
        if probability.ndim == 1:
            chosen = (probability > model.thresholds_[j]).astype(np.int64)
            kind, values, probability = "yes-no", (0, 1), _both(probability)
        else:
            chosen = probability.argmax(axis=1)
            kind, values = "category", tuple(column.classes.tolist())
        possible = None
        if level is not None and model.prediction_ is not None:
            possible = possible_values(model, probability, knows, level)
        answers.append(
            ColumnAnswer(
                column.name,
                kind,
                True,
                encoded.observed[:, schema.target_units(j).start],
                values=values,
                chosen=chosen,
                probabilities=probability,
                possible=possible,
            )
        )
    return answers


def _both(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = probability.clip(0.0, 1.0)
    return np.stack([1 - inside, inside], axis=1)


def _rounded(bound: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    """A bound to a ten-thousandth of the column's spread, so that 0 does not read -0.00003.

    Bounds of an ordinal column are levels, and stay as they are.
    """
    if column.transform == "ordinal":
        return bound
    spread = column.scale if column.transform == "linear" else 1.0
    decimals = int(np.clip(4 - np.floor(np.log10(spread)), -300, 300))
    with np.errstate(over="ignore"):
        rounded: NDArray[np.float64] = np.round(bound, decimals) + 0.0
    return np.where(np.isfinite(rounded), rounded, bound)
