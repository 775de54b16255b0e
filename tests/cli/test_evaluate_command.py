"""Evaluation from file to verdict, with a model that was fitted long ago."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Run
from halfseen import load
from halfseen.cli.evaluation_file import read_evaluation
from halfseen.cli.training_options import Training


@pytest.fixture(autouse=True)
def fitted_long_ago(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = load(model)
    monkeypatch.setattr(type(fitted), "fit", lambda self, X, y: self)
    monkeypatch.setattr(Training, "new_model", lambda self, plan, seed: fitted)


def test_from_file_to_verdict(run: Run, table: str, tmp_path: Path) -> None:
    path = str(tmp_path / "e.json")
    result = run("evaluate", table, "--labels", "y", "--rows", "30", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert "30 of 40 rows are used" in result.stderr
    assert "Should I trust this on my data?" in result.stdout
    assert "column mean, most frequent" in result.stdout
    methods = {row.method for row in read_evaluation(path)}
    assert methods == {
        "halfseen",
        "column mean, most frequent",
        "iterative imputation, gradient boosting",
        "gradient boosting on NaN",
    }


def test_as_json_and_the_same_every_time(run: Run, table: str) -> None:
    words = ("evaluate", table, "--labels", "y", "--json", "-q", "--hide", "0.3")
    first, second = (json.loads(run(*words).stdout) for _ in range(2))
    for document in (first, second):
        for method in document["evaluation"]["methods"]:
            del method["seconds"]
    assert first == second
    n_hidden = first["evaluation"]["n_hidden"]
    known = {"numbers": 2, "categories": 2, "labels": 1}
    assert set(n_hidden) == set(known)
    assert first["verdict"]


def test_unknown_labels(run: Run, table: str) -> None:
    assert run("evaluate", table, "--labels", "z").exit_code == 2
