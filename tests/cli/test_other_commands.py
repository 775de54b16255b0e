"""inspect, predict, score, evaluate, explain, sample, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from cli.conftest import TINY, N, document, invoke, make_table, read
from halfseen import load
from halfseen.cli.console import Console, as_json
from halfseen.cli.options import (
    chosen_columns,
    column_types,
    output_beside,
    per_column,
    sibling_labels,
)


def test_inspect(table: Path) -> None:
    data = read(table)
    data.loc[5, "size"] = "n/k"
    data["copy"] = data["sick_a"]
    data.to_csv(table, index=False)
    result = invoke("inspect", table, "--labels", "sick_*", "--ignore", "grade")
    for words in ("240 rows, 11 columns", "ignored: identifier", "label, binary", "line 7",
                  "copy equals the label sick_a"):  # fmt: skip
        assert words in result.stdout
    assert "Next: halfseen fit" in result.stderr
    found = document("inspect", table, "--labels", "sick_*", "--missing", "n/k")["inspection"]
    assert [c["type"] for c in found["columns"]][:4] == [
        "ignored",
        "ignored",
        "numeric",
        "log-numeric",
    ]
    assert found["findings"][0]["kind"] == "leak"
    result = invoke("inspect", table, "-l", "sick_c", code=2)
    assert "no column 'sick_c'. Did you mean" in result.stderr


def test_inspect_shows_what_a_terminal_can_take(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\x1b[31m,b[bold]\n" + "x\x07,[red]y\n" * 30)
    shown = invoke("inspect", path).output
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "b[bold]" in shown


def test_predictions(table: Path, labels: str, tmp_path: Path) -> None:
    table.write_text(table.read_text())
    result = invoke("predict", table, labels, "--keep", "colour,sick_a")
    predicted, data = read(tmp_path / "a_predicted.csv"), read(table)
    names = ["row", "name", "colour", "sick_a_known", "sick_a", "sick_a_probability", "sick_a=1",
             "sick_a_set", "sick_a_abstain"]  # fmt: skip
    assert list(predicted.columns)[:9] == names
    assert (predicted["row"] == np.arange(1, N + 1).astype(str)).all()
    for kept, name in (("name", "name"), ("colour", "colour"), ("sick_a_known", "sick_a")):
        assert (predicted[kept] == data[name]).all()
    one, decided = predicted["sick_a=1"].astype(float), predicted["sick_a"] == "1"
    assert np.allclose(
        predicted["sick_a_probability"].astype(float), np.where(decided, one, 1 - one)
    )
    assert "sick_a: 0" in result.stderr
    invoke("predict", table, labels, "-o", tmp_path / "p.parquet", "-q")
    assert pq.read_table(tmp_path / "p.parquet").num_rows == N
    assert invoke("predict", "-", labels, input=table.read_bytes()).stdout.count("\n") == N + 1


def test_thresholds_and_costs_of_labels(table: Path, labels: str, tmp_path: Path) -> None:
    def decisions(*words: str) -> Any:
        invoke("predict", table, labels, "-o", tmp_path / "p.csv", "-q", *words)
        predicted = pd.read_csv(tmp_path / "p.csv")
        return predicted, predicted["sick_a"] == 1, predicted["sick_b"] == 1

    for words, for_a, for_b in (
        (["--threshold", "0.3"], 0.3, 0.3),
        (["--threshold", "0.3", "--threshold", "sick_b=0.9"], 0.3, 0.9),
        (["--costs", "4:1"], 0.2, 0.2),
        (["--costs", "sick_a=1:4", "--threshold", "sick_b=0.6"], 0.8, 0.6),
    ):
        found, a, b = decisions(*words)
        assert (a == (found["sick_a=1"] > for_a)).all()
        assert (b == (found["sick_b=1"] > for_b)).all()
    for words, message in (
        (["--threshold", "2"], "from 0 to 1"),
        (["--threshold", "sick_c=0.5"], "no column 'sick_c'"),
        (["--costs", "much"], "MISS:ALARM"),
    ):
        result = invoke("predict", table, labels, *words, code=2)
        assert message in " ".join(result.stderr.split())


def test_costs_of_classes(table: Path, grade: str, tmp_path: Path) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text("true,low,mid,high\nlow,0,1,5\nhigh,9,3,0\nmid,1,0,1\n")
    invoke("predict", table, grade, "-o", tmp_path / "p.csv", "--costs", f"grade={costs}")
    found = pd.read_csv(tmp_path / "p.csv")
    proba = found[["grade=low", "grade=mid", "grade=high"]].to_numpy()
    expected = proba @ np.array([[0, 1, 5], [1, 0, 1], [9, 3, 0]])
    names = np.array(["low", "mid", "high"])
    assert (found["grade"] == names[expected.argmin(axis=1)]).all()
    assert np.allclose(proba.sum(axis=1), 1, atol=1e-5)
    invoke("predict", table, grade, "-o", tmp_path / "p.csv", "-q")
    plain = pd.read_csv(tmp_path / "p.csv")
    assert (plain["grade"] == names[proba.argmax(axis=1)]).all()
    full = "true,low,mid,high\nlow,0,1,nan\nhigh,9,3,0\nmid,1,0,1\n"
    for text, words in (("true,low,mid\nlow,0,1\n", "there is no class"), ("", "there is no class"),
                        (full, "no finite number")):  # fmt: skip
        costs.write_text(text)
        result = invoke("predict", table, grade, "--costs", f"grade={costs}", code=1)
        assert words in result.stderr
        assert "needs a row and a column for each of" in result.stderr


def test_a_header_alone_gives_a_header(
    table: Path, labels: str, grade: str, tmp_path: Path
) -> None:
    read(table)[:0].to_csv(table, index=False)
    for model in (labels, grade):
        said = invoke("predict", table, model, "-o", tmp_path / "p.csv").stderr
        assert said.count("\n") == 1
        assert (tmp_path / "p.csv").read_text().startswith("row,name,")
        assert len(read(tmp_path / "p.csv")) == 0
        invoke(
            "complete", table, model, "-o", tmp_path / "c.csv", "--uncertainty", tmp_path / "u.csv"
        )
        assert (tmp_path / "c.csv").read_bytes() == table.read_bytes()
    assert "no row" in invoke("score", table, labels, code=1).stderr


def test_score(table: Path, labels: str, tmp_path: Path) -> None:
    make_table(seed=1).to_csv(table, index=False)
    found = document("score", table, labels, "--by", "colour", "--coverage", "0.8")
    data, model = pd.read_csv(table, dtype={"zip": str}), load(labels)
    X = data[[str(name) for name in model.feature_names_in_]]
    known = data["sick_a"].notna()
    truth, proba = data["sick_a"][known], model.predict_proba(X)[known, 0]
    of_a = found["labels"][0]
    assert of_a["n_known"] == known.sum()
    assert of_a["auc"] == pytest.approx(roc_auc_score(truth, proba))
    assert of_a["log_loss"] == pytest.approx(log_loss(truth, proba), abs=1e-6)
    decided = model.predict(X)[known, 0]
    assert of_a["accuracy"] == pytest.approx((decided == truth).mean())
    recall = {c["value"]: c["recall"] for c in of_a["classes"]}
    assert recall["1"] == pytest.approx((decided == truth)[truth == 1].mean())
    sets = model.predict_set(X, 0.8)[known, 0]
    held = sets[np.arange(len(truth)), truth.astype(int)]
    assert of_a["set_coverage"] == pytest.approx(held.mean())
    assert sum(g[0]["n_known"] for g in found["groups"].values()) == known.sum()
    assert set(found["groups"]) == {"red", "blue", "a, b", "(missing)"}
    shown = invoke("score", table, labels, "-o", tmp_path / "s.json", "--threshold", "0.9").stdout
    assert f"{of_a['auc']:.3f}" in shown
    assert json.loads((tmp_path / "s.json").read_text())["labels"][0]["auc"] == of_a["auc"]
    read(table).drop(columns=["sick_a", "sick_b"]).to_csv(table, index=False)
    assert "has no label of the model" in invoke("score", table, labels, code=1).stderr


def test_evaluate(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "e.json"
    options = ("--labels", "sick_*", "--ignore", "grade", "--repeats", "2", *TINY)
    result = invoke("evaluate", table, *options, "-o", out)
    for words in ("Labels of new rows, by class", "Labels of new rows", "Should I trust this on my",
                  "log-loss", "Rule:", "gradient boosting on missing values"):  # fmt: skip
        assert words in result.stdout
    found = json.loads(out.read_text())["evaluation"]
    assert found["labels"] == ["sick_a", "sick_b"]
    whats = {verdict["what"] for verdict in found["verdicts"]}
    assert whats == {"labels of new rows", "hidden labels", "hidden categories", "hidden numbers"}
    for words, message in (
        (["--groups", "nowhere"], "no column 'nowhere'"),
        (["--groups", "colour", "--time", "day"], "exclude each other"),
        (["--groups", "colour"], "has missing values"),
    ):
        result = invoke("evaluate", table, *options, *words, code=2)
        assert message in result.stderr


def test_samples(labels: str, table: Path, tmp_path: Path) -> None:
    invoke("sample", labels, "-n", "50", "-o", tmp_path / "s.csv")
    found, data = read(tmp_path / "s.csv"), read(table)
    assert list(found.columns) == [
        "size",
        "visits",
        "colour",
        "type_code",
        "zip",
        "sick_a",
        "sick_b",
    ]
    assert len(found) == 50
    assert found["visits"].str.fullmatch(r"\d+").all()
    assert set(found["zip"]) <= set(data["zip"])
    sizes = data["size"][data["size"] != ""].astype(float)
    assert found["size"].astype(float).between(sizes.min(), sizes.max()).all()
    first = invoke("sample", labels, "-n", "5").stdout
    assert (tmp_path / "s.csv").read_text().startswith(first)
    assert invoke("sample", labels, "-n", "5", "--seed", "1").stdout != first
    document("sample", labels, "-n", "5", "-o", tmp_path / "s.parquet")
    assert pq.read_table(tmp_path / "s.parquet").num_rows == 5


def test_explain(table: Path, labels: str) -> None:
    pytest.importorskip("halfseen.explain")
    data = read(table)
    row = int(np.flatnonzero((data["sick_a"] == "") & (data["colour"] == "red"))[0]) + 1
    result = invoke("explain", table, labels, "--row", row, "--top", "2")
    assert f"Row {row} (name d-{row - 1:03d})" in result.stdout
    assert "sick_a: " in result.stdout
    found = document("explain", table, labels, "--row", row, "--column", "colour")
    assert {line["column"] for line in found["explanations"]} == {"colour"}
    assert found["row"] == row
    assert not any("row" in line for line in found["explanations"])
    shown = invoke("explain", table, labels, "--top", "3", "--rows", "100").stdout
    assert "Features that predictions rest on" in shown
    assert "Unusual rows" in shown
    assert "no row 9,999" in invoke("explain", table, labels, "--row", 9999, code=1).stderr
    result = invoke("explain", table, labels, "--row", 1, "--column", "grade", code=2)
    assert "no column 'grade'" in result.stderr


def test_report(table: Path, labels: str, tmp_path: Path) -> None:
    options = ("--labels", "sick_*", "--ignore", "grade", "--repeats", "1", *TINY)
    invoke("evaluate", table, *options, "-o", tmp_path / "e.json", "-q")
    words = ("report", labels, "--data", table, "-o", tmp_path / "r.html", "--rows", "50")
    invoke(*words, "--evaluation", tmp_path / "e.json")
    page = (tmp_path / "r.html").read_text()
    assert '<dt>Rows given</dt><dd><data value="50.0">' in page
    verdict = json.loads((tmp_path / "e.json").read_text())["evaluation"]["verdicts"][0]
    assert verdict["sentence"] in page
    assert f"--data {table} --evaluation {tmp_path / 'e.json'}" in page
    assert "Fitted by <code>halfseen fit " in page
    assert "--labels sick_* --ignore grade --model rbm" in page.replace("&#39;", "")
    other = ("evaluate", table, "--labels", "grade", "--repeats", "1", *TINY, "-q")
    invoke(*other, "-o", tmp_path / "e.json")
    result = invoke(*words, "--evaluation", tmp_path / "e.json", code=1)
    assert "The evaluation is of another table" in result.stderr
    (tmp_path / "e.json").write_text("[" * 100_000)
    assert "is no evaluation" in invoke(*words, "--evaluation", tmp_path / "e.json", code=1).stderr


def test_words_of_options() -> None:
    columns = ["age", "tox_a", "tox_b", "name"]
    assert chosen_columns(["tox_*,age"], columns, "--labels") == ["age", "tox_a", "tox_b"]
    types = {"zip": "categorical", "size": ("ordinal", ["S", "M", "L"])}
    assert column_types(["zip=categorical", "size=ordinal:S,M,L"], ["zip", "size"]) == types
    found = per_column(["a=3", "2"], ["a", "b"], "--threshold", lambda _, text: int(text))
    assert found == {"a": 3, "b": 2}
    assert sibling_labels(["threat_scan"], ["load", "threat_theft"]) == ["threat_theft"]
    assert output_beside("data/a.csv.gz", "_filled", None) == "data/a_filled.csv.gz"
    assert output_beside("a.xlsx", "_filled", None) == "a_filled.csv"


def test_json_documents(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json({"a": np.array([1.0, np.nan]), 2: (np.int64(3), None)})
    assert found == b'{"a":[1.0,null],"2":[3,null]}'
    console = Console(quiet=True, as_json=True)
    console.note("Column 'x' is empty.")
    console.give({"score": float("nan")})
    assert capsys.readouterr().out == '{"score":null,"notes":["Column \'x\' is empty."]}\n'
