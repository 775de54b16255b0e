"""How many different values there are, in bounded memory."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_COUNTED: Final = 4096


class DistinctValues:
    """Counts different values by their hashes, in bounded memory.

    As long as there are at most `MOST_COUNTED` of them the count is exact. Beyond, only hashes in
    a lower share of their range are kept, and the share is halved whenever there are too many:
    what is kept then stands for all, wherever in the file it occurs.

    Examples
    --------
    >>> distinct = DistinctValues()
    >>> distinct.add(np.array([7, 9, 7], dtype=np.uint64))
    >>> distinct.count, distinct.all_differ
    (2, False)
    """

    def __init__(self) -> None:
        self._kept = np.empty(0, dtype=np.uint64)
        self._halvings = 0
        self._repeats = False

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Take in the hashes of some values.

        Parameters
        ----------
        hashes : ndarray of uint64
            One per value, all bits random.
        """
        if self._halvings:
            hashes = hashes[hashes <= self._highest]
        if not hashes.size:
            return
        if self._kept.size:
            place = np.minimum(np.searchsorted(self._kept, hashes), self._kept.size - 1)
            known = self._kept[place] == hashes
            if known.any():
                self._repeats = True
                hashes = hashes[~known]
            if not hashes.size:
                return
        new = np.unique(hashes)
        self._repeats |= len(new) < len(hashes)
        self._kept = np.sort(np.concatenate([self._kept, new]))
        while self._kept.size > MOST_COUNTED:
            self._halvings += 1
            self._kept = self._kept[self._kept <= self._highest]

    @property
    def count(self) -> int | None:
        """Number of different values; None when there are more than are counted."""
        return None if self._halvings else self._kept.size

    @property
    def estimate(self) -> int:
        """About how many different values there are."""
        return int(self._kept.size) << self._halvings

    @property
    def all_differ(self) -> bool:
        """No value was seen twice among those that were kept."""
        return not self._repeats

    @property
    def _highest(self) -> np.uint64:
        return np.uint64((1 << (64 - self._halvings)) - 1)
