"""One visible matrix beside `observed`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 1024
Places = slice | NDArray[np.integer]


class Encoded(NamedTuple):
    """One visible matrix beside `observed`.

    Attributes
    ----------
    visible : ndarray of float32, shape (n_rows, n_visible)
        Values of the visible units, 0 where unobserved.
    observed : ndarray of bool, shape (n_rows, n_visible)
        True where a unit is pinned to its observed value.

    Examples
    --------
    >>> import numpy as np
    >>> Encoded(np.zeros((2, 3), np.float32), np.ones((2, 3), bool)).visible.shape
    (2, 3)
    """

    visible: NDArray[np.float32]
    observed: NDArray[np.bool_]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.visible)

    @property
    def n_visible(self) -> int:
        """Number of visible units."""
        return int(self.visible.shape[1])

    def rows(self, rows: Places) -> Encoded:
        """All units of some rows."""
        return Encoded(self.visible[rows], self.observed[rows])

    def units(self, units: Places) -> Encoded:
        """Some units of all rows."""
        return Encoded(self.visible[:, units], self.observed[:, units])

    def share_observed(self) -> NDArray[np.float64]:
        """Share of the rows in which each unit is observed, of shape (n_visible,)."""
        share: NDArray[np.float64] = self.observed.mean(axis=0)
        return share

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest observed value of each unit; infinite where nothing is observed."""
        lowest, highest = np.full(self.n_visible, np.inf), np.full(self.n_visible, -np.inf)
        for first in range(0, self.n_rows, _ROWS_AT_ONCE):
            visible, seen = self.rows(slice(first, first + _ROWS_AT_ONCE))
            lowest = np.minimum(lowest, visible.min(axis=0, initial=np.inf, where=seen))
            highest = np.maximum(highest, visible.max(axis=0, initial=-np.inf, where=seen))
        return lowest, highest

    def written_down(self) -> Encoded:
        """All units of all rows: itself."""
        return self


class EncodedTable(Protocol):
    """A table as visible units, written down (`Encoded`) or not (`EncodedOnDemand`)."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def n_visible(self) -> int:
        """Number of visible units."""
        ...

    def rows(self, rows: Places) -> Encoded:
        """All units of some rows."""
        ...

    def units(self, units: Places) -> Encoded:
        """Some units of all rows."""
        ...

    def share_observed(self) -> NDArray[np.float64]:
        """Share of the rows in which each unit is observed, of shape (n_visible,)."""
        ...

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest observed value of each unit; infinite where nothing is observed."""
        ...

    def written_down(self) -> Encoded:
        """All units of all rows."""
        ...
