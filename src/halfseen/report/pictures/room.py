"""Room for what is alike: a range that a few values far away do not stretch."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

_FAR = 4.0


def common_range(values: ArrayLike, *, higher_is_better: bool) -> tuple[float, float]:
    """The range of the better values, and of those worse ones that are not far off.

    Parameters
    ----------
    values : array-like
        Those that are not finite do not count.
    higher_is_better : bool
        Which values are the better ones; all of them are kept.

    Returns
    -------
    (float, float)
        Lowest and highest of the values that are kept; (0, 1) if there are none.

    Examples
    --------
    >>> common_range([0.90, 0.92, 0.93, 0.95, 0.5], higher_is_better=True)
    (0.9, 0.95)
    >>> common_range([0.90, 0.92, 0.93, 0.95, 0.5], higher_is_better=False)
    (0.5, 0.95)
    """
    numbers = np.asarray(values, np.float64).reshape(-1)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return 0.0, 1.0
    way = 1.0 if higher_is_better else -1.0
    behind = way * (np.median(numbers) - numbers)
    usual = max(float(np.median(np.abs(behind))), -float(behind.min()) / 2)
    near = numbers[behind <= _FAR * usual] if usual > 0 else numbers
    return float(near.min()), float(near.max())


def spaced(places: ArrayLike, apart: float, low: float, high: float) -> list[float]:
    """Places moved as little as it takes to stand apart, within bounds, in their old order.

    Parameters
    ----------
    places : array-like
        Where they would like to stand.
    apart : float
        The least distance.
    low, high : float
        Bounds; where there is no room for all, the distance is less.

    Returns
    -------
    list of float

    Examples
    --------
    >>> spaced([10.0, 11.0, 40.0], 10.0, 0.0, 100.0)
    [5.5, 15.5, 40.0]
    """
    wanted = np.asarray(places, np.float64)
    if not len(wanted):
        return []
    apart = min(apart, (high - low) / max(len(wanted) - 1, 1))
    order = np.argsort(wanted, kind="stable")
    # Neighbours that are too near are joined to blocks, each centred on what its members wish.
    blocks: list[list[float]] = []  # [sum of wished starts, number]
    for rank, place in enumerate(wanted[order].tolist()):
        blocks.append([place - rank * apart, 1])
        while len(blocks) > 1 and _start(blocks[-2]) > _start(blocks[-1]):
            last = blocks.pop()
            blocks[-1][0] += last[0]
            blocks[-1][1] += last[1]
    starts = [_start(block) for block in blocks for _ in range(int(block[1]))]
    top = high - (len(wanted) - 1) * apart
    moved = [min(max(one, low), top) + rank * apart for rank, one in enumerate(starts)]
    back = np.empty(len(wanted))
    back[order] = moved
    return [round(one, 2) for one in back.tolist()]


def _start(block: list[float]) -> float:
    return block[0] / block[1]
