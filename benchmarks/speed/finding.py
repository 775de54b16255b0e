"""A figure that stands alone, and the goal it is held against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One figure.

    Parameters
    ----------
    what : str
        In words.
    value : float
        The figure.
    unit : str
        Such as "s" or "times".
    most, least : float or None
        The goal; None where there is none on this side.
    note : str
        How it was come by.

    Examples
    --------
    >>> Finding("import halfseen", 0.2, "s", most=0.5).verdict
    'holds'
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the goal is met; empty where there is none."""
        if self.most is None and self.least is None:
            return ""
        low = self.least is None or self.value >= self.least
        high = self.most is None or self.value <= self.most
        return "holds" if low and high else "does not hold"

    @property
    def goal(self) -> str:
        """The goal in words."""
        if self.most is not None:
            return f"at most {self.most:g}"
        return "" if self.least is None else f"at least {self.least:g}"
