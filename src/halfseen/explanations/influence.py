"""What one observed entry did to one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from halfseen.explanations.printed_value import printed_value

Scale = Literal["log-odds", "own units"]


@dataclass(frozen=True)
class Influence:
    """What one observed entry of a row did to one answer about that row.

    Attributes
    ----------
    column : str
        Column of the observed entry; a label, where labels of the row are known.
    observed_value : str, float, int or bool
        The entry.
    effect : float
        The answer with the entry minus the answer without it. Above 0 the entry pushed the
        probability of the answer's event, or the number, upwards.
    unit : {"log-odds", "own units"}
        Of the effect: log-odds of the answer's event, or the units of the answered column.

    Examples
    --------
    >>> print(Influence("age", 71.0, 1.25, "log-odds"))
    age = 71: +1.25 log-odds
    """

    column: str
    observed_value: Any
    effect: float
    unit: Scale

    def __str__(self) -> str:
        return (
            f"{self.column} = {printed_value(self.observed_value)}: {self.effect:+.3g} {self.unit}"
        )
