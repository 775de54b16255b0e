"""The comparison of two files of benchmark records."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCORES = {"auc": 0.9, "log_loss": 0.3, "calibration_error": 0.02, "normalised_rmse": 0.5,
          "fit_seconds": 10.0}  # fmt: skip


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("compare")


def records(tasks, masks=(100, 101), **changed):
    return [
        {"task": task, "mask": mask, "masks_sha256": f"{task} {mask}", "set_size": None,
         **SCORES, **changed}
        for task in tasks
        for mask in masks
    ]  # fmt: skip


def run(compare, folder, old, new, *options):
    for name, lines in (("old", old), ("new", new)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return compare.main([str(folder / "old"), str(folder / "new"), *options])


def test_differences_and_their_standard_errors_are_paired(compare, tmp_path, capsys):
    old, new = records(["scene"]), records(["scene"])
    for one, other, auc in zip(old, new, (0.8, 0.9), strict=True):
        one["auc"], other["auc"] = auc, auc + 0.01
    new[0]["normalised_rmse"], new[1]["normalised_rmse"] = 0.51, 0.52
    new[0]["fit_seconds"] = 5.0
    assert run(compare, tmp_path, old, new, "--json") == 0
    scene = json.loads(capsys.readouterr().out)["tasks"]["scene"]
    assert scene["auc"] == pytest.approx(
        {"old": 0.85, "new": 0.86, "difference": 0.01, "standard_error": 0}
    )
    assert scene["normalised_rmse"]["difference"] == pytest.approx(3)  # percent
    assert scene["normalised_rmse"]["standard_error"] == pytest.approx(1)
    assert scene["fit_seconds"]["difference"] == pytest.approx(0.75)
    assert "set_size" not in scene


def test_other_masks_are_refused(compare, tmp_path, capsys):
    new = records(["scene", "yeast"])
    new[-1]["masks_sha256"] = "other"
    assert run(compare, tmp_path, records(["scene", "yeast"]), new) == 2
    assert "task yeast, mask 101 differ" in capsys.readouterr().err
    assert run(compare, tmp_path, records(["scene"]), records(["yeast"])) == 2
    assert "no task and mask in common" in capsys.readouterr().err


def test_records_without_a_partner_are_named(compare, tmp_path, capsys):
    assert run(compare, tmp_path, records(["scene", "yeast"]), records(["scene"], (101, 102))) == 0
    shown = capsys.readouterr().out
    assert "old: scene, mask 100\n" in shown
    assert "old: yeast, mask 101\n" in shown
    assert "new: scene, mask 102\n" in shown
    assert "passes" in shown


@pytest.mark.parametrize(
    ("changed", "failures"),
    [
        ({}, 0),
        ({"auc": 0.8975}, 0),
        ({"auc": 0.95, "log_loss": 0.1, "normalised_rmse": 0.1, "calibration_error": 0.0}, 0),
        ({"auc": 0.8965}, 1),
        ({"log_loss": 0.306}, 1),
        ({"calibration_error": 0.026}, 1),
        ({"normalised_rmse": 0.506}, 1),
        ({"normalised_rmse": 0.515}, 2),  # of the mean, and of the task
    ],
)
def test_margins(compare, tmp_path, capsys, changed, failures):
    new = records(["scene"], **changed)
    assert run(compare, tmp_path, records(["scene"]), new, "--check", "--json") == bool(failures)
    assert len(json.loads(capsys.readouterr().out)["failures"]) == failures
    assert run(compare, tmp_path, records(["scene"]), new) == 0


def test_one_task_may_be_worse_by_its_standard_error(compare, tmp_path, capsys):
    tasks = ["emotions", "scene", "yeast", "pendigits", "mnist"]
    new = records(tasks)
    new[0]["auc"], new[1]["auc"] = 0.89, 0.886  # worse by .012, standard error .002
    assert run(compare, tmp_path, records(tasks), new, "--check") == 0
    new[1]["auc"] = 0.8885  # worse by .01075, standard error .00075
    new[0]["auc"] = 0.8875  # worse by .012, standard error .0005
    assert run(compare, tmp_path, records(tasks), new, "--check") == 1
    assert "emotions auc: -0.0120" in capsys.readouterr().out


def test_keel_tables_enter_as_one_task_per_rate(compare, tmp_path, capsys):
    names = ["iris", "wine", "sonar", "glass", "vehicle", "pima", "heart", "ring"]
    gate = [name for name in names if not compare.is_for_ablation(name)]
    assert 0 < len(gate) < len(names)
    tasks = ["scene", *(f"keel-{name}-{rate}-50" for name in names for rate in (0, 33))]
    new = records(tasks)
    for record in new:
        if record["task"] == f"keel-{gate[0]}-33-50":
            record["auc"] += 0.08
    for keel, n_tables in (("gate", len(gate)), ("all", len(names))):
        assert run(compare, tmp_path, records(tasks), new, "--keel", keel, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert list(found["groups"]) == ["scene", "keel-0-50", "keel-33-50"]
        gain = found["groups"]["keel-33-50"]["auc"]["difference"]
        assert gain == pytest.approx(0.08 / n_tables)
        assert found["mean"]["auc"]["difference"] == pytest.approx(gain / 3)
    assert (
        run(compare, tmp_path, records(tasks), new, "--keel", "ablation", "--metrics", "auc") == 0
    )
    shown = capsys.readouterr().out
    assert gate[0] not in shown
    assert "mean of 3 tasks" in shown
    assert "log_loss" not in shown
