"""Fitting, with estimators that learn what columns are and nothing else."""

from __future__ import annotations

import errno
import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cli.conftest import Run
from cli.tiny import Untrained, UntrainedImputer, tiny_table
from halfseen import TrainingInterrupted
from halfseen.cli.column_plan import ColumnPlan
from halfseen.cli.training_options import Training


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    def new_model(self: Training, plan: ColumnPlan, seed: int) -> Any:
        estimator = Untrained if plan.labels else UntrainedImputer
        return estimator(random_state=seed, column_kinds=plan.kinds or "auto")

    monkeypatch.setattr(Training, "new_model", new_model)


def written(path: str | Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(path).read_text())
    return document


def test_classes_are_learned_and_the_rest_passes_through(
    run: Run, table: str, tmp_path: Path
) -> None:
    result = run("fit", table, "--labels", "y", "--json", "--quiet", "--seed", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert document["model"] == str(tmp_path / "tiny.safetensors")
    assert document["features"] == ["size", "weight", "sold", "colour"]
    assert document["labels"] == ["y"]
    assert {p["name"]: p["reason"] for p in document["passed"]} == {
        "name": "identifiers",
        "seen_on": "dates",
    }
    schema = written(document["model"])
    assert [(c["name"], c["kind"]) for c in schema["features"] + schema["targets"]] == [
        ("size", "numeric"),
        ("weight", "numeric"),
        ("sold", "binary"),
        ("colour", "categorical"),
        ("y", "categorical"),
    ]
    assert (schema["target_kind"], schema["seed"]) == ("classes", 3)


def test_without_labels_features_are_learned_and_that_is_said(
    run: Run, table: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "m.safetensors")
    result = run("fit", table, "--ignore", "y", "-o", path)
    assert result.exit_code == 0
    assert "knows no labels" in result.stderr
    assert "identifiers: name (1 hole stays)" in result.stderr
    assert written(path)["target_kind"] is None


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(["sold", "cheap"], "labels"), (["y", "sold"], "outputs"), (["sold"], "classes")],
)
def test_several_kinds_of_labels(run: Run, tmp_path: Path, labels: list[str], kind: str) -> None:
    frame = tiny_table().assign(cheap=[1, 0, None, 1] * 10)
    frame.to_csv(tmp_path / "t.csv", index=False)
    run("fit", str(tmp_path / "t.csv"), "--labels", ",".join(labels))
    schema = written(tmp_path / "t.safetensors")
    assert schema["target_kind"] == kind
    assert [column["name"] for column in schema["targets"]] == [
        name for name in frame.columns if name in labels
    ]


def test_a_long_table_is_sampled_and_the_same_rows_are_drawn(
    run: Run, table: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "m.safetensors")
    words = ("fit", table, "-l", "y", "--max-rows", "30", "--json", "-o", path)
    first = json.loads(run(*words, "-q").stdout)
    content = Path(path).read_bytes()
    assert (first["rows"], first["rows_of_table"]) == (30, 40)
    assert "a sample of 30 of 40 rows" in run(*words).stderr
    assert Path(path).read_bytes() == content


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--labels", "yy"], 2, "no column 'yy'"),
        (["--labels", "lab_*"], 2, "no column that fits 'lab_*'"),
        (["--labels", "name"], 1, "'name' cannot be a label"),
        (["--labels", "size"], 1, "whole numbers or text"),
        (["--as", "sise=log"], 1, "'sise'"),
        (["--as", "size=huge"], 2, "no kind 'huge'"),
        (["-o", "-"], 2, "standard output"),
        (["-o", "nowhere/m.safetensors"], 3, "no folder 'nowhere'"),
    ],
)
def test_what_goes_wrong_is_said(
    run: Run, table: str, tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    result = run("fit", table, *words)
    assert result.exit_code == code, result.stderr
    assert said in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.csv"]


def test_labels_of_which_nothing_is_known(run: Run, tmp_path: Path) -> None:
    tiny_table().assign(y=None).to_csv(tmp_path / "t.csv", index=False)
    result = run("fit", str(tmp_path / "t.csv"), "--labels", "y")
    assert result.exit_code == 1
    assert "No entry of 'y' is known" in result.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n", "no row"),
        (b"a,a\n1,2\n", "'a'"),
        (b"a,b\n1,2\n3\n", "line 3"),
        (b"\x00\x01\x02\x03", ""),
        (b"a,b\n" + b"1,2\n" * 30 + b"x,2\n", "'x' is no number"),
        (b"gr\xf6\xdfe,b\n1,2\n", "encoding"),
    ],
)
def test_files_that_are_no_tables(run: Run, tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "odd.csv").write_bytes(content)
    result = run("fit", str(tmp_path / "odd.csv"))
    assert result.exit_code == 1, result.stderr
    assert "odd.csv" in result.stderr
    assert said in result.stderr


def test_a_full_disk(run: Run, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, path: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    monkeypatch.setattr(Untrained, "save", full)
    result = run("fit", table, "--labels", "y")
    assert result.exit_code == 3
    assert "no room" in result.stderr


def test_who_stops_training_gets_no_model(
    run: Run, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = Untrained._train

    def stopped(self: Any, *arguments: Any) -> None:
        train(self, *arguments)
        warnings.warn(
            "interrupted; it keeps what it has learned", TrainingInterrupted, stacklevel=2
        )

    monkeypatch.setattr(Untrained, "_train", stopped)
    result = run("fit", table, "--labels", "y")
    assert result.exit_code == 130
    assert not (tmp_path / "tiny.safetensors").exists()


def test_a_file_that_is_not_there(run: Run, table: str) -> None:
    result = run("fit", table.replace("tiny", "tinny"), "--labels", "y")
    assert result.exit_code == 1
    assert "'tiny.csv'" in result.stderr


def test_from_standard_input(run: Run, tmp_path: Path) -> None:
    content = tiny_table().to_csv(index=False).encode()
    path = str(tmp_path / "m.safetensors")
    result = run("fit", "-", "--labels", "y", "-o", path, "--format", "csv", input=content)
    assert result.exit_code == 0, result.stderr
    assert written(path)["target_kind"] == "classes"


def test_marks_of_missing(run: Run, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["1", "2", "-", "4"] * 5, "b": [1.5, 2, 3, 4] * 5})
    frame.to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    document = json.loads(run("fit", path, "--missing", "-", "--json", "-q").stdout)
    assert [c["n_observed"] for c in document["columns"]] == [15, 20]
    assert [c["kind"] for c in document["columns"]] == ["numeric", "numeric"]
