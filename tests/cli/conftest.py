"""A small table with everything in it, and models of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from halfseen.cli.main import root

Run = Callable[..., Result]
N = 240
TINY = ("--model", "rbm", "--set", "n_iter=8", "--set", "n_components=4", "--set",
        "learning_rate=0.1", "--set", "validation_fraction=0.1")  # fmt: skip


def invoke(*words: str, code: int | None = 0, input: bytes | None = None) -> Result:
    """Run a command; nothing may end in a traceback."""
    result = CliRunner().invoke(root, list(map(str, words)), input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert code is None or result.exit_code == code, result.output
    return result


def document(*words: str) -> Any:
    """The JSON document of a command."""
    return json.loads(invoke(*words, "--json", "--quiet").stdout)


def make_table(seed: int = 0) -> pd.DataFrame:
    """Names, dates, numbers, categories of text and of numbers, labels and classes; incomplete."""
    random = np.random.default_rng(seed)
    code = random.integers(1, 4, N)
    busy = random.normal(size=N) + (code == 2)
    sick = (busy + random.normal(0, 0.5, N)) > 0.5
    table = pd.DataFrame(
        {
            "name": [f"d-{k:03d}" for k in range(N)],
            "day": pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d"),
            "size": np.char.mod("%.2f", 10 + 2 * busy),
            "visits": np.char.mod("%d", np.exp(1 + busy)),
            "colour": np.where(busy > 0, random.choice(["red", "a, b"], N), "blue"),
            "type_code": np.char.mod("%d", code),
            "zip": np.char.mod("%05d", 1000 + code * 7),
            "sick_a": sick.astype(int).astype(str),
            "sick_b": (random.random(N) < 0.2 + 0.5 * sick).astype(int).astype(str),
            "grade": np.where(busy > 1, "high", np.where(busy > -0.5, "mid", "low")),
        }
    ).astype(object)
    missing = random.random(table.shape) < 0.2
    missing[:, :2] = False
    return table.mask(missing, "")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table and a model of its labels, and one of its classes."""
    folder = tmp_path_factory.mktemp("cli")
    make_table().to_csv(folder / "a.csv", index=False)
    model = folder / "labels.safetensors"
    invoke("fit", folder / "a.csv", "-l", "sick_*", "--ignore", "grade", "-o", model, *TINY)
    model = folder / "grade.safetensors"
    invoke("fit", folder / "a.csv", "-l", "grade", "--ignore", "sick_*", "-o", model, *TINY)
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A copy of the table in a folder of its own."""
    path = tmp_path / "a.csv"
    make_table().to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def labels(folder: Path) -> str:
    return str(folder / "labels.safetensors")


@pytest.fixture(scope="session")
def grade(folder: Path) -> str:
    return str(folder / "grade.safetensors")


def read(path: Path | str) -> pd.DataFrame:
    """Cells as text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)
