"""One question about a row: which column, and of it which event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.tables import Column, Schema

# The classifier's own bounds of a probability, so that log-odds here are log-odds of predict_proba.
SMALLEST_PROBABILITY = 1e-7


def units_of(schema: Schema, column: int) -> slice:
    """Visible units of a column, counted over features and targets together."""
    n_features = len(schema.features)
    if column < n_features:
        return schema.feature_units(column)
    return schema.target_units(column - n_features)


def probabilities_of(column: Column, units: NDArray[Any]) -> NDArray[np.float64]:
    """Probability of 1, of shape (n_rows, 1), or of every category, (n_rows, n_categories).

    As ``predict_proba`` gives them: strictly between 0 and 1, those of categories summing to 1.

    Examples
    --------
    >>> size = Column("sold", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.5,), 9)
    >>> probabilities_of(size, np.array([[0.25], [1.0]])).tolist()
    [[0.25], [0.9999999]]
    """
    inner = units.astype(np.float64).clip(0.0, 1.0)
    if column.unit == "bernoulli":
        return inner.clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    total = inner.sum(axis=1, keepdims=True)
    even = np.full_like(inner, 1.0 / inner.shape[1])
    shares = np.divide(inner, total, out=even, where=total > 0.0)
    shares = shares.clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    normalised: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return normalised


def log_odds_of(probabilities: NDArray[np.float64], code: int) -> NDArray[np.float64]:
    """Log-odds of an event; against the sum of the others, which keeps its digits near 1.

    Examples
    --------
    >>> log_odds_of(np.array([[0.5, 0.25, 0.25]]), 0)
    array([0.])
    """
    chosen = probabilities[:, code]
    others = 1.0 - chosen
    if probabilities.shape[1] > 1:
        others = np.delete(probabilities, code, axis=1).sum(axis=1)
    # Of a single category there are no others.
    odds: NDArray[np.float64] = np.log(chosen) - np.log(np.maximum(others, SMALLEST_PROBABILITY))
    return odds


@dataclass(frozen=True)
class Question:
    """One question about a row: which column, and of it which event.

    Attributes
    ----------
    index : int
        The column, counted over features and targets together.
    column : Column
        What it is.
    units : slice
        Its visible units.
    code : int
        Position of the category in question; 0 for numbers, labels and binary columns.
    """

    index: int
    column: Column
    units: slice
    code: int

    @property
    def is_number(self) -> bool:
        """Whether the answer is a number rather than an event."""
        return self.column.unit == "gaussian"

    @property
    def event(self) -> Any:
        """What probabilities and log-odds are of; None for numbers."""
        if self.is_number:
            return None
        return self.column.categories[self.code] if self.column.categories else 1

    def probability(self, completed: NDArray[Any]) -> NDArray[np.float64]:
        """Probability of the event in every completed row."""
        probability = probabilities_of(self.column, completed[:, self.units])
        return probability[:, self.code]

    def levels(self, completed: NDArray[Any]) -> NDArray[np.float64]:
        """The answer in every completed row: a number in its own units, or log-odds.

        Of an ordinal column before it is decided for one of its levels, so that small pushes show.
        """
        units = completed[:, self.units]
        if self.is_number:
            return self.column.undecided(units[:, 0])
        return log_odds_of(probabilities_of(self.column, units), self.code)

    def value(self, model: RBMBase, completed: NDArray[Any]) -> Any:
        """What is predicted in one completed row, of shape (1, n_visible), decided."""
        if self.is_number:
            return float(self.column.destandardised(completed[:, self.units.start])[0])
        if self.column.categories:
            return self.event
        n_features = len(model.schema_.features)
        probability = float(completed[0, self.units.start])
        if self.index < n_features:
            return int(probability >= 0.5)
        thresholds: NDArray[np.float64] = model.thresholds_
        return int(probability > thresholds[self.index - n_features])


def question_about(schema: Schema, index: int, completed: NDArray[Any]) -> Question:
    """The question about a column, its event the most probable category of a completed row.

    Examples
    --------
    >>> colour = Column("c", "categorical", "softmax", 0.0, 1.0, ("blue", "red"), "object",
    ...                 (0.5, 0.5), 2)
    >>> question_about(Schema((colour,), (), None), 0, np.array([[0.2, 0.8]])).event
    'red'
    """
    units = units_of(schema, index)
    code = int(np.argmax(completed[0, units]))
    return Question(index, schema.columns[index], units, code)
