"""Hiding columns that fail together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OWN_STREAM = 67_867_967


def hide_blocks(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
    """Columns fail together: every row loses one run of neighbouring columns.

    So it is where a sensor that feeds several columns fails, or a customer's privacy settings keep
    a group of columns back.

    Examples
    --------
    >>> hidden = hide_blocks(np.zeros((100, 10)), 0.4, seed=0)
    >>> np.unique(hidden.sum(axis=1)).tolist()
    [4]
    """
    generator = np.random.default_rng([seed, _OWN_STREAM])
    n_rows, n_columns = X.shape
    length = round(rate * n_columns)
    first = generator.integers(0, n_columns - length + 1, size=n_rows)
    place = np.arange(n_columns)
    hidden: NDArray[np.bool_] = (place >= first[:, None]) & (place < first[:, None] + length)
    return hidden
