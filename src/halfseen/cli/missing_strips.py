"""Where in a file the holes of each column are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow

_SHADES = "·░▒▓█"


class MissingStrips:
    """Share of holes in each column, along the file from its first row to its last.

    Parameters
    ----------
    n_rows : int
        Rows of the file.
    n_parts : int, default=16
        Parts of equal length that the file is looked at in.

    Examples
    --------
    >>> import pyarrow as pa
    >>> strips = MissingStrips(4, 2)
    >>> strips.add(pa.table({"a": [1.0, 2.0, None], "b": [1.0, 1.0, 1.0]}))
    >>> strips.add(pa.table({"a": [None], "b": [1.0]}))
    >>> strips.signs("a"), strips.signs("b")
    ('·█', '··')
    """

    def __init__(self, n_rows: int, n_parts: int = 16) -> None:
        self.n_rows = n_rows
        self.n_parts = max(1, min(n_parts, n_rows))
        self._n_seen = 0
        self._rows = np.zeros(self.n_parts)
        self._holes: dict[str, NDArray[np.float64]] = {}

    def add(self, batch: pyarrow.Table) -> None:
        """Look at the next rows of the file.

        Parameters
        ----------
        batch : pyarrow.Table
            All columns of some rows.
        """
        place = np.arange(self._n_seen, self._n_seen + batch.num_rows)
        part = np.minimum(place * self.n_parts // max(self.n_rows, 1), self.n_parts - 1)
        self._n_seen += batch.num_rows
        self._rows += np.bincount(part, minlength=self.n_parts)
        for name, column in zip(batch.column_names, batch.columns, strict=True):
            holes = self._holes.setdefault(name, np.zeros(self.n_parts))
            if column.null_count:
                missing = column.is_null(nan_is_null=True).to_numpy()
                holes += np.bincount(part, weights=missing, minlength=self.n_parts)

    def shares(self, name: str) -> list[float]:
        """Share of holes in each part of the file.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        list of float
        """
        shares: list[float] = (self._holes[name] / np.maximum(self._rows, 1)).tolist()
        return shares

    def signs(self, name: str) -> str:
        """One sign for each part of the file: a dot where nothing is missing, darker for more.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        str
        """
        return "".join(
            _SHADES[0] if share == 0 else _SHADES[min(1 + int(share * 4), 4)]
            for share in self.shares(name)
        )
