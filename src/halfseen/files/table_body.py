"""What a table file can do, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Fill = Callable[[pa.Table], Mapping[str, Any]]


class TableBody(Protocol):
    """The rows of a table file, whatever its format.

    Examples
    --------
    >>> TableBody.__name__
    'TableBody'
    """

    def batches(self, max_rows: int, positions: Sequence[int]) -> Iterator[pa.Table]:
        """Give typed rows of some columns, in file order.

        Parameters
        ----------
        max_rows : int
            Rows at a time, at most.
        positions : sequence of int
            Columns, in the order wanted.

        Yields
        ------
        pyarrow.Table
            The rows.
        """
        ...

    def take(self, rows: NDArray[np.int64], positions: Sequence[int]) -> pa.Table:
        """Give chosen rows of some columns.

        Parameters
        ----------
        rows : ndarray of int64, ascending
            Data rows, counted from 0.
        positions : sequence of int
            Columns, in the order wanted.

        Returns
        -------
        pyarrow.Table
            The rows.
        """
        ...

    def filled(
        self,
        fill: Fill,
        max_rows: int,
        n_filled: NDArray[np.int64],
        n_left: NDArray[np.int64],
    ) -> Iterator[bytes]:
        """Give the bytes of the file with its holes filled, before any compression.

        Parameters
        ----------
        fill : callable
            Values for a batch, by column name.
        max_rows : int
            Rows at a time, at most.
        n_filled, n_left : ndarray of int64, shape (n_columns,)
            Counts of holes that are filled and that stay; added to on the way.

        Yields
        ------
        bytes
            The new file, piece by piece.
        """
        ...

    def close(self) -> None:
        """Let go of what was opened."""
        ...
