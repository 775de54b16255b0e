"""How strongly one column, or one of its categories, drives another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halfseen.explanations.printed_value import printed_value


@dataclass(frozen=True)
class Coupling:
    """How strongly one column, or one of its categories, drives another.

    Attributes
    ----------
    source : str
        The column that changes.
    source_category : str, float, int, bool or None
        The category of it that is meant; None for numbers, labels and binary columns.
    target : str
        The column that answers.
    target_category : str, float, int, bool or None
        The category or class of it that is meant; None likewise.
    change : float
        How far the target moves when the source goes from low to high, all else at its average: a
        number from half a standard deviation below its average to half of one above, a label or
        binary column from 0 to 1, a category from any other one to this one. In log-odds of the
        target, for numbers in their standard deviations.
    strength : float
        The change per standard deviation of the source, by which couplings are ranked; between two
        labels per geometric mean of both standard deviations.

    Examples
    --------
    >>> print(Coupling("colour", "red", "sold", None, 0.75, 0.3))
    colour=red -> sold: +0.75
    """

    source: str
    source_category: Any
    target: str
    target_category: Any
    change: float
    strength: float

    def __str__(self) -> str:
        source = _named(self.source, self.source_category)
        return f"{source} -> {_named(self.target, self.target_category)}: {self.change:+.3g}"


def _named(column: str, category: Any) -> str:
    return column if category is None else f"{column}={printed_value(category)}"
