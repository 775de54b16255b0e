"""Where the steps of predictive training take their rows from: a table, or one read as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.lent_to_device import lent_to_device
from halfseen.learning.one_ahead import one_ahead

STEPS_AT_ONCE = 50
# A single step would be compiled to other instructions, and rounded otherwise.
_FEWER_STEPS = (50, 25, 10, 5, 2)
_LEAST_PARTS = 16  # of the table, each about as large as what is read at once

Read = Callable[[NDArray[np.int32]], tuple[NDArray[np.float32], NDArray[np.bool_]]]


class Table(NamedTuple):
    """A table on the device."""

    visible: jax.Array  # (n_rows, n_visible)
    training: jax.Array  # (n_folds, n_rows, n_visible) bool, what each fold may learn from

    def steps_at_once(self, batch_size: int) -> int:
        """How many steps are taken by one call."""
        return STEPS_AT_ONCE

    def for_steps(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """A table that holds these rows, and where it holds them: itself."""
        return self, rows

    def like_steps(self, n_rows: int) -> Table:
        """A table of the shapes of :meth:`for_steps` of so many rows: itself."""
        return self


class TableSource(Protocol):
    """Where the rows of a step come from."""

    def steps_at_once(self, batch_size: int) -> int:
        """How many steps are taken by one call: fifty, or fewer that divide fifty."""
        ...

    def for_steps(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """A table that holds these rows, of shape (n_steps, batch_size), and where it does."""
        ...

    def like_steps(self, n_rows: int) -> Table:
        """A table of the shapes of :meth:`for_steps` of so many rows; there is nothing in it."""
        ...


class ReadTable:
    """A table that is never whole in memory: the rows of some steps are read at a time.

    Parameters
    ----------
    read : callable
        Gives the values of some rows, (n_read, n_visible), and what each fold may learn from,
        (n_folds, n_read, n_visible).
    n_folds, n_rows, n_visible : int
        Shape of what there is to be read.

    Examples
    --------
    >>> table = np.arange(12, dtype=np.float32).reshape(6, 2)
    >>> source = ReadTable(lambda rows: (table[rows], np.ones((1, len(rows), 2), bool)), 1, 6, 2)
    >>> held, places = source.for_steps(np.array([[5, 0], [2, 5]]))
    >>> np.asarray(held.visible)[places[1]]
    array([[ 4.,  5.],
           [10., 11.]], dtype=float32)
    """

    def __init__(self, read: Read, n_folds: int, n_rows: int, n_visible: int) -> None:
        self._read = read
        self._n_folds, self._n_rows, self._n_visible = n_folds, n_rows, n_visible

    def steps_at_once(self, batch_size: int) -> int:
        """So few that what is read is small beside the table, but two at least.

        Examples
        --------
        >>> ReadTable(None, 1, 200_000, 784).steps_at_once(128)
        50
        >>> ReadTable(None, 1, 10_000, 10_000).steps_at_once(128)
        2
        """
        most = self._n_rows / _LEAST_PARTS / batch_size
        return next((n_steps for n_steps in _FEWER_STEPS if n_steps <= most), _FEWER_STEPS[-1])

    def for_steps(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """These rows, one after the other."""
        places = np.arange(rows.size, dtype=np.int32).reshape(rows.shape)
        return Table(*map(lent_to_device, self._read(rows.reshape(-1)))), places

    def like_steps(self, n_rows: int) -> Table:
        """So many rows of the same shapes."""
        size = (n_rows, self._n_visible)
        return Table(
            jax.ShapeDtypeStruct(size, np.float32),  # type: ignore[arg-type, no-untyped-call]
            jax.ShapeDtypeStruct(  # type: ignore[arg-type, no-untyped-call]
                (self._n_folds, *size), np.bool_
            ),
        )


def parts_of_steps(
    table: TableSource, in_steps: NDArray[np.int32]
) -> Iterator[tuple[int, Table, NDArray[np.int32]]]:
    """How many steps were taken before, a table, and rows of it: of some steps at a time.

    ``in_steps`` are the rows of all steps, of shape (n_steps, batch_size). What comes next is made
    while the last part is in use.
    """
    at_once = table.steps_at_once(in_steps.shape[1])
    return one_ahead(
        (first, *table.for_steps(in_steps[first : first + at_once]))
        for first in range(0, len(in_steps), at_once)
    )
