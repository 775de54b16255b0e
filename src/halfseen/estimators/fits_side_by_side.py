"""Fits that do not depend on each other, made at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from halfseen.machine.usable_cores import usable_cores

Asked = TypeVar("Asked")
Fitted = TypeVar("Fitted")


def fits_side_by_side(fit: Callable[[Asked], Fitted], asked: Sequence[Asked]) -> list[Fitted]:
    """What ``fit`` gives for each, in their order, as many at a time as there are cores.

    Examples
    --------
    >>> fits_side_by_side(lambda number: number**2, [1, 2, 3])
    [1, 4, 9]
    """
    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="halfseen") as threads:
        return list(threads.map(fit, asked))
