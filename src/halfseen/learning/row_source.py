"""Where an epoch takes its rows from: a table on the device, or one that is read as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from halfseen.learning.epoch import EpochOrder, Rows, rows_on_device
from halfseen.learning.lent_to_device import lent_to_device
from halfseen.learning.one_ahead import one_ahead

_ROWS_AT_ONCE = 4096  # read together at the most, and rows of a part of a table
_LEAST_BLOCKS = 16  # of an epoch

Read = Callable[[NDArray[np.integer]], tuple[NDArray[np.float32], NDArray[np.bool_]]]


class Block(NamedTuple):
    """Some minibatches of an epoch, and a table that holds their rows."""

    table: Rows
    order: EpochOrder  # rows as they are counted in this table
    first: int  # minibatches of the epoch that come before


class RowSource(Protocol):
    """Where an epoch takes its rows from."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table: (n_rows, n_visible), perhaps with a leading axis of machines."""
        ...

    @property
    def n_table_rows(self) -> int:
        """Rows for which an objective may keep something, padding among them."""
        ...

    def blocks(self, order: EpochOrder) -> Iterator[Block]:
        """The minibatches of an epoch in their order, cut in blocks."""
        ...

    def parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
        """All rows in their order, with what is observed of them, cut in parts."""
        ...


class HeldRows:
    """A table on the device, as one block.

    Parameters
    ----------
    visible, observed : ndarray of shape (n_rows, n_visible), or (n_machines, n_rows, n_visible)
        The table. What stands behind missing entries is never read.

    Examples
    --------
    >>> HeldRows(np.zeros((3, 2), np.float32), np.ones((3, 2), bool)).shape
    (3, 2)
    """

    def __init__(self, visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> None:
        self._visible, self._observed = visible, observed
        self._table = rows_on_device(visible, observed)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table."""
        return self._visible.shape

    @property
    def n_table_rows(self) -> int:
        """Rows of the table on the device."""
        return int(self._table.visible.shape[-2])

    def blocks(self, order: EpochOrder) -> Iterator[Block]:
        """The whole epoch."""
        yield Block(self._table, order, 0)

    def parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
        """The whole table."""
        yield self._visible, self._observed


class ReadRows:
    """A table that is never whole in memory: rows of some minibatches are read at a time.

    Results are those of :class:`HeldRows` for an objective that keeps nothing of single rows.

    Parameters
    ----------
    read : callable
        Gives the values of some rows, and what is observed of them.
    n_rows, n_visible : int
        Shape of the table.

    Examples
    --------
    >>> table = np.arange(12, dtype=np.float32).reshape(6, 2)
    >>> source = ReadRows(lambda rows: (table[rows], np.ones((len(rows), 2), bool)), 6, 2)
    >>> np.array_equal(np.concatenate([visible for visible, _ in source.parts()]), table)
    True
    """

    def __init__(self, read: Read, n_rows: int, n_visible: int) -> None:
        self._read = read
        self.shape: tuple[int, ...] = (n_rows, n_visible)
        self.n_table_rows = 0  # nothing can be kept of single rows

    def blocks(self, order: EpochOrder) -> Iterator[Block]:
        """So many minibatches at a time that their rows are few, or a few thousand; read ahead."""
        return one_ahead(self._blocks(order))

    def _blocks(self, order: EpochOrder) -> Iterator[Block]:
        n_machines, _, batch_size = order.rows.shape
        # Of few rows that are wide, a few thousand would be the table once more.
        most = min(_ROWS_AT_ONCE, self.shape[0] // _LEAST_BLOCKS)
        at_once = max(1, most // (n_machines * batch_size))
        for first in range(0, order.n_batches, at_once):
            n_batches = min(at_once, order.n_batches - first)
            # The last block is filled up, so that all have one shape.
            batches = np.minimum(np.arange(first, first + at_once), order.n_batches - 1)
            rows = order.rows[:, batches]
            places = np.arange(rows.size, dtype=np.int32).reshape(rows.shape)
            table = Rows(*map(lent_to_device, self._read(rows.reshape(-1))))
            yield Block(table, EpochOrder(places, order.weight[batches], n_batches), first)

    def parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
        """A few thousand rows at a time."""
        for first in range(0, self.shape[0], _ROWS_AT_ONCE):
            yield self._read(np.arange(first, min(first + _ROWS_AT_ONCE, self.shape[0])))
