from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from cli.conftest import Run
from cli.tiny import tiny_table


def test_what_is_in_the_table(run: Run, table: str) -> None:
    result = run("inspect", table, "--labels", "y")
    assert result.exit_code == 0, result.stderr
    shown = result.stdout
    assert "40 rows, 7 columns" in shown
    for part in ("identifier", "date", "label, category", "Do holes look random?", "Labels"):
        assert part in shown
    assert "Next: halfseen fit" in result.stderr


def test_as_json(run: Run, table: str) -> None:
    result = run("inspect", table, "--json", "-q", "--as", "sold=category")
    document = json.loads(result.stdout)
    assert [column["taken_for"] for column in document["columns"]] == [
        "identifier",
        "date",
        "number",
        "number",
        "category",
        "category",
        "category",
    ]
    frame = tiny_table()
    assert [c["missing"] for c in document["columns"]] == list(frame.isna().sum())
    assert len(document["columns"][2]["missing_along_file"]) == 16


def test_wide_tables_are_shortened_unless_asked(run: Run, tmp_path: Path) -> None:
    wide = pd.DataFrame({f"c{k}": [0.5 * k, 1.0, None, 3.0] * 5 for k in range(45)})
    wide.to_csv(tmp_path / "wide.csv", index=False)
    path = str(tmp_path / "wide.csv")
    assert "and 15 more columns (--all)" in run("inspect", path).stdout
    assert "c44" in run("inspect", path, "--all").stdout


@pytest.mark.parametrize("option", ["--labels", "--ignore"])
def test_unknown_columns(run: Run, table: str, option: str) -> None:
    result = run("inspect", table, option, "nme")
    assert result.exit_code == 2
    assert "Did you mean 'name'?" in result.stderr
