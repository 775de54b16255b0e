"""A context that several threads are within."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from halfseen.machine.shared_context import SharedContext


def test_threads_that_come_and_go_by_turns_leave_nothing_behind() -> None:
    events: list[str] = []
    value = ["before"]

    @contextmanager
    def changed() -> Iterator[None]:
        found, value[0] = value[0], "within"
        events.append("in")
        yield
        value[0] = found
        events.append("out")

    shared = SharedContext(changed)
    first_is_in, second_is_in = threading.Event(), threading.Event()

    def first() -> None:
        with shared:
            first_is_in.set()
            second_is_in.wait(60)

    thread = threading.Thread(target=first)
    thread.start()
    first_is_in.wait(60)
    with shared:
        second_is_in.set()
        thread.join()  # the first leaves while the second is within
        assert value == ["within"]
    assert value == ["before"]
    assert events == ["in", "out"]


def test_it_is_left_after_an_error_and_can_be_entered_again() -> None:
    before = list(warnings.filters)
    shared = SharedContext(lambda: warnings.catch_warnings(action="ignore"))

    def fails() -> None:
        with shared:
            assert list(warnings.filters) != before
            raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            fails()
        assert list(warnings.filters) == before


def test_one_that_cannot_be_entered_is_not_within() -> None:
    tries: list[int] = []

    @contextmanager
    def fails_at_first() -> Iterator[None]:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("not yet")
        yield

    shared = SharedContext(fails_at_first)
    with pytest.raises(RuntimeError, match="not yet"), shared:
        pass
    with shared:
        assert len(tries) == 2
