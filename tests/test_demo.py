"""The example on digits, which is also ``make demo`` and ``halfseen demo``."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import sklearn.datasets
from click.testing import CliRunner, Result
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import SimpleImputer

import halfseen
from halfseen import RBMClassifier
from halfseen.cli.main import root

pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
EXAMPLE = Path(__file__).parents[1] / "examples" / "digits.py"


def tiny_model(random_state: int = 0) -> RBMClassifier:
    return RBMClassifier(
        n_iter=2, n_components=4, validation_fraction=0.1, random_state=random_state
    )


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model, a tenth of the digits, and of the pipelines one that takes no time."""
    pixels, labels = sklearn.datasets.load_digits(return_X_y=True)
    monkeypatch.setattr(
        sklearn.datasets, "load_digits", lambda return_X_y: (pixels[:200], labels[:200])
    )
    monkeypatch.setattr(halfseen, "HalfseenClassifier", tiny_model)
    monkeypatch.setattr(
        "sklearn.ensemble.HistGradientBoostingClassifier", lambda **_: DummyClassifier()
    )
    monkeypatch.setattr("sklearn.impute.IterativeImputer", lambda **_: SimpleImputer())


def demo(*words: Any) -> Result:
    return CliRunner().invoke(root, ["demo", *map(str, words)])


def test_it_prints_a_table_and_draws_a_picture(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = demo("--seed", 5, "-o", folder)
    assert result.exit_code == 0, result.output
    assert [file.name for file in folder.iterdir()] == ["digits.png"]
    assert (folder / "digits.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert "of 11520 pixels" in result.stdout
    for name, pixels in (
        ("column mean, most frequent digit", r"\d\.\d\d"),
        ("mean imputation, logistic regression", r"\d\.\d\d"),
        ("gradient boosting on NaN", "-"),
        ("iterative imputation, gradient boosting", r"\d\.\d\d"),
        ("halfseen", r"\d\.\d\d"),
    ):
        numbers = rf"0\.\d{{3}} +0\.\d{{3}} +{pixels} +\d+\.\d"
        assert re.search(rf"^{name} +{numbers}$", result.stdout, re.MULTILINE), name
    assert "prediction sets hold" in result.stdout
    assert result.stdout.endswith(f"The picture is in {folder / 'digits.png'}\n")


@pytest.mark.filterwarnings("ignore:Column")
def test_command_and_example_are_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), "--output", str(tmp_path)])
    runpy.run_path(str(EXAMPLE))
    printed = capsys.readouterr().out
    result = demo("-o", tmp_path, "--json", "--quiet")
    assert result.stderr == ""
    text = json.loads(result.stdout)["text"]
    assert re.sub(r" +[\d.]+$", "", text, flags=re.MULTILINE) == re.sub(
        r" +[\d.]+$", "", printed, flags=re.MULTILINE
    )


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = demo("-o", tmp_path / "file" / "folder")
    assert result.exit_code == 3
    assert "cannot be written" in result.stderr
