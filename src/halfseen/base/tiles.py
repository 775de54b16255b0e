"""Rows in padded tiles of one shape, so that no bit of a result depends on how a table is cut.

Products of matrices are rounded by the shape of their operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TILE_ROWS = 32


def map_tiles(function: Callable[..., Any], *tables: NDArray[Any]) -> NDArray[np.float32]:
    """Apply a compiled row-by-row function to all rows, always in tiles of `TILE_ROWS` rows."""
    n_rows = len(tables[0])
    results = []
    for first in range(0, max(n_rows, 1), TILE_ROWS):
        tiles = [table[first : first + TILE_ROWS] for table in tables]
        missing = TILE_ROWS - len(tiles[0])
        if missing:
            tiles = [np.pad(tile, [(0, missing)] + [(0, 0)] * (tile.ndim - 1)) for tile in tiles]
        results.append(function(*tiles))
    return np.concatenate([np.asarray(result) for result in results])[:n_rows]
