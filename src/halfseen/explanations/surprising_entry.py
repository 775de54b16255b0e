"""An observed entry that the rest of its row does not lead one to expect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halfseen.explanations.printed_value import printed_value


@dataclass(frozen=True)
class SurprisingEntry:
    """An observed entry, beside what the rest of its row leads one to expect.

    Attributes
    ----------
    column : str
        The column.
    value : str, float, int or bool
        What was observed.
    expected : str, float, int or bool
        What the model predicts there when the entry is taken away.
    probability : float or None
        Of the observed value, given the rest; None for numbers.
    distance : float or None
        From the expected number to the observed one, in standard deviations of what is expected,
        with its sign; None where the column holds no numbers.
    surprise : float
        What ranks the entries, in nats: ``-log(probability)``, or ``distance ** 2 / 2``.

    Examples
    --------
    >>> print(SurprisingEntry("age", 3.0, 41.0, None, -2.5, 3.125))
    age = 3 (expected 41, 2.5 standard deviations away)
    """

    column: str
    value: Any
    expected: Any
    probability: float | None
    distance: float | None
    surprise: float

    def __str__(self) -> str:
        how = (
            f"{abs(self.distance):.2g} standard deviations away"
            if self.distance is not None
            else f"probability {self.probability:.2g}"
        )
        expected = printed_value(self.expected)
        return f"{self.column} = {printed_value(self.value)} (expected {expected}, {how})"
