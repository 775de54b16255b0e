"""A pattern that a machine knows by heart, and how near a row is to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.explanations.printed_value import printed_value

_SHOWN = 6


@dataclass(frozen=True)
class PatternValue:
    """The value of one column in a typical pattern.

    Attributes
    ----------
    column : str
        The column.
    is_target : bool
        Whether it is a label or class column.
    value : str, float, int or bool
        A number, a category or class, 0 or 1.
    probability : float or None
        Of the value; None for numbers.
    deviation : float
        How far it lies from the column's average, in standard deviations.

    Examples
    --------
    >>> print(PatternValue("age", False, 71.0, None, 1.5))
    age = 71
    """

    column: str
    is_target: bool
    value: Any
    probability: float | None
    deviation: float

    def __str__(self) -> str:
        sure = "" if self.probability is None else f" ({100 * self.probability:.0f} %)"
        return f"{self.column} = {printed_value(self.value)}{sure}"


@dataclass(frozen=True)
class TypicalPattern:
    """A fixed point of the mean-field equations with nothing pinned.

    Attributes
    ----------
    machine : int
        Which machine of the model, counted from 0.
    share : float
        Share of the starts that came to rest here.
    values : tuple of PatternValue
        All columns, those that deviate most from their averages first.
    units : ndarray of float32, shape (n_visible,)
        The pattern as visible units.

    Examples
    --------
    >>> age = PatternValue("age", False, 71.0, None, 1.5)
    >>> print(TypicalPattern(0, 0.25, (age,), np.array([1.5], np.float32)))
    25 % of the starts: age = 71
    """

    machine: int
    share: float
    values: tuple[PatternValue, ...]
    units: NDArray[np.float32] = field(repr=False, compare=False)

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.values[:_SHOWN]))
        return f"{100 * self.share:.3g} % of the starts: {shown}"


@dataclass(frozen=True)
class NearestPattern:
    """A typical pattern, and how near a row is to it.

    Attributes
    ----------
    pattern : TypicalPattern
        The pattern.
    overlap : float
        Cosine of the angle between row and pattern over the observed entries of the row, both
        counted from the average in standard deviations: 1 for the same direction, 0 for nothing in
        common, -1 for the opposite.

    Examples
    --------
    >>> pattern = TypicalPattern(0, 0.25, (), np.zeros(1, np.float32))
    >>> NearestPattern(pattern, 0.9).overlap
    0.9
    """

    pattern: TypicalPattern
    overlap: float

    def __str__(self) -> str:
        return f"overlap {self.overlap:+.2f}: {self.pattern}"
