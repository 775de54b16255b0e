"""Progress of a fit, and what ends it."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from halfseen.base.progress import Progress


def progress(callback: Any = None, **parameters: Any) -> Progress:
    return Progress(SimpleNamespace(**{"verbose": 0, "max_seconds": None} | parameters), callback)


def test_it_is_printed_and_reported(capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[Any] = []
    progress(lambda *state: calls.append(state))("members", 1, 2)
    assert calls == [("members", 1, 2)]
    assert not capsys.readouterr().err
    shown = progress(verbose=1)
    shown("members", 1, 2)  # too early for a line
    shown("members", 2, 2)
    assert capsys.readouterr().err == "[SimpleNamespace] members: 2 of 2, 0.0s\n"


def test_a_fit_is_over_at_its_deadline() -> None:
    assert not progress().is_over
    assert not progress(max_seconds=60).is_over
    assert progress(max_seconds=0).is_over


def test_ctrl_c_ends_jobs_early_and_a_second_one_is_raised() -> None:
    class Interrupted(Future[int]):
        def __init__(self, n_times: int) -> None:
            super().__init__()
            self.n_left = n_times

        def result(self, timeout: float | None = None) -> int:
            self.n_left -= 1
            if self.n_left >= 0:
                raise KeyboardInterrupt
            return 7

    once = progress()
    assert once.results([Interrupted(1), Interrupted(0)]) == [7, 7]
    assert once.is_over
    with pytest.raises(KeyboardInterrupt):
        progress().results([Interrupted(2)])
