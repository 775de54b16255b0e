"""Cores to work with: bounded by the process and by its environment."""

from __future__ import annotations

import pytest

from halfseen.machine.usable_cores import VARIABLE, usable_cores


def test_the_environment_may_ask_for_fewer_and_not_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    there = usable_cores()
    assert there >= 1
    for asked, given in (("1", 1), ("100000", there), ("0", 1), ("many", there), ("", there)):
        monkeypatch.setenv(VARIABLE, asked)
        assert usable_cores() == given
