from __future__ import annotations

import builtins
import os
from typing import Any

import pytest

from halfseen.cli import main
from halfseen.cli.root import root


def test_the_process_ends_with_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["fit", "no-such-file.csv"])
    assert end.value.code == 1
    assert "no-such-file.csv" in capsys.readouterr().err


def test_who_interrupts_does_not_wait_for_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []

    def interrupted(*_: Any, **__: Any) -> None:
        raise SystemExit(130)

    monkeypatch.setattr(root, "main", interrupted)
    monkeypatch.setattr(os, "_exit", ended.append)
    with pytest.raises(SystemExit):
        main([])
    assert ended == [130]


def test_without_click_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "click":
            raise ModuleNotFoundError("No module named 'click'", name="click")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "halfseen.cli.root")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SystemExit, match=r'needs click: pip install "halfseen\[cli\]"'):
        main([])
