"""Results in a file: there and back, and refused where they do not belong."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from halfseen.experiments.comparison import Limits, MethodResult
from halfseen.experiments.comparison_cell import Scores, Task
from halfseen.experiments.comparison_file import OtherComparison, load_results, save_results

TASK = Task("scene", 0.5, 0.3, 100)
RESULTS = [
    MethodResult("mc1", {"lam": 0.1}, 3, 9, [Scores(0.9, 0.8, 0.1, 2.0, 300.0)], "x"),
    MethodResult("coco", not_run="no time"),
]


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    save_results(path, TASK, 1, Limits(), RESULTS)
    assert load_results(path, TASK, 1, Limits(seconds=1.0)) == RESULTS
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


def test_a_score_that_does_not_apply_comes_back_as_nan(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    result = MethodResult("mc1", scores=[Scores(0.9, 0.8, math.nan, 2.0, 300.0)])
    save_results(path, TASK, 1, Limits(), [result])
    assert "NaN" not in path.read_text()
    assert math.isnan(load_results(path, TASK, 1, Limits())[0].scores[0].rmse)


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    save_results(path, TASK, 1, Limits(), RESULTS)
    before = path.read_bytes()
    broken = [MethodResult("mc1", {"lam": object()})]
    with pytest.raises(TypeError):
        save_results(path, TASK, 1, Limits(), broken)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


def test_a_file_of_another_comparison_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    save_results(path, TASK, 1, Limits(), RESULTS)
    with pytest.raises(OtherComparison, match="its n_masks is 1, not 2"):
        load_results(path, TASK, 2, Limits())
    with pytest.raises(OtherComparison, match="its task is"):
        load_results(path, dataclasses.replace(TASK, label_rate=0.5), 1, Limits())
    with pytest.raises(OtherComparison, match="its n_settings is 20, not 3"):
        load_results(path, TASK, 1, Limits(n_settings=3))


@pytest.mark.parametrize("text", ["", "[1]", '{"task": 1}', '{"n_masks'])
def test_a_file_of_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(OtherComparison, match="does not hold the results of a comparison"):
        load_results(path, TASK, 1, Limits())
