"""A line of progress with the time left, for anything that lasts."""

from __future__ import annotations

import sys
import time
from typing import Literal, TextIO

Verbosity = Literal["auto"] | bool


class ProgressLine:
    """One line on standard error, rewritten in place.

    Nothing is shown in the first two seconds, so that short work stays silent.

    Parameters
    ----------
    what : str
        Name of the work.
    total : int
        Number of steps.
    verbose : "auto" or bool
        "auto" shows the line if standard error is a terminal.
    """

    quiet_seconds = 2.0
    seconds_between = 0.25

    def __init__(
        self, what: str, total: int, verbose: Verbosity = "auto", stream: TextIO | None = None
    ) -> None:
        self.what = what
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self.wanted = self.stream.isatty() if verbose == "auto" else bool(verbose)
        self.started = time.monotonic()
        self.last_shown = float("-inf")
        self.warm: tuple[float, int] | None = None
        self.shown_width = 0

    def show(self, done: int, note: str = "") -> None:
        """Rewrite the line after ``done`` steps of this run.

        The time left is judged by the steps after the first, which may have waited for compilation.
        """
        now = time.monotonic()
        if self.warm is None:
            self.warm = (now, done)
        elapsed = now - self.started
        if not self.wanted or elapsed < self.quiet_seconds:
            return
        if now - self.last_shown < self.seconds_between and done < self.total:
            return
        self.last_shown = now
        line = f"{self.what} {done}/{self.total}  {clock(elapsed)} gone"
        warm_since, warm_done = self.warm
        if done > warm_done:
            left = (now - warm_since) / (done - warm_done) * (self.total - done)
            line += f", at most {clock(left)} left"
        self._write(f"{line}  {note}" if note else line)

    def close(self, note: str) -> None:
        """End the line with what came of the work, if it was ever shown."""
        if self.shown_width:
            self._write(f"{self.what}: {note} ({clock(time.monotonic() - self.started)})")
            self.stream.write("\n")
            self.stream.flush()

    def _write(self, line: str) -> None:
        self.stream.write("\r" + line.ljust(self.shown_width))
        self.stream.flush()
        self.shown_width = len(line)


def clock(seconds: float) -> str:
    """Seconds as a person reads them.

    Examples
    --------
    >>> clock(7.4), clock(75), clock(3700)
    ('7 s', '1 min 15 s', '1 h 01 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
