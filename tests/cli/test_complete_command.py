"""Filling files, by a model that was fitted long ago."""

from __future__ import annotations

import errno
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from cli.conftest import Run
from cli.tiny import tiny_table, write_tiny
from halfseen.cli.filling import Filling
from halfseen.cli.model_source import ModelSource
from halfseen.estimators.fitted_machine import FittedMachine


def test_holes_are_filled_and_nothing_else_changes(
    run: Run, table: str, model: str, tmp_path: Path
) -> None:
    result = run("complete", table, model)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    before = pd.read_csv(table, dtype=str)
    after = pd.read_csv(tmp_path / "tiny_filled.csv", dtype=str)
    seen = before.notna()
    pd.testing.assert_frame_equal(after.where(seen), before)
    known = ["size", "weight", "sold", "colour", "y"]
    assert after[known].notna().all().all()
    assert set(after["sold"]) == {"0.0", "1.0"}
    assert set(after["colour"]) <= {"blue", "green", "red"}
    assert after["name"].isna().sum() == 1
    assert "1 holes stay" in result.stderr or "1 hole stay" in result.stderr


def test_answers_are_those_of_the_estimator(run: Run, table: str, model: str) -> None:
    from halfseen import load

    frame = tiny_table()
    features = frame[["size", "weight", "sold", "colour"]]
    expected = load(model).complete(features, frame["y"])
    run("complete", table, model, "--uncertainty", table + ".cells.csv", "-q")
    cells = pd.read_csv(table + ".cells.csv").set_index(["row", "column"])
    filled = pd.read_csv(table.replace(".csv", "_filled.csv"))
    for row in np.flatnonzero(frame["weight"].isna()):
        cell = cells.loc[(row + 1, "weight")]
        assert cell["value"] == pytest.approx(expected.X["weight"][row])
        assert cell["lower"] <= cell["value"] <= cell["upper"]
    assert list(filled["colour"]) == list(expected.X["colour"])
    assert list(filled["y"]) == list(expected.y)


def test_results_do_not_depend_on_how_the_file_is_cut(
    run: Run, table: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(rows: int, tag: str) -> list[bytes]:
        monkeypatch.setattr(ModelSource, "rows_at_once", rows)
        out, cells = str(tmp_path / f"{tag}.csv"), str(tmp_path / f"{tag}.cells.csv")
        assert run("complete", table, model, "-o", out, "--uncertainty", cells).exit_code == 0
        return [Path(out).read_bytes(), Path(cells).read_bytes()]

    assert written(7, "a") == written(40, "b")


def test_uncertainty_is_one_row_a_hole(run: Run, table: str, model: str, tmp_path: Path) -> None:
    path = str(tmp_path / "cells.parquet")
    result = run("complete", table, model, "--uncertainty", path, "--level", "0.8", "--json", "-q")
    document = json.loads(result.stdout)
    cells = pd.read_parquet(path)
    frame = tiny_table()
    holes = frame[["size", "weight", "sold", "colour", "y"]].isna()
    assert len(cells) == holes.sum().sum() == document["filled"]
    assert set(zip(cells["row"], cells["column"], strict=True)) == {
        (row + 1, name) for name in holes for row in np.flatnonzero(holes[name])
    }
    labels = cells[cells["column"] == "y"]
    assert labels["probability"].between(0, 1).all()
    assert (labels["possible"].str.contains("|", regex=False) == labels["not_sure"]).all()
    assert document["not_sure"] == labels["not_sure"].sum()
    numbers = cells[cells["column"] == "size"]
    assert numbers[["value", "lower", "upper"]].notna().all().all()


def drawn(self: Any, visible: Any, observed: Any, seed: int, index: int) -> Any:
    """Draws that take no time: a number of its own for every seed and draw."""
    return np.where(observed, visible, np.float32(seed + index / 4))


def test_copies_are_draws(
    run: Run, table: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FittedMachine, "draws", drawn)
    out = str(tmp_path / "drawn.csv.gz")
    result = run("complete", table, model, "--copies", "2", "-o", out, "--seed", "5")
    assert result.exit_code == 0, result.stderr
    one, two = (pd.read_csv(tmp_path / f"drawn_{k}.csv.gz") for k in (1, 2))
    before = pd.read_csv(table)
    holes = before["size"].isna()
    assert (one["size"][holes] != two["size"][holes]).all()
    assert (one["size"][~holes] == before["size"][~holes]).all()
    assert not Path(out).exists()


def test_copies_need_the_companion(run: Run, table: str, lone_model: str) -> None:
    result = run("complete", table, lone_model, "--copies", "2")
    assert result.exit_code == 1
    assert "--no-companion" in result.stderr


def test_parquet_keeps_its_schema(run: Run, model: str, tmp_path: Path) -> None:
    path = write_tiny(tmp_path, "tiny.parquet")
    assert run("complete", path, model).exit_code == 0
    before, after = pq.read_table(path), pq.read_table(tmp_path / "tiny_filled.parquet")
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after["sold"].null_count == 0
    assert after["name"].equals(before["name"])


def test_through_standard_streams(run: Run, table: str, model: str) -> None:
    content = Path(table).read_bytes()
    packed = run("complete", "-", model, "-o", "-", "--quiet", input=gzip.compress(content))
    assert packed.exit_code == 0, packed.stderr
    run("complete", table, model, "-q")
    assert packed.stdout_bytes == Path(table.replace(".csv", "_filled.csv")).read_bytes()


def test_columns_that_the_table_lacks(run: Run, model: str, tmp_path: Path) -> None:
    path = str(tmp_path / "less.csv")
    tiny_table().drop(columns=["weight", "y"]).rename(columns={"colour": "color"}).to_csv(
        path, index=False
    )
    result = run("complete", path, model)
    assert result.exit_code == 1
    assert "lacks 2 columns" in result.stderr
    assert "'weight', 'colour'" in result.stderr
    assert "--allow-missing-columns" in result.stderr
    result = run("complete", path, model, "--allow-missing-columns")
    assert result.exit_code == 0, result.stderr
    assert "lacks 'weight', 'colour'" in result.stderr
    assert "'halfseen predict' writes them" in result.stderr
    filled = pd.read_csv(tmp_path / "less_filled.csv")
    assert filled["size"].notna().all()
    assert list(filled.columns) == ["name", "seen_on", "size", "sold", "color"]


def test_another_table_altogether(run: Run, model: str, tmp_path: Path) -> None:
    pd.DataFrame({"SIZE": [1.5, 2.5, 3.0], "b": [1.5, 2.0, 2.5]}).to_csv(
        tmp_path / "other.csv", index=False
    )
    result = run("complete", str(tmp_path / "other.csv"), model, "--allow-missing-columns")
    assert result.exit_code == 1
    assert "has none of the columns" in result.stderr
    assert "did you mean 'SIZE' for 'size'?" in result.stderr


def test_categories_never_seen_are_told_once(run: Run, model: str, tmp_path: Path) -> None:
    frame = tiny_table()
    frame.loc[[3, 9], "colour"] = "purple"
    frame.to_csv(tmp_path / "t.csv", index=False)
    cells = str(tmp_path / "cells.csv")
    result = run("complete", str(tmp_path / "t.csv"), model, "--json", "--uncertainty", cells)
    assert sum("purple" in note for note in json.loads(result.stdout)["notes"]) == 1
    filled = pd.read_csv(cells)
    assert not ((filled["column"] == "colour") & filled["row"].isin([4, 10])).any()
    assert list(pd.read_csv(tmp_path / "t_filled.csv")["colour"][[3, 9]]) == ["purple", "purple"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-o", "-", "--json"], 2, "both want standard output"),
        (["--copies", "3", "--uncertainty", "u.csv"], 2, "exclude each other"),
        (["--copies", "3", "-o", "-"], 2, "standard output"),
        (["-o", "out.parquet"], 1, "parquet"),
        (["-o", "none/out.csv"], 3, "no folder"),
    ],
)
def test_what_goes_wrong_is_said(
    run: Run, table: str, model: str, words: list[str], code: int, said: str
) -> None:
    result = run("complete", table, model, *words)
    assert result.exit_code == code, result.stderr
    assert said in result.stderr
    assert len(list(Path(table).parent.iterdir())) == 1


