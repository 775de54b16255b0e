"""What a model says of one column of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

AnswerKind = Literal["number", "yes-no", "category"]


@dataclass(frozen=True)
class ColumnAnswer:
    """What a model says of one column of some rows.

    Attributes
    ----------
    name : str
        The column.
    kind : {"number", "yes-no", "category"}
        What it holds.
    is_label : bool
        Whether it is a label.
    observed : ndarray of bool, shape (n_rows,)
        Where the value is known.
    expected : ndarray of float, shape (n_rows,), or None
        The number that is expected; None for all else.
    values : tuple
        The categories, (0, 1) for yes-no, empty for numbers.
    chosen : ndarray of int, shape (n_rows,), or None
        Which of the values is decided for; None for numbers.
    probabilities : ndarray of shape (n_rows, n_values) or None
        Of the values; None for numbers.
    lower, upper : ndarray of shape (n_rows,) or None
        Bounds of a number, if they were asked for.
    possible : ndarray of bool, shape (n_rows, n_values), or None
        Which values of a label are possible, if that was asked for.

    Examples
    --------
    >>> answer = ColumnAnswer(
    ...     "ill", "yes-no", True, np.array([True, False]), values=(0, 1), chosen=np.array([0, 1]),
    ...     probabilities=np.array([[1.0, 0.0], [0.4, 0.6]]),
    ...     possible=np.array([[True, False], [True, True]]))
    >>> answer.decision.tolist(), answer.confidence.tolist(), answer.is_not_sure.tolist()
    ([0, 1], [1.0, 0.6], [False, True])
    >>> answer.possible_texts().tolist()
    ['0', '0|1']
    """

    name: str
    kind: AnswerKind
    is_label: bool
    observed: NDArray[np.bool_]
    expected: NDArray[np.float64] | None = None
    values: tuple[Any, ...] = ()
    chosen: NDArray[np.int64] | None = None
    probabilities: NDArray[np.float64] | None = None
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    possible: NDArray[np.bool_] | None = None

    @property
    def decision(self) -> NDArray[Any]:
        """What goes into a hole: the expected number, 0 or 1, or a category."""
        if self.chosen is None:
            assert self.expected is not None  # a number
            return self.expected
        kinds = {type(value) for value in self.values}
        is_plain = len(kinds) == 1 and kinds <= {int, float, bool}
        values = np.array(self.values, dtype=None if is_plain else object)
        return values[self.chosen]

    @property
    def confidence(self) -> NDArray[np.float64] | None:
        """Probability of the decision; None for numbers."""
        if self.probabilities is None:
            return None
        confidence: NDArray[np.float64]
        confidence = np.take_along_axis(self.probabilities, self._chosen(), axis=1)[:, 0]
        return confidence

    @property
    def is_not_sure(self) -> NDArray[np.bool_] | None:
        """Where more than one value of a label is possible."""
        return None if self.possible is None else self.possible.sum(axis=1) != 1

    def possible_texts(self) -> NDArray[Any] | None:
        """The possible values of every row, with bars between them."""
        if self.possible is None:
            return None
        sets, which = np.unique(self.possible, axis=0, return_inverse=True)
        names = [str(value) for value in self.values]
        texts = np.empty(len(sets), dtype=object)
        texts[:] = ["|".join(np.array(names, dtype=object)[row]) for row in sets]
        return texts[which.reshape(-1)]

    def _chosen(self) -> NDArray[np.int64]:
        assert self.chosen is not None  # no number
        return self.chosen[:, np.newaxis]
