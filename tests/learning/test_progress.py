"""The line of progress, with a clock and a stream made for the purpose."""

from __future__ import annotations

import io
import re

import pytest

from halfseen.learning import progress
from halfseen.learning.progress import ProgressLine, Verbosity, clock


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        """What was written, rewriting by rewriting."""
        return self.getvalue().split("\r")[1:]


class Clock:
    """Stands in for the module ``time``."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr(progress, "time", fake)
    return fake


def test_short_work_is_silent(time: Clock) -> None:
    terminal = Terminal()
    line = ProgressLine("training, epoch", 10, "auto", terminal)
    for done in range(1, 11):
        time.now += 0.19
        line.show(done)
    line.close("done")
    assert terminal.getvalue() == ""


def test_time_left(time: Clock) -> None:
    terminal = Terminal()
    line = ProgressLine("training, epoch", 10, True, terminal)
    time.now += 20  # the first step waits for compilation, and says nothing of the others
    line.show(1)
    time.now += 10
    line.show(2, "loss 0.5")
    first, second = terminal.lines
    assert first.rstrip() == "training, epoch 1/10  20 s gone"
    assert second == "training, epoch 2/10  30 s gone, at most 1 min 20 s left  loss 0.5"


def test_time_left_when_the_first_step_was_silent(time: Clock) -> None:
    terminal = Terminal()
    line = ProgressLine("work", 10, True, terminal)
    time.now += 1
    line.show(1)
    time.now += 4
    line.show(3)
    assert terminal.lines == ["work 3/10  5 s gone, at most 14 s left"]


def test_the_line_is_rewritten_and_closed(time: Clock) -> None:
    terminal = Terminal()
    line = ProgressLine("work", 4, True, terminal)
    for done in range(1, 5):
        time.now += 10
        line.show(done, "a long note that has to be wiped out" if done == 1 else "")
    line.close("all well")
    assert len(terminal.lines) == 5
    first, second = terminal.lines[0], terminal.lines[1]
    assert len(second) == len(first)
    assert "note" not in second
    assert terminal.lines[3].rstrip() == "work 4/4  40 s gone, at most 0 s left"
    assert re.fullmatch(r"work: all well \(40 s\) *\n", terminal.lines[4])


def test_no_more_than_four_times_a_second_but_always_the_last(time: Clock) -> None:
    terminal = Terminal()
    line = ProgressLine("work", 100, True, terminal)
    time.now += 3
    for done in range(1, 101):
        time.now += 0.01
        line.show(done)
    assert len(terminal.lines) == 5
    assert terminal.lines[-1].startswith("work 100/100")


@pytest.mark.parametrize(
    ("verbose", "stream", "shown"),
    [
        ("auto", Terminal(), True),
        ("auto", io.StringIO(), False),
        (True, io.StringIO(), True),
        (False, Terminal(), False),
    ],
)
def test_who_sees_it(time: Clock, verbose: Verbosity, stream: io.StringIO, shown: bool) -> None:
    line = ProgressLine("work", 2, verbose, stream)
    time.now += 5
    line.show(1)
    line.close("done")
    assert bool(stream.getvalue()) == shown


def test_standard_error_is_the_stream(time: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine("work", 2, True)
    time.now += 5
    line.show(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "\rwork 1/2  5 s gone"


@pytest.mark.parametrize(
    ("seconds", "read"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599, "59 min 59 s"), (7320, "2 h 02 min")],
)
def test_clock(seconds: float, read: str) -> None:
    assert clock(seconds) == read
