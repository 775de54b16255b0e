"""The rows of a table in random order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MANY_ROWS = 2**20
_ROWS_OF_A_CHUNK = 64
_ROWS_OF_A_POOL = 2**16


def shuffled_rows(generator: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
    """Every row once, in random order.

    In a table of more than a million rows every row would be fetched from memory by itself. There,
    chunks of 64 rows are put into random order, and then the rows of every thousand chunks.

    Parameters
    ----------
    generator : numpy.random.Generator
        Where chance comes from.
    n_rows : int
        Rows of the table.

    Returns
    -------
    ndarray of int32, of shape (n_rows,)

    Examples
    --------
    >>> shuffled_rows(np.random.default_rng(0), 5)
    array([2, 4, 3, 0, 1], dtype=int32)
    """
    if n_rows < _MANY_ROWS:
        return generator.permutation(n_rows).astype(np.int32)
    n_chunks = -(-n_rows // _ROWS_OF_A_CHUNK)
    first = _ROWS_OF_A_CHUNK * generator.permutation(n_chunks).astype(np.int32)
    within = np.arange(_ROWS_OF_A_CHUNK, dtype=np.int32)
    rows: NDArray[np.int32] = (first[:, None] + within).reshape(-1)
    rows = rows[rows < n_rows]
    for start in range(0, n_rows, _ROWS_OF_A_POOL):
        generator.shuffle(rows[start : start + _ROWS_OF_A_POOL])
    return rows
