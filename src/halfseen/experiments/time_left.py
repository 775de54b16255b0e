"""How long the rest of a study will take, judged by what is done of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple


class Took(NamedTuple):
    """What one cell took."""

    method: str
    data_set: str
    seconds: float


def seconds_left(
    done: Iterable[Took], left: Sequence[tuple[str, str]], n_workers: int
) -> float | None:
    """Seconds until all cells are done.

    A cell takes what the same method took on the same data set; else what it took on others; else
    what cells took on the whole.

    Parameters
    ----------
    done : iterable of Took
        Finished cells.
    left : sequence of (method, data set)
        Cells that are not finished.
    n_workers : int
        Cells that run side by side.

    Returns
    -------
    float or None
        None if nothing is done yet to judge by.

    Examples
    --------
    >>> done = [Took("mc1", "scene", 4.0), Took("mc1", "yeast", 2.0), Took("cle", "scene", 9.0)]
    >>> seconds_left(done, [("mc1", "scene"), ("mc1", "mnist"), ("gain", "scene")], 2)
    6.0
    """
    by_both: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_method: dict[str, list[float]] = defaultdict(list)
    overall: list[float] = []
    for took in done:
        by_both[took.method, took.data_set].append(took.seconds)
        by_method[took.method].append(took.seconds)
        overall.append(took.seconds)
    if not overall:
        return None
    seconds = [
        fmean(by_both.get((method, data_set)) or by_method.get(method) or overall)
        for method, data_set in left
    ]
    longest = max(seconds, default=0.0)
    return max(sum(seconds) / n_workers, longest)
