"""Rows in padded tiles of one shape, so that no result depends on how a table is cut."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfseen.machine.compilation_cache import kept_compilations

TILE_ROWS = 256


@kept_compilations()
def in_tiles(
    of_tile: Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[np.float32]],
    visible: NDArray[np.float32],
    observed: NDArray[np.bool_],
    after_tile: Callable[[int], None] = lambda n_rows: None,
) -> NDArray[np.float32]:
    """Apply a compiled function to all rows, always in tiles of TILE_ROWS rows.

    Matrix products are rounded by the shape of their operands: with one shape for all, the bits of
    a row's result are the same wherever the row stands and whatever stands beside it. The last tile
    is filled up with rows in which nothing is observed.

    Parameters
    ----------
    of_tile : callable
        ``(visible, observed) -> result`` on exactly TILE_ROWS rows, row by row.
    visible, observed : ndarray of shape (n_rows, n_visible)
        The rows.
    after_tile : callable
        Told after every tile how many rows are done.

    Returns
    -------
    ndarray of shape (n_rows, ...)

    Examples
    --------
    >>> in_tiles(lambda v, o: v.sum(axis=1), np.ones((3, 2), np.float32), np.ones((3, 2), bool))
    array([2., 2., 2.], dtype=float32)
    """
    results = []
    for first in range(0, max(len(visible), 1), TILE_ROWS):
        count = len(visible[first : first + TILE_ROWS])
        results.append(np.asarray(of_tile(*tile_from(first, visible, observed)))[:count])
        after_tile(first + count)
    return np.concatenate(results)


def tile_from(
    first: int, visible: NDArray[np.float32], observed: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """TILE_ROWS rows from the first on, filled up with rows in which nothing is observed.

    Examples
    --------
    >>> tile, seen = tile_from(2, np.ones((3, 1), np.float32), np.ones((3, 1), bool))
    >>> tile.shape, int(seen.sum())
    ((256, 1), 1)
    """
    rows = slice(first, first + TILE_ROWS)
    count = len(visible[rows])
    tile = np.zeros((TILE_ROWS, visible.shape[1]), np.float32)
    seen = np.zeros((TILE_ROWS, visible.shape[1]), bool)
    tile[:count] = visible[rows]
    seen[:count] = observed[rows]
    return tile, seen
