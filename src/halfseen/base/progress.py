"""How far a fit is, on standard error, and what may end it early."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Callback = Callable[[str, int, int], object]
Result = TypeVar("Result")


def print_line(model: object, line: str) -> None:
    """Print a line about the fit of a model on standard error."""
    print(f"[{type(model).__name__}] {line}", file=sys.stderr, flush=True)


class Progress:
    """Reports how far a fit is, and ends it after `max_seconds` of its model, or Ctrl-C."""

    def __init__(self, model: Any, callback: Callback | None) -> None:
        self.model, self.callback = model, callback
        self.began, self.last_line = time.monotonic(), 0.0
        self.was_interrupted = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report the work done in a stage, and the work to do."""
        if self.callback is not None:
            self.callback(stage, done, total)
        seconds = time.monotonic() - self.began
        verbose = self.model.verbose
        if verbose and (done == total or seconds > self.last_line + 1.0 / verbose):
            self.last_line = seconds
            print_line(self.model, f"{stage}: {done} of {total}, {seconds:.1f}s")

    @property
    def is_over(self) -> bool:
        """Whether the fit is to end."""
        most = float("inf") if self.model.max_seconds is None else self.model.max_seconds
        return self.was_interrupted or time.monotonic() - self.began > most

    def results(self, jobs: list[Future[Result]]) -> list[Result]:
        """Results of jobs that end early once the fit is over; a second Ctrl-C is raised."""
        try:
            return [job.result() for job in jobs]
        except KeyboardInterrupt:
            if self.was_interrupted:
                raise
            self.was_interrupted = True
            return self.results(jobs)
