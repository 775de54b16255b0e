"""The low and the high state of every column and category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.explanations.question import units_of
from halfseen.tables import Schema


@dataclass(frozen=True)
class ColumnState:
    """The low and the high state of a column, or of one of its categories.

    Attributes
    ----------
    index : int
        The column, counted over features and targets together.
    name : str
        Its name.
    category : str, float, int, bool or None
        The category, where the column has some.
    units : slice
        Its visible units.
    code : int
        Position of the category among them; 0 without.
    low, high : ndarray of float64, shape (n_units,)
        A number half a standard deviation below and above its average; 0 and 1; any other category
        in the proportions of training, and this one.
    deviation : float
        Standard deviation in steps from low to high: 1 for numbers, ``sqrt(p (1 - p))`` for events.
    is_number : bool
        Whether the column holds numbers.
    """

    index: int
    name: str
    category: Any
    units: slice
    code: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    deviation: float
    is_number: bool


def column_states(schema: Schema) -> tuple[ColumnState, ...]:
    """The states of all columns in order, one for each category where there are categories.

    Of two categories only the second: the first is its mirror image.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> columns = learn_columns(read_table([[0.5, "a"], [1.5, "b"], [7.5, "b"]]))
    >>> [(state.name, state.category, state.low.tolist(), state.high.tolist())
    ...  for state in column_states(Schema(columns, (), None))]
    [('x0', None, [-0.5], [0.5]), ('x1', 'b', [1.0, 0.0], [0.0, 1.0])]
    """
    states = []
    for index, column in enumerate(schema.columns):
        units, marginal = units_of(schema, index), np.array(column.marginal)
        if column.kind == "numeric":
            ends = np.array([-0.5]), np.array([0.5])
            states.append(ColumnState(index, column.name, None, units, 0, *ends, 1.0, True))
        elif column.kind == "binary":
            ends = np.zeros(1), np.ones(1)
            spread = _deviation(float(marginal[0]))
            states.append(ColumnState(index, column.name, None, units, 0, *ends, spread, False))
        else:
            for code, category in enumerate(column.categories):
                if len(column.categories) == 2 and code == 0:
                    continue
                one = np.eye(len(marginal))[code]
                others = marginal * (1.0 - one)
                total = others.sum()
                low = others / total if total > 0 else one
                spread = _deviation(float(marginal[code]))
                states.append(
                    ColumnState(index, column.name, category, units, code, low, one, spread, False)
                )
    return tuple(states)


def _deviation(share: float) -> float:
    return float(np.sqrt(share * (1.0 - share)))
