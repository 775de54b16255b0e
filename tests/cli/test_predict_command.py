from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli.conftest import Run
from cli.tiny import tiny_table
from halfseen import load


def test_predictions_are_those_of_the_estimator(
    run: Run, table: str, model: str, tmp_path: Path
) -> None:
    result = run("predict", table, model, "--level", "0.8", "--keep", "colour")
    assert result.exit_code == 0, result.stderr
    predicted = pd.read_csv(tmp_path / "tiny_predicted.csv")
    assert list(predicted.columns) == [
        "row",
        "name",
        "colour",
        "y",
        "y_confidence",
        "y=high",
        "y=low",
        "y=mid",
        "y_possible",
        "y_not_sure",
    ]
    features = tiny_table()[["size", "weight", "sold", "colour"]]
    fitted = load(model)
    proba = fitted.predict_proba(features)
    assert list(predicted["y"]) == list(fitted.predict(features))
    np.testing.assert_allclose(predicted[["y=high", "y=low", "y=mid"]], proba, atol=1e-6)
    np.testing.assert_allclose(predicted["y_confidence"], proba.max(axis=1), atol=1e-6)
    sets = fitted.predict_set(features, 0.8)
    assert list(predicted["y_not_sure"]) == list(sets.sum(axis=1) != 1)
    assert list(predicted["row"]) == list(range(1, 41))


def test_labels_of_the_file_are_not_looked_at(run: Run, table: str, model: str) -> None:
    without = table.replace("tiny", "without")
    tiny_table().drop(columns="y").to_csv(without, index=False)
    one, two = (run("predict", path, model, "-o", "-", "-q") for path in (table, without))
    assert one.exit_code == two.exit_code == 0
    assert one.stdout == two.stdout


def test_counts_as_json(run: Run, table: str, model: str, tmp_path: Path) -> None:
    out = str(tmp_path / "p.parquet")
    document = json.loads(run("predict", table, model, "-o", out, "--json", "-q").stdout)
    predicted = pd.read_parquet(out)
    (label,) = document["labels"]
    assert label["decisions"] == predicted["y"].value_counts().to_dict()
    assert label["not_sure"] == predicted["y_not_sure"].sum()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [(["--keep", "colr"], 2, "Did you mean 'colour'?"), (["--to", "xls"], 2, "--to")],
)
def test_what_goes_wrong_is_said(
    run: Run, table: str, model: str, words: list[str], code: int, said: str
) -> None:
    result = run("predict", table, model, *words)
    assert result.exit_code == code
    assert said in result.stderr
