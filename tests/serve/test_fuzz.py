"""Requests made from the OpenAPI document, right and wrong ones, to a service of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("schemathesis") is None,
        reason="requests are made by schemathesis: make test-fuzz",
    ),
]
# Whatever a request holds, a line of the log holds a method, a route, a status and a time.
_LINE = re.compile(
    r"[-0-9]+ [:,0-9]+ (INFO halfseen\.serve ([A-Z]+|other) [-\w/{}.]+ \d{3} [.\d]+ ms"
    r"|WARNING uvicorn\.error Invalid HTTP request received\.)"
)
_COUNT = re.compile(r'^halfseen_requests_total\{.*status="(\d+)"\} ([\d.]+)$', re.MULTILINE)
CHECKS = "not_a_server_error,content_type_conformance,status_code_conformance"
EXAMPLES = 40  # of each route


@pytest.fixture
def service(files: dict[str, Path], tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Address and log of a service of all models."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "halfseen", "serve", *map(str, files.values()), "--port",
               str(port), "--max-rows", "50"]  # fmt: skip
    log = tmp_path / "log"
    with log.open("wb") as opened:
        process = subprocess.Popen(command, stdout=opened, stderr=opened)
    for _ in range(600):
        try:
            urlopen(f"http://127.0.0.1:{port}/ping").close()
            break
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}", log
    process.terminate()
    assert process.wait(30) in (0, -signal.SIGTERM)


def test_five_hundred_requests(service: tuple[str, Path], tmp_path: Path) -> None:
    address, log = service
    fuzz = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json",
            "--checks", CHECKS, "--max-examples", str(EXAMPLES), "--phases", "examples,fuzzing",
            "--seed", "1", "--no-shrink", "--continue-on-failure",
            "--suppress-health-check", "all"]  # fmt: skip
    done = subprocess.run(
        fuzz, cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_COLOR": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    counts = _COUNT.findall(urlopen(f"{address}/metrics").read().decode())
    n_requests = sum(float(n) for _, n in counts)
    statuses = {status for status, _ in counts}
    assert n_requests >= 500, (n_requests, done.stdout[-2000:])
    assert {"200", "422"} <= statuses
    assert not any(status.startswith("5") for status in statuses)
    first, *lines = log.read_text().splitlines()
    assert "Serving" in first
    assert [line for line in lines if not _LINE.fullmatch(line)] == []
