"""Answers of the service are those of the library, bit for bit, in every protocol."""

from __future__ import annotations

import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from halfseen.explain import explain_rows
from serve.conftest import records

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*taken as missing"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
]
ARROW = "application/vnd.apache.arrow.stream"


def arrow_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def ask(client: Any, name: str, route: str, rows: Any, **params: Any) -> Any:
    address = f"/v1/models/{name}/{route}"
    response = client.post(address, json={"records": rows}, params=params)
    assert response.status_code == 200, response.text
    return response.json()


def probabilities(rows: list[Any], target: str) -> np.ndarray:
    return np.array([list(row[target]["probabilities"].values()) for row in rows])


def test_predictions_equal_the_library(client: Any, models: Any, table: pd.DataFrame) -> None:
    found = ask(client, "grades", "predict", records(table))["rows"]
    assert [row["grade"]["value"] for row in found] == models["grades"].predict(table).tolist()
    assert np.array_equal(probabilities(found, "grade"), models["grades"].predict_proba(table))
    found = ask(client, "labels", "predict", records(table))["rows"]
    expected = models["labels"].predict_proba(table)
    for j, label in enumerate("ab"):
        assert np.array_equal(probabilities(found, label)[:, 1], expected[:, j])


def test_single_rows_together_or_not(client: Any, models: Any, table: pd.DataFrame) -> None:
    rows = records(table)[:24]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: ask(client, "grades", "predict", [row])["rows"][0], rows))
    expected = models["grades"].predict_proba(table)[:24]
    assert np.array_equal(probabilities(found, "grade"), expected)


def test_completion_keeps_what_is_observed(client: Any, models: Any, table: pd.DataFrame) -> None:
    expected = models["fills"].transform(table)
    for i, row in enumerate(ask(client, "fills", "complete", records(table))["rows"]):
        assert set(row["filled"]) == set(table.columns[table.iloc[i].isna()])
        for name in ("size", "income", "colour", "sold"):
            assert row["values"][name] == expected.iloc[i][name]


def test_known_targets_help(client: Any, models: Any, table: pd.DataFrame) -> None:
    rows = records(table)[:10]
    known = ["high", None] * 5
    asked = [{**row, "grade": value} for row, value in zip(rows, known, strict=True)]
    found = ask(client, "grades", "complete", asked)["rows"]
    y = np.array(known, dtype=object)
    expected = models["grades"].complete(table.iloc[:10], y)
    assert [row["targets"]["grade"]["value"] for row in found] == expected.y.tolist()
    targets = [row["targets"] for row in found]
    assert np.array_equal(probabilities(targets, "grade"), expected.proba)
    refused = client.post(
        "/v1/models/grades/complete", json={"records": [{**rows[0], "grade": "top"}]}
    )
    assert refused.status_code == 422
    assert "grade" in refused.json()["error"]


def test_intervals_and_sets(client: Any, models: Any, table: pd.DataFrame) -> None:
    found = ask(client, "fills", "intervals", records(table), coverage=0.8)["rows"]
    bounds = models["fills"].predict_interval(table, 0.8)
    for i, row in enumerate(found):
        for name, interval in row.items():
            assert pd.isna(table.iloc[i][name])
            j = table.columns.get_loc(name)
            assert [interval["low"], interval["high"]] == bounds[i, j].tolist()
    found = ask(client, "grades", "sets", records(table), coverage=0.8)["rows"]
    inside = models["grades"].predict_set(table, 0.8)
    classes = models["grades"].classes_
    assert [row["grade"]["set"] for row in found] == [classes[row].tolist() for row in inside]
    assert [row["grade"]["abstains"] for row in found] == (inside.sum(axis=1) > 1).tolist()


def test_explanations_and_unusual_rows(client: Any, models: Any, table: pd.DataFrame) -> None:
    few = table.iloc[:3]
    found = ask(client, "grades", "explain", records(few))["rows"]
    expected = explain_rows(models["grades"], few, columns="grade").predictions
    for (row,), one in zip(found, expected, strict=True):
        assert row["probability"] == one.probability
        assert [effect["change"] for effect in row["effects"]] == [e.change for e in one.effects]
    strange = {**records(few)[0], "size": 30.0, "income": 0.001}
    ordinary, odd = ask(client, "grades", "unusual", [records(few)[0], strange])["rows"]
    assert odd["score"] > ordinary["score"]
    assert {entry["column"] for entry in odd["entries"][:2]} & {"size", "income"}


def test_arrow_in_and_out(client: Any, models: Any, table: pd.DataFrame) -> None:
    body = arrow_bytes(pa.Table.from_pandas(table, preserve_index=False))
    headers = {"Content-Type": ARROW}

    def post(route: str) -> pa.Table:
        response = client.post(f"/v1/models/grades/{route}", content=body, headers=headers)
        assert response.headers["content-type"] == ARROW, response.text
        return pa.ipc.open_stream(response.content).read_all()

    found = post("predict")
    expected = models["grades"].predict_proba(table)
    assert np.array_equal(np.column_stack([found["grade=high"], found["grade=low"]]), expected)
    filled = post("complete")
    assert filled["size"].to_pylist() == models["grades"].complete(table).X["size"].tolist()
    assert post("intervals").num_columns == 2 * table.shape[1]
    sets = post("sets")["grade=high"].to_pylist()
    assert sets == models["grades"].predict_set(table)[:, 0].tolist()


