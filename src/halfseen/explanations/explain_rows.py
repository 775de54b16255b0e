"""Why the model says what it says about some rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.checked_values import checked_level
from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.answer import Answer
from halfseen.explanations.hidden_layers import hidden_layers
from halfseen.explanations.hidden_unit_parts import hidden_unit_parts
from halfseen.explanations.influence import Influence
from halfseen.explanations.nearest_patterns import nearest_patterns
from halfseen.explanations.question import Question, question_about
from halfseen.explanations.row_explanation import RowExplanation
from halfseen.explanations.rows_read import RowsRead, read_rows
from halfseen.explanations.typical_pattern import TypicalPattern
from halfseen.explanations.typical_patterns import typical_patterns
from halfseen.explanations.unpinned_rows import UnpinnedRow, completer_of, unpinned_rows
from halfseen.tables import Encoded, Schema


def explain_rows(
    model: RBMBase,
    X: Any,
    rows: Iterable[int],
    y: Any = None,
    *,
    target: str | None = None,
    level: float = 0.9,
    method: str = "model",
    patterns: Sequence[TypicalPattern] | None = None,
) -> tuple[RowExplanation, ...]:
    """Which observed entries of each row pushed which of its labels and holes, and by how much.

    Every observed entry is un-pinned in turn: the model is asked again about the row with this one
    entry missing, and the effect of the entry is its first answer minus this one. In log-odds for
    labels, classes, binary columns and categories, those of the category that is predicted for the
    whole row; in the units of the column for numbers. These are answers of the model to rows that
    it was really asked about, not an approximation; all rows are asked together. Effects of several
    entries do not add up: two entries that tell the same both have little effect.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    X : array-like or frame of shape (n_rows, n_features)
        The table.
    rows : iterable of int
        The rows, counted from 0.
    y : array-like, series or frame, or None
        What is known of the labels of the table; known labels of a row are entries like others.
    target : str or None
        The one column to explain, a label or a feature; where it is observed it is taken away
        first. None explains all unknown labels and all holes of each row.
    level : float, default=0.9
        How often intervals hold the truth.
    method : {"model", "exact"}, default="model"
        Ask the model as ``predict_proba`` and ``transform`` do; or take the conditional
        probabilities of the likelihood-trained machine, by enumeration of its hidden units, of
        which it may then have 16 at most.
    patterns : sequence of TypicalPattern or None
        From :func:`typical_patterns`, to find them only once for many calls; None finds them.

    Returns
    -------
    tuple of RowExplanation
        In the order of ``rows``.

    Raises
    ------
    ValueError
        A row or column that is not there, or a table that does not fit the model.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> people = pd.DataFrame(
    ...     {"age": [75.0, None, 5.0], "smokes": [1, 0, 1], "town": ["Lund", "Bern", None]})
    >>> for explanation in explain_rows(model, people, [0, 2], target="ill"):
    ...     print(explanation.answers[0])
    ill: 1 (70.9 %)
      smokes = 1: +0.351 log-odds
      town = Lund: +0.27 log-odds
      age = 75: +0.243 log-odds
    ill: 0 (28.9 % for 1)
      age = 5: -1.09 log-odds
      smokes = 1: +0.37 log-odds
    """
    level = checked_level(level)
    completer = completer_of(model, method)
    read = read_rows(model, X, y, rows)
    schema = model.schema_
    asked = None if target is None else column_named(schema, target)
    encoded = read.encoded if asked is None else _without(schema, read.encoded, asked)
    unpinned = unpinned_rows(schema, encoded, completer)
    questions = [
        _questions(schema, read, position, asked, row.completed[:1])
        for position, row in enumerate(unpinned)
    ]
    intervals = _intervals(model, encoded, questions, level)
    layers = hidden_layers(model)
    if model.machine_ is not None:
        completed = model.machine_.complete(*encoded)
        known = typical_patterns(model) if patterns is None else tuple(patterns)
    else:
        completed, known = np.stack([row.completed[0] for row in unpinned]), ()
    return tuple(
        RowExplanation(
            number,
            _answers(model, read, position, questions[position], unpinned[position], intervals),
            hidden_unit_parts(
                layers,
                schema,
                questions[position],
                completed[position],
                encoded.observed[position],
            ),
            nearest_patterns(schema, known, encoded.visible[position], encoded.observed[position]),
        )
        for position, number in enumerate(read.numbers)
    )


def column_named(schema: Schema, name: str) -> int:
    """Position of a column among features and targets; of a target where both have the name.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> column_named(Schema(learn_columns(read_table([[1.0, 2.0]])), (), None), "x1")
    1
    """
    names = [column.name for column in schema.columns]
    for index in reversed(range(len(names))):
        if names[index] == name:
            if schema.columns[index].kind == "empty":
                raise ValueError(
                    f"training saw no value of column {name!r}: there is no answer to explain"
                )
            return index
    shown = ", ".join(names[-20:]) + (" and others" if len(names) > 20 else "")
    raise ValueError(f"the model has no column {name!r}; it has {shown}")


def _without(schema: Schema, encoded: Encoded, column: int) -> Encoded:
    observed = encoded.observed & (schema.column_of_unit != column)
    return Encoded(np.where(observed, encoded.visible, np.float32(0)), observed)


def _questions(
    schema: Schema,
    read: RowsRead,
    position: int,
    asked: int | None,
    completed: NDArray[np.floating],
) -> list[Question]:
    n_features, n_columns = len(schema.features), len(schema.columns)
    if asked is not None:
        return [question_about(schema, asked, completed)]
    order = (*range(n_features, n_columns), *range(n_features))
    return [
        question_about(schema, column, completed)
        for column in order
        if schema.columns[column].kind != "empty" and read.is_hole(position, column)
    ]


def _intervals(
    model: RBMBase, encoded: Encoded, questions: list[list[Question]], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    asks_numbers = any(question.is_number for of_row in questions for question in of_row)
    if model.prediction_ is None or not asks_numbers:
        return None
    return model.prediction_.interval(*encoded, level)


def _answers(
    model: RBMBase,
    read: RowsRead,
    position: int,
    questions: list[Question],
    row: UnpinnedRow,
    intervals: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> tuple[Answer, ...]:
    names = [column.name for column in model.schema_.columns]
    cells = [read.cell(position, column) for column in row.columns]
    answers = []
    for question in questions:
        levels = question.levels(row.completed)
        effects = levels[0] - levels[1:]
        unit = "own units" if question.is_number else "log-odds"
        order = np.lexsort((row.columns, -np.abs(effects)))
        interval = None
        if question.is_number and intervals is not None:
            bounds = [bound[position, question.units] for bound in intervals]
            low, high = (float(question.column.destandardised(bound)[0]) for bound in bounds)
            interval = low, high
        probability = None
        if not question.is_number:
            probability = float(question.probability(row.completed[:1])[0])
        answers.append(
            Answer(
                question.column.name,
                question.index >= len(model.schema_.features),
                question.value(model, row.completed[:1]),
                question.event,
                probability,
                interval,
                tuple(
                    Influence(names[row.columns[k]], cells[k], float(effects[k]), unit)  # type: ignore[arg-type]
                    for k in order
                ),
            )
        )
    return tuple(answers)
