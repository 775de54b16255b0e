"""Batches of any size, cut anew into blocks of one size."""

from __future__ import annotations

from halfseen.inspection.batch import Batch
from halfseen.inspection.cells import joined

_CELLS_PER_BLOCK = 2**20
_MOST_ROWS = 2**13
_FEWEST_ROWS = 2**8


class EvenBlocks:
    """Cuts batches of any size anew into blocks of one size.

    Whatever is computed block by block is then the same, to the last bit, however the reader
    cut the table.

    Parameters
    ----------
    n_columns : int
        Columns of the table; wide tables get shorter blocks.

    Examples
    --------
    >>> from halfseen.inspection.batch import read_batch
    >>> blocks = EvenBlocks(n_columns=1)
    >>> rows = read_batch([[0.0]] * 5000)
    >>> [block.n_rows for _ in range(4) for block in blocks.add(rows)]
    [8192, 8192]
    >>> blocks.rest().n_rows
    3616
    """

    def __init__(self, n_columns: int) -> None:
        by_width = _CELLS_PER_BLOCK // max(n_columns, 1)
        self.n_rows_per_block = max(_FEWEST_ROWS, min(_MOST_ROWS, by_width))
        self._waiting: list[Batch] = []
        self._n_waiting = 0

    def add(self, batch: Batch) -> list[Batch]:
        """Take in a batch.

        Parameters
        ----------
        batch : Batch
            Of the same columns as all before.

        Returns
        -------
        list of Batch
            The blocks that are full now.
        """
        if not batch.n_rows:
            return []
        self._waiting.append(batch)
        self._n_waiting += batch.n_rows
        size = self.n_rows_per_block
        if self._n_waiting < size:
            return []
        together = self._together()
        n_full = self._n_waiting // size * size
        self._n_waiting -= n_full
        self._waiting = [_rows(together, n_full, None)] if self._n_waiting else []
        return [_rows(together, start, start + size) for start in range(0, n_full, size)]

    def rest(self) -> Batch | None:
        """Return the rows that do not fill a block, or None; they go on waiting."""
        return self._together() if self._waiting else None

    def _together(self) -> Batch:
        columns = zip(*(batch.columns for batch in self._waiting), strict=True)
        parts = tuple(joined(list(cells)) for cells in columns)
        return Batch(self._waiting[0].names, parts, self._n_waiting)


def _rows(batch: Batch, start: int, stop: int | None) -> Batch:
    columns = tuple(cells[start:stop] for cells in batch.columns)
    n_rows = (batch.n_rows if stop is None else stop) - start
    return Batch(batch.names, columns, n_rows)
