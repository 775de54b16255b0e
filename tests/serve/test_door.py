"""Who may ask, how much, and what becomes of hostile bodies."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pydantic import ValidationError

from halfseen import load
from serve.conftest import SECRET, open_service, records

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*taken as missing"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
]
PREDICT = "/v1/models/grades/predict"
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}


def stream(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    written = pa.ipc.IpcWriteOptions(**options)
    with pa.ipc.new_stream(sink, table.schema, options=written) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_only_this_machine_without_a_token() -> None:
    from halfseen.serve import Settings

    with pytest.raises(ValidationError, match="token"):
        Settings(host="0.0.0.0")
    with pytest.raises(ValidationError, match="at least 16"):
        Settings(host="0.0.0.0", token="short")
    token = "a secret of some length"
    assert token not in repr(Settings(host="0.0.0.0", token=token))


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "192.168.0.1:80"])
def test_foreign_hosts_are_refused(client: Any, host: str) -> None:
    assert client.get("/v1/models", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_own_hosts_are_not(client: Any, host: str) -> None:
    assert client.get("/v1/models", headers={"Host": host}).status_code == 200


def test_pages_of_others_are_refused(client: Any) -> None:
    for origin in ("https://evil.example", "null", "http://localhost:1"):
        response = client.post(PREDICT, json={"records": [{}]}, headers={"Origin": origin})
        assert response.status_code == 403
    own = {"Origin": "http://localhost"}
    assert client.post(PREDICT, json={"records": [{}]}, headers=own).status_code == 200


def test_token(files: dict[str, Path]) -> None:
    token = "correct horse battery"
    some = {"arrays": files["arrays"]}
    with open_service(some, token=token) as client:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {token}"}):
            refused = client.get("/v1/models", headers=given)
            assert refused.status_code == 401
            assert client.get("/metrics", headers=given).status_code == 401
        assert client.get("/v1/models", headers={"Authorization": f"Bearer {token}"}).is_success
        assert client.get("/ping").is_success
        assert "arrays" not in client.get("/").text


def test_limits(client: Any) -> None:
    many = client.post(PREDICT, json={"records": [{}] * 601})
    assert (many.status_code, "600" in many.json()["error"]) == (413, True)
    long = client.post(PREDICT, content=b" " * 300_001)
    assert long.status_code == 413

    def parts() -> Any:
        yield from [b" " * 100_000] * 4

    assert client.post(PREDICT, content=parts()).status_code == 413
    slow = client.post("/v1/models/grades/explain", json={"records": [{}] * 65})
    assert slow.status_code == 413
    packed = client.post(PREDICT, content=b"{}", headers={"Content-Encoding": "gzip"})
    assert packed.status_code == 415


def test_too_many_and_too_slow(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    some = {"arrays": files["arrays"]}
    with open_service(some, max_requests=2, timeout=1) as client:
        service = client.app.state.service
        served = service.models.first

        def slow(encoded: Any) -> Any:
            time.sleep(2)
            raise AssertionError

        monkeypatch.setattr(served.model, "_complete_with_spread", slow)

        async def three() -> list[Any]:
            from httpx2 import ASGITransport, AsyncClient

            transport = ASGITransport(app=client.app)
            async with AsyncClient(transport=transport, base_url="http://localhost") as many:
                ask = many.post("/v1/models/arrays/predict", json={"records": [{}]})
                others = (
                    many.post("/v1/models/arrays/predict", json={"records": [{}]}) for _ in "12"
                )
                return await asyncio.gather(ask, *others)

        # The threads of the service belong to the loop of the client.
        responses = client.portal.call(three)
        found = sorted(response.status_code for response in responses)
        assert found == [429, 503, 503]
        assert all(response.headers["retry-after"] for response in responses)


BAD_BODIES = [
    b"", b"null", b"[]", b"{}", b"{", b'{"records": []}', b'{"records": [[]]}',
    b'{"records": [{"size": NaN}]}', b'{"records": [{"size": Infinity}]}',
    b'{"records": [{"size": 1e999}]}', b'{"records": [{"size": ' + b"9" * 5000 + b"}]}",
    b'{"records": [{"size": {"a": 1}}]}', b'{"records": [{"size": [1]}]}',
    b'{"records": [{"size": "' + SECRET.encode() + b'"}]}', b'{"records": [{"size": "\\ud800"}]}',
    b'{"records": [{"nothing": 1}]}', b'{"records": [{}], "path": "/etc/passwd"}', b"\xff\xfe",
    b"[" * 100_000, b'{"records": ' + b'[{"a":' * 20_000,
]  # fmt: skip


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bad_json(client: Any, body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for address in (PREDICT, "/v2/models/grades/infer", "/invocations"):
        response = client.post(address, content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 422, (address, response.text)
        assert "Traceback" not in response.text
        assert response.json()["error"]
    assert SECRET not in caplog.text


def test_a_cell_that_is_no_number_is_named(client: Any) -> None:
    response = client.post(PREDICT, json={"records": [{"size": 1.0}, {"size": "wide"}]})
    assert "'size'" in response.json()["error"]
    assert "row 1" in response.json()["error"]


def test_bad_csv(client: Any) -> None:
    bodies = [b"", b"size\n", b"size,size\n1,2", b"size,income\n1", b"other\n1", b"\xff\xfe\x00s",
              b'size\n"1', b"size\n" + b"9" * 200_000, b"size\n\x00"]  # fmt: skip
    for body in bodies:
        response = client.post(PREDICT, content=body, headers={"Content-Type": "text/csv"})
        assert response.status_code == 422, (body[:20], response.text)


def test_bad_arrow(client: Any, table: pd.DataFrame) -> None:
    good = stream(pa.Table.from_pandas(table, preserve_index=False))
    nested = pa.table({"size": [[1.0]]})
    twice = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["size", "size"])
    packed = stream(pa.table({"size": np.zeros(1000)}), compression="zstd")
    for body in (b"", b"ARROW1", good[:-200], good[:100], stream(nested), stream(twice), packed):
        response = client.post(PREDICT, content=body, headers=ARROW)
        assert response.status_code == 422, response.text
    huge = stream(pa.table({"size": pa.nulls(10**7)}))
    assert client.post(PREDICT, content=huge, headers=ARROW).status_code == 413
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["red", "blue"]))
    categories = stream(pa.table({"colour": words}))
    assert client.post(PREDICT, content=categories, headers=ARROW).is_success


def test_damaged_arrow_never_ends_the_service(client: Any, table: pd.DataFrame) -> None:
    good = stream(pa.Table.from_pandas(table.iloc[:8], preserve_index=False))
    random = np.random.default_rng(0)
    for _ in range(60):
        bad = bytearray(good)
        for place in random.integers(0, len(bad), 4):
            bad[place] = random.integers(256)
        response = client.post(PREDICT, content=bytes(bad), headers=ARROW)
        assert response.status_code in (200, 413, 422), response.text


def test_no_500_tells_anything(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    served = client.app.state.service.models.get("labels")

    def fail(encoded: Any) -> Any:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(served.model, "_complete_with_spread", fail)
    caplog.set_level(logging.DEBUG)
    response = client.post("/v1/models/labels/predict", json={"records": [{}]})
    assert response.status_code == 500
    assert SECRET not in response.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_logs_hold_no_cells(
    client: Any, table: pd.DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "halfseen.serve")
    row = {**records(table)[0], "colour": SECRET, SECRET: 1}
    for route in ("predict", "complete", "explain", "unusual"):
        response = client.post(f"/v1/models/grades/{route}?{SECRET}=1", json={"records": [row]})
        assert response.is_success
    client.get(f"/{SECRET}")
    client.get(f"/v1/models/{SECRET}")
    assert "/v1/models/{name}/predict 200" in caplog.text
    assert SECRET not in caplog.text
    assert SECRET not in client.get("/metrics").text


def test_page_is_strict(client: Any) -> None:
    response = client.get("/")
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "style=" not in response.text
    assert client.get("/static/..%2fpage.py").status_code == 404
    for name in ("style.css", "service.js", "view.js"):
        assert client.get(f"/static/{name}").is_success


def test_openapi_has_examples_that_work(client: Any) -> None:
    document = client.get("/openapi.json").json()
    body = document["paths"]["/v1/models/{name}/predict"]["post"]["requestBody"]
    example = body["content"]["application/json"]["example"]
    assert None in example["records"][0].values()
    assert client.post(PREDICT, json=example).is_success
    body = document["paths"]["/v2/models/{name}/infer"]["post"]["requestBody"]
    example = body["content"]["application/json"]["example"]
    assert client.post("/v2/models/grades/infer", json=example).is_success


def test_reload(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "changing.safetensors"
    shutil.copy(files["arrays"], path)
    with open_service({"changing": path}, reload_seconds=0.05) as client:

        def version() -> str:
            return str(client.get("/v1/models/changing").json()["version"])

        def wait(of: Any) -> None:
            end = time.monotonic() + 20
            while not of() and time.monotonic() < end:
                time.sleep(0.02)
            assert of()

        first = version()
        path.write_bytes(b"no model")
        wait(lambda: "halfseen_failed_reloads_total 1.0" in client.get("/metrics").text)
        assert version() == first
        shutil.copy(files["labels"], tmp_path / "new")
        (tmp_path / "new").replace(path)
        wait(lambda: version() != first)
        answer = client.post("/v1/models/changing/predict", json={"records": [{"size": 1}]})
        expected = load(path).classes_
        assert len(answer.json()["rows"][0]) == len(expected)
        pinned = f"/v1/models/changing/predict?version={first}"
        assert client.post(pinned, json={"records": [{}]}).status_code == 404


def test_unknown_names(client: Any) -> None:
    assert client.get("/v1/models/none").status_code == 404
    assert client.post("/v1/models/fills/predict", json={"records": [{}]}).status_code == 422
    assert client.post(PREDICT, content=json.dumps({"records": [{}]}),
                       headers={"Content-Type": "text/plain"}).status_code == 415  # fmt: skip
    assert client.get("/nowhere").status_code == 404
    assert client.put(PREDICT).status_code == 405
