"""How a study goes on: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from halfseen.cli.terminal import Terminal
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.cell_worker import Job
from halfseen.experiments.record import Record
from halfseen.experiments.time_left import Took, seconds_left

_MOST_SHOWN = 8


class ExperimentProgress:
    """Watches a run and shows how it goes on, on standard error.

    Parameters
    ----------
    n_workers : int
        Cells that run side by side.
    terminal : Terminal
        Nothing is shown if it is quiet.

    Examples
    --------
    >>> with ExperimentProgress(2, Terminal(quiet=True)) as progress:
    ...     progress.begin(3, [], [])
    >>> progress.words()
    '0 of 3 cells'
    """

    def __init__(self, n_workers: int, terminal: Terminal) -> None:
        self.n_workers = n_workers
        self.terminal = terminal
        self.n_cells = 0
        self.n_over = 0
        self.n_failed = 0
        self._took: list[Took] = []
        self._left: dict[str, tuple[str, str]] = {}
        self._began = time.monotonic()
        self._running: Sequence[tuple[Job, float]] = ()
        self._is_live = not terminal.quiet and sys.stderr.isatty()
        self._live: Any = None

    def __enter__(self) -> Self:
        if self._is_live:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, markup=False, highlight=False)
            self._live = Live(
                console=console, get_renderable=self._view, refresh_per_second=2, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def begin(self, n_cells: int, done: Sequence[Record], left: Sequence[Cell]) -> None:
        """Take note of what is done already, and of what is to be run."""
        self.n_cells = n_cells
        self.n_over = len(done)
        self.n_failed = sum(record.status == "failed" for record in done)
        self._took = [_took(record) for record in done if record.status == "done"]
        self._left = {cell.key: (_name(cell), cell.data_set) for cell in left}
        if done:
            self.terminal.say(f"{len(done):,} of {n_cells:,} cells are done already.")

    def change(self, running: Sequence[tuple[Job, float]]) -> None:
        """Take note of what is running."""
        self._running = list(running)

    def tuned(self, job: Job, tuned: TunedSettings) -> None:
        """Say which settings were chosen."""
        chosen = ", ".join(f"{name}={value}" for name, value in tuned.settings.items())
        what = tuned.why or f"best of {tuned.n_tried}: {chosen}"
        self._line(f"{job.cell.series}: settings {what}")

    def cell(self, record: Record) -> None:
        """Say how a cell ended."""
        self.n_over += 1
        self._left.pop(record.key, None)
        if record.status == "done":
            self._took.append(_took(record))
            self._line(f"{record.key}: done in {record.seconds:.1f} s")
            return
        self.n_failed += record.status == "failed"
        self._line(f"{record.key}: {record.status.replace('_', ' ')}: {record.why}")

    def words(self) -> str:
        """How far it is, in a few words."""
        words = f"{self.n_over:,} of {self.n_cells:,} cells"
        if self.n_failed:
            words += f", {self.n_failed:,} failed"
        left = seconds_left(self._took, list(self._left.values()), self.n_workers)
        if left is not None and self._left:
            words += f", about {_span(left)} left"
        return words

    def _line(self, text: str) -> None:
        if self._live is not None:
            self._live.console.print(text, soft_wrap=True)
        else:
            gone = _span(time.monotonic() - self._began)
            self.terminal.say(f"[{gone}, {self.words()}] {text}")

    def _view(self) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        gone = _span(time.monotonic() - self._began)
        now = time.monotonic()
        view = Table.grid()
        view.add_row(Text(f"{self.words()}, {gone} gone"))
        view.add_row(ProgressBar(total=max(self.n_cells, 1), completed=self.n_over, width=60))
        for job, began in self._running[:_MOST_SHOWN]:
            text = f"  {_span(now - began):>6}  {job.name}"
            view.add_row(Text(text, style="dim", overflow="ellipsis", no_wrap=True))
        return view


def _name(cell: Cell) -> str:
    return f"{cell.method}+{cell.variant}" if cell.variant else cell.method


def _took(record: Record) -> Took:
    name = f"{record.method}+{record.variant}" if record.variant else record.method
    return Took(name, record.data_set, record.seconds)


def _span(seconds: float) -> str:
    """A span of time as people say it.

    Examples
    --------
    >>> _span(42), _span(200), _span(9000)
    ('42 s', '3 min', '2 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"
