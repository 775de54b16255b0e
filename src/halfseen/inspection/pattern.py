"""Which columns are observed together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """Which columns are observed together, and in how many rows.

    Attributes
    ----------
    observed : tuple of bool
        One per column of the table, True where observed.
    n_rows : int
        Rows with exactly this pattern.

    Examples
    --------
    >>> Pattern((True, False, True), 12).n_missing
    1
    """

    observed: tuple[bool, ...]
    n_rows: int

    @property
    def n_missing(self) -> int:
        """Number of columns not observed."""
        return len(self.observed) - sum(self.observed)
