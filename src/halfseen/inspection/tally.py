"""How often each value occurs, in bounded memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)


class Tally(Generic[Value]):
    """How often each value occurs, in bounded memory.

    Up to the cap all counts are exact. Beyond it the rarest values are forgotten from time to
    time; the counts of those that stay are then lower bounds, close for whatever is frequent.

    Parameters
    ----------
    cap : int
        Most distinct values that are told apart.

    Examples
    --------
    >>> tally = Tally(cap=10)
    >>> tally.add([("red", 2), ("blue", 1)])
    >>> tally.add([("red", 1)])
    >>> tally.most_frequent(1), tally.n_distinct, tally.is_capped
    ([('red', 3)], 2, False)
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.is_capped = False
        self._counts: dict[Value, int] = {}

    def add(self, counted: Iterable[tuple[Value, int]]) -> None:
        """Count values.

        Parameters
        ----------
        counted : iterable of (value, count)
            What was met.
        """
        counts = self._counts
        for value, count in counted:
            counts[value] = counts.get(value, 0) + count
        if len(counts) > self.cap:
            self.is_capped = True
            self._counts = dict(self.most_frequent(self.cap // 2))

    @property
    def n_distinct(self) -> int:
        """Number of distinct values, at most the cap."""
        return self.cap if self.is_capped else len(self._counts)

    def most_frequent(self, n: int | None = None) -> list[tuple[Value, int]]:
        """Return the most frequent values, those met first among equals.

        Parameters
        ----------
        n : int or None, default None
            How many; None for all that are told apart.

        Returns
        -------
        list of (value, count)
            In falling order of count.
        """
        ordered = sorted(self._counts.items(), key=lambda item: -item[1])
        return ordered[:n]
