"""One thing that a fit settled by itself, and why."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """What was chosen in fitting, in words for a person.

    Examples
    --------
    >>> print(Choice("shrinkage of the prior", "5 %", "nearest to entries put aside"))
    shrinkage of the prior: 5 % (nearest to entries put aside)
    """

    what: str
    chosen: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.chosen} ({self.why})"
