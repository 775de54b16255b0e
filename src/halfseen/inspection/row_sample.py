"""A random sample of rows, drawn while they pass by."""

from __future__ import annotations

import numpy as np

from halfseen.inspection.batch import Batch
from halfseen.inspection.cells import joined


class RowSample:
    """A random sample of rows, drawn while they pass by.

    Every row gets a random number, and those with the smallest are kept: which rows these are
    depends on the seed alone.

    Parameters
    ----------
    n_rows : int
        Most rows to keep.
    seed : int
        Seed of the draw.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.inspection.batch import read_batch
    >>> sample = RowSample(3, seed=0)
    >>> for start in (0, 50):
    ...     sample.add(read_batch(np.arange(start, start + 50.0)[:, None]))
    >>> sample.rows().n_rows
    3
    """

    def __init__(self, n_rows: int, seed: int) -> None:
        self.n_rows = n_rows
        self._generator = np.random.default_rng(seed)
        self._parts: list[Batch] = []
        self._chances: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
        self._n_kept = 0
        self._largest = 1.0

    def add(self, block: Batch) -> None:
        """Let rows pass by.

        Parameters
        ----------
        block : Batch
            The next rows.
        """
        chances = self._generator.random(block.n_rows)
        kept = np.flatnonzero(chances < self._largest)
        self._chances.append(chances[kept])
        self._parts.append(_rows(block, kept))
        self._n_kept += len(kept)
        if self._n_kept > 2 * self.n_rows:
            self._thin()

    def rows(self) -> Batch:
        """Return the sampled rows in the order of the table."""
        self._thin()
        return self._parts[0]

    def _thin(self) -> None:
        chances = np.concatenate(self._chances)
        columns = zip(*(part.columns for part in self._parts), strict=True)
        cells = tuple(joined(list(parts)) for parts in columns)
        together = Batch(self._parts[0].names, cells, len(chances))
        if len(chances) > self.n_rows:
            kept = np.sort(np.argpartition(chances, self.n_rows - 1)[: self.n_rows])
            chances, together = chances[kept], _rows(together, kept)
            self._largest = float(chances.max())
        self._parts, self._chances, self._n_kept = [together], [chances], len(chances)


def _rows(block: Batch, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Batch:
    if len(rows) == block.n_rows:
        return block
    return Batch(block.names, tuple(cells[rows] for cells in block.columns), len(rows))