def test_a_full_disk(
    run: Run, table: str, model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(path: Any, pieces: Any) -> None:
        next(iter(pieces))
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    (tmp_path / "tiny_filled.csv").write_text("as it was")
    monkeypatch.setattr("halfseen.files.write_out.write_beside", full)
    result = run("complete", table, model)
    assert result.exit_code == 3
    assert "the disk is full" in result.stderr
    assert (tmp_path / "tiny_filled.csv").read_text() == "as it was"


def test_a_file_that_changes_while_it_is_read(
    run: Run, table: str, model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def changing(self: Filling, batch: Any) -> dict[str, Any]:
        with Path(table).open("a") as file:
            file.write("row-x,2024-03-01,1.0,,,,\n")
        return {}

    monkeypatch.setattr(Filling, "__call__", changing)
    result = run("complete", table, model)
    assert result.exit_code == 1
    assert "tiny.csv" in result.stderr
    assert not (tmp_path / "tiny_filled.csv").exists()


def test_the_source_is_never_replaced(run: Run, table: str, model: str) -> None:
    content = Path(table).read_bytes()
    assert run("complete", table, model, "-o", table).exit_code == 2
    assert Path(table).read_bytes() == content


def test_models_that_are_none(run: Run, table: str, model: str, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.safetensors"
    content = bytearray(Path(model).read_bytes())
    content[-5] ^= 1
    damaged.write_bytes(bytes(content))
    for path, said in ((str(damaged), "damaged"), (table, "tiny.csv"), ("none.st", "No such file")):
        result = run("complete", table, path)
        assert result.exit_code == 1
        assert said in result.stderr
        assert "halfseen fit" in result.stderr


def test_text_where_the_model_knows_numbers(run: Run, model: str, tmp_path: Path) -> None:
    tiny_table().assign(size=["big", "small", "tall", None] * 10).to_csv(
        tmp_path / "t.csv", index=False
    )
    result = run("complete", str(tmp_path / "t.csv"), model)
    assert result.exit_code == 1
    assert "data row 1), column 'size': 'big' is no number" in result.stderr
    assert not (tmp_path / "t_filled.csv").exists()
