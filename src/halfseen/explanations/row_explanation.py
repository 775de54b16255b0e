"""Why the model says what it says about one row."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.explanations.answer import Answer
from halfseen.explanations.hidden_unit_part import HiddenUnitPart
from halfseen.explanations.typical_pattern import NearestPattern

_SHOWN = 3


@dataclass(frozen=True)
class RowExplanation:
    """Why the model says what it says about one row.

    Attributes
    ----------
    row : int
        The row, counted from 0.
    answers : tuple of Answer
        Labels and classes first, then the holes of the features, each in column order.
    hidden_units : tuple of HiddenUnitPart
        Those that took part most first.
    nearest_patterns : tuple of NearestPattern
        Typical patterns, the nearest first; empty for models without a likelihood-trained machine.

    Examples
    --------
    >>> print(RowExplanation(3, (Answer("size", False, 1.5, None, None, (1.0, 2.0), ()),), (), ()))
    row 3
    size: 1.5 (between 1 and 2)
    """

    row: int
    answers: tuple[Answer, ...]
    hidden_units: tuple[HiddenUnitPart, ...]
    nearest_patterns: tuple[NearestPattern, ...]

    def __str__(self) -> str:
        lines = [f"row {self.row}"]
        lines += [str(answer) for answer in self.answers]
        lines += [str(part) for part in self.hidden_units[:_SHOWN]]
        lines += [str(near) for near in self.nearest_patterns[:_SHOWN]]
        return "\n".join(lines)
