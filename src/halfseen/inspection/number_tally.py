"""How often each number occurs, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class NumberTally:
    """How often each number occurs, in bounded memory.

    Up to the cap all counts are exact. Beyond it the rarest numbers are forgotten from time to
    time; counts of those that stay are then lower bounds. Numbers that hardly ever repeat are
    not counted any further.

    Parameters
    ----------
    cap : int
        Most distinct numbers that are told apart.

    Attributes
    ----------
    is_capped : bool
        There are more distinct numbers than the cap.
    repeats : bool
        Numbers repeat often enough to be counted.

    Examples
    --------
    >>> import numpy as np
    >>> tally = NumberTally(cap=10)
    >>> tally.add(np.array([2.0, 1.0, 2.0]))
    >>> tally.add(np.array([2.0]))
    >>> tally.most_frequent(1), tally.n_distinct
    ([(2.0, 3)], 2)
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.is_capped = False
        self.repeats = True
        self._values: NDArray[np.float64] = np.zeros(0)
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def add(self, seen: NDArray[np.float64]) -> None:
        """Count numbers.

        Parameters
        ----------
        seen : ndarray of float, shape (n,)
            What was met.
        """
        if not self.repeats:
            return
        values, counts = np.unique(seen, return_counts=True)
        both = np.concatenate([self._values, values])
        self._values, places = np.unique(both, return_inverse=True)
        weights = np.concatenate([self._counts, counts])
        self._counts = np.bincount(places.reshape(-1), weights, len(self._values)).astype(np.int64)
        if len(self._values) > self.cap:
            self.is_capped = True
            self.repeats = len(values) < len(seen) / 2
            kept = np.sort(self._order()[: self.cap // 2 if self.repeats else 0])
            self._values, self._counts = self._values[kept], self._counts[kept]

    @property
    def n_distinct(self) -> int:
        """Number of distinct numbers, at most the cap."""
        return self.cap if self.is_capped else len(self._values)

    def most_frequent(self, n: int | None = None) -> list[tuple[float, int]]:
        """Return the most frequent numbers, the smaller first among equals.

        Parameters
        ----------
        n : int or None, default None
            How many; None for all that are told apart.

        Returns
        -------
        list of (number, count)
            In falling order of count.
        """
        first = self._order()[:n]
        return list(zip(self._values[first].tolist(), self._counts[first].tolist(), strict=True))

    def _order(self) -> NDArray[np.int64]:
        return np.argsort(-self._counts, kind="stable")