def test_csv(client: Any, models: Any, table: pd.DataFrame) -> None:
    headers = {"Content-Type": "text/csv"}
    for separator in ",;\t":
        text = table.to_csv(index=False, sep=separator)
        address = "/v1/models/grades/predict"
        response = client.post(address, content=text.encode(), headers=headers)
        found = probabilities(response.json()["rows"], "grade")
        assert np.array_equal(found, models["grades"].predict_proba(table))


def test_open_inference_protocol(client: Any, models: Any, table: pd.DataFrame) -> None:
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/models/grades/ready").json()["ready"] is True
    described = client.get("/v2/models/grades").json()
    types = {one["name"]: one["datatype"] for one in described["inputs"]}
    assert types["colour"] == "BYTES"
    rows = records(table)
    inputs = [
        {"name": name, "shape": [len(rows)], "datatype": types[name],
         "data": [row[name] for row in rows]}
        for name in ("size", "colour", "sold")
    ]  # fmt: skip
    place = f"/v2/models/grades/versions/{described['versions'][0]}/infer"
    answer = client.post(place, json={"id": "7", "inputs": inputs}).json()
    assert answer["id"] == "7"
    outputs = {one["name"]: one for one in answer["outputs"]}
    seen = table.assign(income=np.nan, count=pd.NA)
    expected = models["grades"].predict_proba(seen)
    assert outputs["grade_probabilities"]["shape"] == list(expected.shape)
    assert outputs["grade_probabilities"]["data"] == expected.ravel().tolist()
    assert outputs["grade"]["data"] == models["grades"].predict(seen).tolist()
    assert client.post("/v2/models/grades/versions/0/infer", json={}).status_code == 404


def test_one_tensor_for_models_without_names(client: Any, models: Any) -> None:
    X = [[0.5, None], [None, None], [-1.0, 3.0]]
    tensor = {"name": "X", "shape": [3, 2], "datatype": "FP64", "data": X}
    answer = client.post("/v2/models/arrays/infer", json={"inputs": [tensor]}).json()
    expected = models["arrays"].predict_proba(np.array(X, float))
    assert answer["outputs"][1]["data"] == expected.ravel().tolist()
    wrong = {"name": "X", "shape": [1, 2], "datatype": "FP64", "data": [["a", None]]}
    assert client.post("/v2/models/arrays/infer", json={"inputs": [wrong]}).status_code == 422


def test_invocations(client: Any, models: Any, table: pd.DataFrame) -> None:
    rows, expected = records(table), models["grades"].predict_proba(table)[:, 0].tolist()
    data = [list(row.values()) for row in rows]
    bodies = [
        {"dataframe_records": rows},
        {"dataframe_split": {"columns": list(table.columns), "data": data}},
        {"instances": rows},
        {"inputs": {name: [row[name] for row in rows] for name in table.columns}},
    ]
    for body in bodies:
        found = client.post("/invocations", json=body).json()["predictions"]
        assert [row["grade=high"] for row in found] == expected
    text = table.to_csv(index=False).encode()
    found = client.post("/invocations", content=text, headers={"Content-Type": "text/csv"}).json()
    assert [row["grade=high"] for row in found["predictions"]] == expected
    assert client.get("/ping").status_code == 200


def test_nothing_known_is_a_row_too(client: Any, models: Any, table: pd.DataFrame) -> None:
    answer = ask(client, "grades", "predict", [{}])
    nothing = table.iloc[:1].mask(np.ones((1, table.shape[1]), bool))
    with warnings.catch_warnings():
        expected = models["grades"].predict_proba(nothing)
    assert np.array_equal(probabilities(answer["rows"], "grade"), expected)
    assert "absent" in answer["notes"][0]
    (row,) = ask(client, "grades", "unusual", [{}])["rows"]
    assert row["score"] is None


def test_notes_name_what_was_not_used(client: Any, table: pd.DataFrame) -> None:
    row = {**records(table)[0], "colour": "mauve", "weight": 3}
    notes = " ".join(ask(client, "grades", "predict", [row])["notes"])
    assert "'mauve'" in notes
    assert "'weight'" in notes


def test_metrics(client: Any, table: pd.DataFrame) -> None:
    ask(client, "labels", "predict", records(table))
    text = client.get("/metrics").text
    assert 'halfseen_rows_total{model="labels"}' in text
    assert 'halfseen_missing_share{column="size",model="labels"}' in text
    assert 'halfseen_abstention_share{model="labels",target="a"}' in text
    assert 'route="/v1/models/{name}/predict",status="200"' in text
