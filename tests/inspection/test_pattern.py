"""Patterns of holes."""

from __future__ import annotations

from halfseen.inspection.pattern import Pattern


def test_holes_are_counted() -> None:
    assert Pattern((True, False, False), 1).n_missing == 2
    assert Pattern((), 1).n_missing == 0
