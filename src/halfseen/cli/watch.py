"""A bar of progress that appears only when something lasts."""

from __future__ import annotations

import io
import re
import threading
import time
from typing import Any

from rich.console import Console

_QUIET_SECONDS = 2.0
_LINE = re.compile(r"\r(?P<what>[^\r\n]*?) (?P<done>\d+)/(?P<total>\d+)")
# What the engine calls its parts, and what they are to the person who waits.
_WORDS = {
    "training, epoch": "learning what is typical",
    "predictive training, step": "learning to fill and to predict",
    "completing, row": "completing",
    "predicting, row": "predicting",
    "weighing, row": "weighing rows",
}


class Watch:
    """One piece of work that someone may be waiting for.

    Nothing is shown in the first two seconds, and nothing at all without a console.

    Parameters
    ----------
    what : str
        What is going on.
    total : int or None
        Number of steps; None shows that something is going on, and for how long.
    console : rich.console.Console or None
        Where to show it; None if nobody looks.

    Examples
    --------
    >>> watch = Watch("reading", 10, None)
    >>> watch.advance(4)
    >>> watch.done
    4
    >>> watch.close()
    """

    def __init__(self, what: str, total: int | None, console: Console | None) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._console = console
        self._closed = False
        self._timer: threading.Timer | None = None
        if console is not None:
            self._timer = threading.Timer(_QUIET_SECONDS, self._appear)
            self._timer.daemon = True
            self._timer.start()

    def advance(self, steps: int) -> None:
        """Some steps more are done."""
        self.to(self.done + steps)

    def to(self, done: int, total: int | None = None, what: str | None = None) -> None:
        """So many steps are done, of something else perhaps."""
        with self._lock:
            self.done = done
            self.total = self.total if total is None else total
            is_other = what is not None and what != self.what
            self.what = self.what if what is None else what
            if self._bar is None:
                return
            if is_other:
                self._bar.reset(self._task, total=self.total, description=self.what)
            self._bar.update(self._task, completed=done, total=self.total, description=self.what)

    @property
    def stream(self) -> io.TextIOBase:
        """A stream whose lines of progress move the bar, for work that writes such lines."""
        return _LinesOfProgress(self, is_wanted=self._console is not None)

    def close(self) -> None:
        """The work is over; the bar goes."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _appear(self) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if self._closed:
                return
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %" if self.total else ""),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._bar.add_task(self.what, total=self.total, completed=self.done)
            self._bar.tasks[0].start_time = self._started
            self._bar.start()


class _LinesOfProgress(io.TextIOBase):
    """Reads "what done/total" from rewritten lines; everything else is dropped."""

    def __init__(self, watch: Watch, *, is_wanted: bool) -> None:
        self._watch = watch
        self._is_wanted = is_wanted

    def isatty(self) -> bool:
        return self._is_wanted

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        found = _LINE.search(text)
        if found:
            what = _WORDS.get(found["what"], found["what"])
            self._watch.to(int(found["done"]), int(found["total"]), what)
        return len(text)
