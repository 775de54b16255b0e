"""Models in MLflow; needs all of MLflow: make test-mlflow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen import RBMClassifier, RBMImputer
from rbm.tables import LIGHT, mixed_table

mlflow = pytest.importorskip("mlflow", reason="tests of MLflow models need it: make test-mlflow")
flavour = pytest.importorskip("halfseen.mlflow")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table(80).astype({"count": float, "sold": object})


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> RBMClassifier:
    size = table["size"].fillna(0)
    grade = pd.Series(np.where(size > 0.3, "high", "low"), name="grade", dtype=object)
    return RBMClassifier(**LIGHT).fit(table, grade)


def test_saved_without_pickle(tmp_path: Path, model: Any, table: pd.DataFrame) -> None:
    folder = tmp_path / "saved"
    flavour.save_model(model, str(folder))
    endings = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert ".safetensors" in endings
    assert not endings & {".pkl", ".pickle", ".joblib"}
    again = flavour.load_model(str(folder))
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))


def test_nulls_and_absent_columns(tmp_path: Path, model: Any, table: pd.DataFrame) -> None:
    flavour.save_model(model, str(tmp_path / "saved"))
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    found = loaded.predict(table)
    assert found["grade"].tolist() == model.predict(table).tolist()
    assert found["grade=high"].tolist() == model.predict_proba(table)[:, 0].tolist()
    fewer = loaded.predict(table[["income", "size"]])
    seen = table.assign(count=np.nan, colour=None, sold=None)
    assert fewer["grade=high"].tolist() == model.predict_proba(seen)[:, 0].tolist()


def test_logged_and_served(
    tmp_path: Path, model: Any, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy", reason="all of MLflow is needed: make test-mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    with mlflow.start_run():
        logged = flavour.log_model(model, "grades")
    again = flavour.load_model(logged.model_uri)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    # The application of `mlflow models serve`, without its processes.
    from mlflow.pyfunc.scoring_server import init
    from starlette.testclient import TestClient

    client = TestClient(init(mlflow.pyfunc.load_model(logged.model_uri)))
    rows = json.loads(table[["size", "colour"]].iloc[:5].to_json(orient="split"))
    rows["data"][0] = [None, None]
    body = {"dataframe_split": {"columns": rows["columns"], "data": rows["data"]}}
    answer = client.post("/invocations", json=body)
    assert answer.status_code == 200, answer.text
    X = pd.DataFrame(rows["data"], columns=rows["columns"])
    seen = X.reindex(columns=table.columns)
    found = [row["grade=high"] for row in answer.json()["predictions"]]
    assert found == model.predict_proba(seen)[:, 0].tolist()


def test_imputer(tmp_path: Path, table: pd.DataFrame) -> None:
    model = RBMImputer(**LIGHT).fit(table)
    flavour.save_model(model, str(tmp_path / "saved"))
    found = mlflow.pyfunc.load_model(str(tmp_path / "saved")).predict(table)
    assert not found.isna().any().any()
    assert found["size"].tolist() == model.transform(table)["size"].tolist()
