from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Run
from halfseen.cli import report_command


def test_a_page_of_the_model_alone(run: Run, model: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    result = run("report", model, "-o", str(path), "--json", "-q")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["output"] == str(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_is_not_written(run: Run, model: str, tmp_path: Path, table: str) -> None:
    assert run("report", model, "-o", "-").exit_code == 2
    assert run("report", model, "-o", str(tmp_path / "none" / "p.html")).exit_code == 3
    result = run("report", model, "-o", str(tmp_path / "p.html"), "--evaluation", table)
    assert result.exit_code == 1
    assert "is no evaluation" in result.stderr
    assert not (tmp_path / "p.html").exists()


def test_the_page_says_by_what_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/halfseen", "report", "my model.safetensors"])
    assert report_command.words_of_command() == ["halfseen report 'my model.safetensors'"]
