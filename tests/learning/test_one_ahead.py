"""Things that are made while others are in use."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from halfseen.learning.one_ahead import one_ahead


def test_the_next_is_made_before_it_is_asked_for() -> None:
    made = [threading.Event() for _ in range(3)]

    def things() -> Iterator[int]:
        for index, event in enumerate(made):
            event.set()
            yield index

    ahead = one_ahead(things())
    assert next(ahead) == 0
    assert made[1].wait(10)
    assert not made[2].is_set()
    assert list(ahead) == [1, 2]


def test_an_error_comes_where_its_thing_would_have_come() -> None:
    def things() -> Iterator[str]:
        yield "fine"
        raise OSError("the disk is gone")

    ahead = one_ahead(things())
    assert next(ahead) == "fine"
    with pytest.raises(OSError, match="the disk is gone"):
        next(ahead)


def n_at_work() -> int:
    return sum(thread.name.startswith("halfseen-ahead") for thread in threading.enumerate())


def test_who_wants_no_more_leaves_no_thread_behind() -> None:
    ahead = one_ahead(iter(range(5)))
    assert next(ahead) == 0
    assert n_at_work() == 1
    ahead.close()  # type: ignore[attr-defined]
    assert n_at_work() == 0
