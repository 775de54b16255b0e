"""Choose rows at random, whatever the way they are read."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from halfseen.files.cells import mixed

_AT_ONCE: Final = 1 << 20


def choose_rows(n_rows: int, n: int, seed: int) -> NDArray[np.int64]:
    """Choose `n` of `n_rows` rows: those with the lowest hashes of seed and row number.

    Parameters
    ----------
    n_rows : int
        Rows there are.
    n : int
        Rows wanted.
    seed : int
        Another seed chooses other rows.

    Returns
    -------
    ndarray of int64, ascending
        Row numbers, counted from 0; all of them when there are no more than `n`.

    Examples
    --------
    >>> rows = choose_rows(1000, 3, seed=0)
    >>> len(rows), bool(np.all(np.diff(rows) > 0))
    (3, True)
    >>> choose_rows(2, 5, seed=0)
    array([0, 1])
    """
    if n < 0:
        raise ValueError(f"n is {n}: ask for no rows or more.")
    if n >= n_rows:
        return np.arange(n_rows, dtype=np.int64)
    start = mixed(np.array([seed % (1 << 64)], dtype=np.uint64))
    rows = np.empty(0, dtype=np.int64)
    hashes = np.empty(0, dtype=np.uint64)
    for first in range(0, n_rows, _AT_ONCE):
        more = np.arange(first, min(first + _AT_ONCE, n_rows), dtype=np.int64)
        rows = np.concatenate([rows, more])
        hashes = np.concatenate([hashes, mixed(more.astype(np.uint64) ^ start)])
        if len(rows) > n > 0:
            lowest = np.argpartition(hashes, n - 1)[:n]
            rows, hashes = rows[lowest], hashes[lowest]
    return np.sort(rows[:n])
