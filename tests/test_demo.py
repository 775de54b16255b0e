"""The demonstration on digits, and the same as an example."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

import halfseen
from halfseen import RBMClassifier, demo

EXAMPLE = Path(__file__).parents[1] / "examples" / "digits.py"


def tiny_model(effort: str = "default", random_state: int = 0) -> RBMClassifier:
    return RBMClassifier(n_iter=2, n_components=4, random_state=random_state)


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model, and a tenth of the digits."""
    pixels, labels = sklearn.datasets.load_digits(return_X_y=True)
    monkeypatch.setattr(demo, "load_digits", lambda return_X_y: (pixels[:200], labels[:200]))
    monkeypatch.setattr(demo, "HalfseenClassifier", tiny_model)


@pytest.mark.usefixtures("_quick")
def test_it_prints_a_table_and_draws_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
    folder = tmp_path / "new" / "folder"
    demo.main(5, folder)
    assert [file.name for file in folder.iterdir()] == ["digits.png"]
    assert (folder / "digits.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    printed = capsys.readouterr().out
    assert "of 11520 pixels" in printed
    for name, pixels in (
        ("column mean, most frequent digit", r"\d\.\d\d"),
        ("mean imputation, logistic regression", r"\d\.\d\d"),
        ("gradient boosting on NaN", "-"),
        ("iterative imputation, gradient boosting", r"\d\.\d\d"),
        ("halfseen", r"\d\.\d\d"),
    ):
        numbers = rf"0\.\d{{3}} +0\.\d{{3}} +{pixels} +\d+\.\d"
        assert re.search(rf"^{name} +{numbers}$", printed, re.MULTILINE), name
    assert printed.endswith(f"The picture is in {folder / 'digits.png'}\n")


@pytest.mark.usefixtures("_quick")
def test_without_matplotlib_the_table_stays_and_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(demo, "pipelines", lambda seed: [])
    demo.main(0, tmp_path)
    out, err = capsys.readouterr()
    assert "halfseen   " in out
    assert "picture is in" not in out
    assert "pip install 'halfseen[report]'" in err


def test_only_hidden_entries_are_scored() -> None:
    digits = demo.hide_digits(slice(100), 0.5, seed=0)
    assert np.isnan(digits.X).mean() == pytest.approx(0.5, abs=0.02)
    seen = ~np.isnan(digits.y)

    class Perfect:
        """Right about every hidden label and pixel, and wrong about all that is seen."""

        classes_ = np.arange(10.0)

        def fit_transform(self, X: Any) -> Any:
            return np.where(np.isnan(X), digits.pixels, -99.0)

        def fit(self, X: Any, y: Any) -> Any:
            assert len(X) == len(y) == seen.sum()
            return self

        def predict_proba(self, X: Any) -> Any:
            answers = np.where(seen, 9 - digits.labels, digits.labels)
            return np.eye(10)[answers.astype(int)]

    result = demo.score_pipeline(digits, "perfect", Perfect(), Perfect())
    assert (result.accuracy, result.auc, result.rmse) == (1.0, 1.0, 0.0)


def test_hidden_pixels_have_a_colour_of_their_own() -> None:
    pixels = np.zeros((20, 64))
    pixels[0, 0] = np.nan
    image = demo.mosaic(pixels)
    assert image.shape == (37, 46, 3)
    orange = (image != image[..., :1]).any(axis=-1)
    assert np.argwhere(orange).tolist() == [[1, 1]]


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.setattr(halfseen, "HalfseenClassifier", tiny_model)
    runpy.run_path(str(EXAMPLE))
    assert "hidden pixels within their intervals" in capsys.readouterr().out
