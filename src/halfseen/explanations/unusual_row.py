"""A row, and how unusual it is."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.explanations.surprising_entry import SurprisingEntry

_SHOWN = 3


@dataclass(frozen=True)
class UnusualRow:
    """A row, and how unusual what was observed in it is.

    Attributes
    ----------
    row : int
        The row, counted from 0.
    score : float
        How far its log-probability lies below that of ordinary rows of which as many entries are
        observed, in spreads of theirs: about 0 for an ordinary row, large for an unusual one.
    log_probability : float
        Of what was observed: a density per raw unit for numbers, a probability for all else.
    n_observed : int
        Observed entries, labels among them if they were given.
    entries : tuple of SurprisingEntry
        Those that surprise most first.

    Examples
    --------
    >>> age = SurprisingEntry("age", 3.0, 41.0, None, -2.5, 3.125)
    >>> print(UnusualRow(17, 4.2, -31.0, 8, (age,)))
    row 17 (score 4.2): age = 3 (expected 41, 2.5 standard deviations away)
    """

    row: int
    score: float
    log_probability: float
    n_observed: int
    entries: tuple[SurprisingEntry, ...]

    def __str__(self) -> str:
        shown = "; ".join(map(str, self.entries[:_SHOWN]))
        return f"row {self.row} (score {self.score:.3g}): {shown}"
