"""One answer of the model about a row, and what pushed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halfseen.explanations.influence import Influence
from halfseen.explanations.printed_value import printed_value

_SHOWN = 6


@dataclass(frozen=True)
class Answer:
    """What the model says of one hole or label of a row, and which entries made it say so.

    Attributes
    ----------
    column : str
        The column that is answered.
    is_target : bool
        Whether it is a label or class column rather than a feature.
    value : str, float, int or bool
        What is predicted: a number, a category or class, 0 or 1.
    event : str, float, int, bool or None
        What ``probability`` and log-odds are of: 1 for labels and binary columns, the predicted
        category or class for others, None for numbers.
    probability : float or None
        Probability of ``event``; None for numbers.
    interval : tuple of (float, float) or None
        For numbers the bounds at the level asked for, if the model holds an ensemble; else None.
    influences : tuple of Influence
        The observed entries, those that pushed most first.

    Examples
    --------
    >>> print(Answer("ill", True, 1, 1, 0.8, None, (Influence("age", 71.0, 1.25, "log-odds"),)))
    ill: 1 (80 %)
      age = 71: +1.25 log-odds
    """

    column: str
    is_target: bool
    value: Any
    event: Any
    probability: float | None
    interval: tuple[float, float] | None
    influences: tuple[Influence, ...]

    def __str__(self) -> str:
        sure = ""
        if self.probability is not None:
            of = "" if self.event == self.value else f" for {printed_value(self.event)}"
            sure = f" ({100 * self.probability:.3g} %{of})"
        elif self.interval is not None:
            low, high = map(printed_value, self.interval)
            sure = f" (between {low} and {high})"
        lines = [f"{self.column}: {printed_value(self.value)}{sure}"]
        lines += [f"  {each}" for each in self.influences[:_SHOWN] if each.effect]
        return "\n".join(lines)
