from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli.conftest import Run
from halfseen.estimators.fitted_machine import FittedMachine


def sampled(self: Any, n_rows: int, seed: int) -> Any:
    """Rows that take no time: units as they would be drawn, one-hot within groups."""
    random = np.random.default_rng(seed)
    hot = np.eye(3)[random.integers(3, size=(n_rows, 2))].reshape(n_rows, 6)
    numbers = random.normal(size=(n_rows, 2))
    return np.hstack([numbers, random.integers(2, size=(n_rows, 1)), hot]).astype(np.float32)


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FittedMachine, "sample", sampled)


def test_the_companion_is_needed(run: Run, lone_model: str) -> None:
    result = run("sample", lone_model)
    assert result.exit_code == 1
    assert "--no-companion" in result.stderr


def test_rows_like_those_of_the_table(run: Run, model: str) -> None:
    result = run("sample", model, "-n", "12", "--seed", "1")
    assert result.exit_code == 0, result.stderr
    drawn = pd.read_csv(io.StringIO(result.stdout))
    assert list(drawn.columns) == ["size", "weight", "sold", "colour", "y"]
    assert len(drawn) == 12
    assert drawn.notna().all().all()
    assert set(drawn["sold"]) <= {0, 1}
    assert set(drawn["colour"]) <= {"blue", "green", "red"}
    assert run("sample", model, "-n", "12", "--seed", "1").stdout == result.stdout
    assert run("sample", model, "-n", "12", "--seed", "2").stdout != result.stdout


def test_into_a_file(run: Run, model: str, tmp_path: Path) -> None:
    path = tmp_path / "drawn.parquet"
    assert run("sample", model, "-n", "12", "-o", str(path), "--seed", "1").exit_code == 0
    assert len(pd.read_parquet(path)) == 12
