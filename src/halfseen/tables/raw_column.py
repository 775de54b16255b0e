"""One column as it was read, before anything is learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column as it was read: its values beside `observed`.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        float64 for numbers and booleans (float32 where that type holds every value of the
        input's type exactly), object for text and other categories. Behind unobserved entries
        the reader wrote 0.0 or None itself, so nothing hidden in a buffer can be read.
    observed : ndarray of bool, shape (n_rows,)
        True where the entry was seen.
    is_text : bool
        The values are categories, held as objects.
    is_bool : bool
        Every observed value is True or False (held as 1.0 and 0.0).

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import read_table
    >>> column = read_table(np.array([[1.5], [np.nan]])).columns[0]
    >>> column.values, column.observed
    (array([1.5, 0. ]), array([ True, False]))
    """

    values: NDArray[Any]
    observed: NDArray[np.bool_]
    is_text: bool
    is_bool: bool

    @property
    def n_observed(self) -> int:
        """Number of observed entries."""
        return int(np.count_nonzero(self.observed))

    @property
    def observed_values(self) -> NDArray[Any]:
        """The observed values alone, in row order."""
        if self.n_observed == len(self.values):
            return self.values
        return self.values[self.observed]

    def rows(self, rows: slice | NDArray[np.integer]) -> RawColumn:
        """The same column of some rows."""
        return RawColumn(self.values[rows], self.observed[rows], self.is_text, self.is_bool)

    def first_row(self, where: NDArray[np.bool_]) -> int | None:
        """First row that is observed and lies in `where`, or None.

        Parameters
        ----------
        where : ndarray of bool, shape (n_rows,)
            Rows under suspicion.

        Returns
        -------
        int or None
            The row, for an error message.
        """
        rows = np.flatnonzero(where & self.observed)
        return int(rows[0]) if rows.size else None
