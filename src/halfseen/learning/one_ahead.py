"""The next of several things made while the last one is in use."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")


def one_ahead(things: Iterator[Thing]) -> Iterator[Thing]:
    """The same things in the same order, each made by another thread before it is asked for.

    Examples
    --------
    >>> list(one_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="halfseen-ahead") as beside:
        coming = beside.submit(next, things, end)
        while (thing := coming.result()) is not end:
            coming = beside.submit(next, things, end)
            yield thing  # type: ignore[misc]
