"""A context of the whole process that several threads may be within."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager


class SharedContext:
    """Entered by the first thread that needs it, left by the last.

    What belongs to the whole process, such as filters of warnings, is put back by whoever leaves as
    it was found on entering. Of two threads that enter and leave by turns, one would find what the
    other has set, and leave that behind for good.

    Parameters
    ----------
    make : callable
        Makes the context anew.

    Examples
    --------
    >>> from contextlib import contextmanager
    >>> @contextmanager
    ... def told():
    ...     print("in")
    ...     yield
    ...     print("out")
    >>> shared = SharedContext(told)
    >>> with shared, shared:
    ...     print("within")
    in
    within
    out
    """

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._depth = 0
        self._entered: AbstractContextManager[object] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._depth:
                entered = self._make()
                entered.__enter__()
                self._entered = entered
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth and self._entered is not None:
                entered, self._entered = self._entered, None
                entered.__exit__(None, None, None)
