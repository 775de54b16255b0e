from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from halfseen.demo.demonstration import demonstrate
from halfseen.demo.hidden_digits import hide_digits
from halfseen.demo.hidden_scores import score_hidden
from halfseen.demo.rival_pipelines import RIVALS

ROWS = slice(20, 170)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Standard output and standard error of a short run without matplotlib."""
    picture = tmp_path_factory.mktemp("demo") / "digits.png"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib.figure", None)
        out, err = _captured(patch)
        demonstrate(picture, seed=5, rows=ROWS, n_epochs=2)
    assert not picture.exists()
    return "".join(out), "".join(err)


def _captured(patch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    written: tuple[list[str], list[str]] = ([], [])
    for name, pieces in zip(("stdout", "stderr"), written, strict=True):
        patch.setattr(getattr(sys, name), "write", pieces.append)
    return written


def test_table_has_the_scores_of_hidden_entries(printed: tuple[str, str]) -> None:
    digits = hide_digits(ROWS, 0.5, seed=5)
    for rival in (RIVALS[0], RIVALS[1], RIVALS[3]):
        scores = score_hidden(digits, rival.answer(digits, 5))
        pixels = "-" if scores.rmse is None else f"{scores.rmse:.2f}"
        numbers = rf"{scores.accuracy:.3f} +{scores.averaged_auc:.3f} +{pixels} +\d+\.\d"
        assert re.search(rf"^{re.escape(rival.name)} +{numbers}$", printed[0], re.MULTILINE)
    assert re.search(r"^halfseen +0\.\d{3} +0\.\d{3} +\d\.\d\d +\d+\.\d$", printed[0], re.MULTILINE)


def test_says_what_is_hidden(printed: tuple[str, str]) -> None:
    digits = hide_digits(ROWS, 0.5, seed=5)
    n_pixels, n_labels = np.isnan(digits.X).sum(), np.isnan(digits.y).sum()
    assert f"{n_pixels} of 9600 pixels and {n_labels} of 150 labels" in printed[0]


def test_without_matplotlib_the_table_stays_and_the_remedy_is_named(
    printed: tuple[str, str],
) -> None:
    out, err = printed
    assert "picture is in" not in out
    assert err.rstrip().endswith("pip install 'halfseen[report]'")
