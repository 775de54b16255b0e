from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Run


def test_the_demonstration_is_run(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def demonstrate(picture: Path, *, seed: int) -> None:
        asked.append((picture, seed))
        print("a table of scores")

    monkeypatch.setattr("halfseen.demo.demonstration.demonstrate", demonstrate)
    folder = tmp_path / "new" / "folder"
    assert run("demo", "-o", str(folder), "--seed", "4").stdout == "a table of scores\n"
    document = json.loads(run("demo", "-o", str(folder), "--json").stdout)
    assert document["text"] == "a table of scores\n"
    assert asked == [(folder / "digits.png", 4), (folder / "digits.png", 0)]


def test_a_folder_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("demo", "-o", str(tmp_path / "file" / "folder"))
    assert result.exit_code == 3
