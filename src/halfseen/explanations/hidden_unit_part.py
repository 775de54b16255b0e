"""The part that one hidden unit took in a row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnPush:
    """A column and how hard it pushed, or was pushed.

    Attributes
    ----------
    column : str
        The column.
    push : float
        The push; its unit is said where it is used.

    Examples
    --------
    >>> print(ColumnPush("age", -0.5))
    age -0.5
    """

    column: str
    push: float

    def __str__(self) -> str:
        return f"{self.column} {self.push:+.3g}"


@dataclass(frozen=True)
class HiddenUnitPart:
    """The part that one hidden unit took in a row.

    Attributes
    ----------
    machine : int
        Which machine of the model, counted from 0; members of the ensemble if there is no
        likelihood-trained machine.
    unit : int
        Which hidden unit of it, counted from 0.
    activation : float
        Probability that the unit is on, given the completed row.
    usual_activation : float
        The same for a row in which every column stands at its average.
    columns : tuple of ColumnPush
        What moved the unit: per observed column ``sum_i w_ij (v_i - average_i)``, the log-odds that
        it adds to the unit, strongest first.
    pushes : tuple of ColumnPush
        What the unit moved: per answer ``w_ij (activation - usual_activation)``, in log-odds of the
        answer's event, for numbers in their standard deviations; strongest first.

    Examples
    --------
    >>> print(HiddenUnitPart(0, 7, 0.9, 0.2, (ColumnPush("age", 1.5),), (ColumnPush("ill", 0.6),)))
    hidden unit 7: 90 % on (usually 20 %), moved by age +1.5, moves ill +0.6
    """

    machine: int
    unit: int
    activation: float
    usual_activation: float
    columns: tuple[ColumnPush, ...]
    pushes: tuple[ColumnPush, ...]

    def __str__(self) -> str:
        text = (
            f"hidden unit {self.unit}: {100 * self.activation:.0f} % on "
            f"(usually {100 * self.usual_activation:.0f} %)"
        )
        if self.columns:
            text += f", moved by {', '.join(map(str, self.columns[:3]))}"
        if self.pushes:
            text += f", moves {', '.join(map(str, self.pushes[:3]))}"
        return text
