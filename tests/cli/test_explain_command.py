from __future__ import annotations

import json

import pytest

from cli.conftest import Run
from halfseen.explanations import SurprisingEntry, UnusualRow
from halfseen.files import open_table


def test_a_row_is_explained_and_counted_from_one(run: Run, table: str, lone_model: str) -> None:
    model = lone_model
    result = run("explain", table, model, "--row", "6", "--json", "-q")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["row"] == 6
    (answer,) = [answer for answer in document["answers"] if answer["is_target"]]
    assert answer["column"] == "y"
    assert answer["value"] in ("high", "low", "mid")
    shown = run("explain", table, model, "--row", "6", "--top", "2").stdout
    assert shown.startswith("Row 6: ")
    assert f"y: {answer['value']}" in shown


def test_a_known_entry_can_be_asked_for(run: Run, table: str, lone_model: str) -> None:
    document = json.loads(
        run("explain", table, lone_model, "--row", "1", "--column", "weight", "--json", "-q").stdout
    )
    (answer,) = document["answers"]
    assert answer["column"] == "weight"
    assert {influence["column"] for influence in answer["influences"]} == {
        "size",
        "sold",
        "colour",
        "y",
    }


def test_the_model_and_unusual_rows(
    run: Run, table: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    age = SurprisingEntry("size", 3.0, 0.5, None, 5.0, 12.5)
    found = (UnusualRow(2, 4.25, -9.0, 5, (age,)),)
    monkeypatch.setattr("halfseen.explanations.unusual_rows", lambda *_, top: found)
    result = run("explain", table, model, "--top", "3", "--rows", "10")
    assert result.exit_code == 0, result.stderr
    for heading in ("Features that speak for a label", "hidden units", "Unusual rows"):
        assert heading in result.stdout
    assert "among 10 of 40 rows" in result.stderr
    with open_table(table) as source:
        third = source.sample_rows(10, 0)[1][2] + 1
    assert f"row {third} (4.2 standard deviations less likely than usual)" in result.stdout


def test_unusual_rows_need_the_companion(run: Run, table: str, lone_model: str) -> None:
    result = run("explain", table, lone_model, "--json", "-q")
    assert json.loads(result.stdout)["unusual_rows"] == []
    assert "--no-companion" in json.loads(result.stdout)["notes"][0]


def test_a_row_without_holes_is_explained_by_its_labels(
    run: Run, table: str, lone_model: str
) -> None:
    result = run("explain", table, lone_model, "--row", "1")
    assert "Row 1: 5 of 5 columns are known" in result.stdout
    assert "from the rest of the row; known is high" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--row", "41"], "has 40 rows"),
        (["--row", "0"], "--row"),
        (["--row", "1", "--column", "wieght"], "Did you mean 'weight'?"),
        (["--column", "y"], "--row"),
    ],
)
def test_what_goes_wrong_is_said(
    run: Run, table: str, model: str, words: list[str], said: str
) -> None:
    result = run("explain", table, model, *words)
    assert result.exit_code == 2
    assert said in result.stderr
