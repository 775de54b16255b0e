from __future__ import annotations

import io
import sys
import time
from contextlib import redirect_stderr

import pytest
from rich.console import Console

from halfseen.cli import watch as module
from halfseen.cli.watch import Watch
from halfseen.learning.progress import ProgressLine


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


def test_short_work_shows_nothing(console: Console) -> None:
    watch = Watch("reading", 10, console)
    watch.advance(10)
    watch.close()
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]


def test_a_bar_appears_when_work_lasts(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET_SECONDS", 0.01)
    watch = Watch("filling", 10, console)
    time.sleep(0.15)
    watch.advance(5)
    time.sleep(0.15)
    watch.close()
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "filling" in shown
    assert "50 %" in shown


def test_lines_of_progress_move_the_bar(monkeypatch: pytest.MonkeyPatch, console: Console) -> None:
    monkeypatch.setattr(ProgressLine, "quiet_seconds", 0.0)
    watch = Watch("learning", None, console)
    with redirect_stderr(watch.stream):
        line = ProgressLine("predictive training, step", 40)
        line.show(10, "loss 0.5")
        sys.stderr.write("something else\n")
    watch.close()
    assert (watch.done, watch.total, watch.what) == (10, 40, "learning to fill and to predict")


def test_without_a_console_lines_are_not_even_written() -> None:
    assert not Watch("learning", None, None).stream.isatty()
