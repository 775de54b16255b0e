"""Killed at any moment, or out of room: what was there stays, and nothing is half written."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import TINY, invoke, make_table
from halfseen import load


def start(*words: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "halfseen", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check(folder: Path, old: bytes, new: bytes, output: Path, table: bytes) -> None:
    """The output is the old or the new one, and there is nothing else but one part."""
    assert (folder / "a.csv").read_bytes() == table
    assert output.read_bytes() in (old, new)
    others = {path.name for path in folder.iterdir()} - {"a.csv", output.name}
    assert all(name.startswith(".part-") for name in others)
    assert len(others) <= 1
    for name in others:
        (folder / name).unlink()


@pytest.mark.long
@pytest.mark.parametrize("command", ["complete", "fit"])
def test_ten_kills(command: str, tmp_path: Path, labels: str) -> None:
    path = tmp_path / "a.csv"
    table = make_table()
    n_times = 100 if command == "complete" else 1
    path.write_text(table.to_csv(index=False) + table.to_csv(index=False, header=False) * n_times)
    content = path.read_bytes()
    output = tmp_path / ("out.csv" if command == "complete" else "model.safetensors")
    words: tuple[Any, ...] = ("complete", path, labels, "-o", output)
    if command == "fit":
        words = ("fit", path, "-l", "sick_*", "--ignore", "grade", "-o", output, *TINY)
    began = time.perf_counter()
    started = start(*words)
    assert started.wait() == 0
    seconds, new = time.perf_counter() - began, output.read_bytes()
    old = b"old and dear"
    for k in range(10):
        output.write_bytes(old)
        started = start(*words)
        time.sleep(seconds * (0.3 + 0.7 * random.Random(k).random()))
        started.send_signal(signal.SIGKILL)
        started.wait()
        check(tmp_path, old, new, output, content)
    assert start(*words).wait() == 0
    assert output.read_bytes() == new
    if command == "fit":
        load(output)


def test_no_room(tmp_path: Path, labels: str) -> None:
    """Files may not grow beyond a few kilobytes, as on a disk that becomes full."""
    path, output = tmp_path / "a.csv", tmp_path / "out.csv"
    make_table().to_csv(path, index=False)
    output.write_bytes(b"old and dear")
    for words in (["complete", path, labels], ["predict", path, labels]):
        line = " ".join([sys.executable, "-m", "halfseen", *map(str, words), "-o", str(output)])
        limited = f"trap '' XFSZ; ulimit -f 4; JAX_ENABLE_COMPILATION_CACHE=0 {line}"
        done = subprocess.run(["bash", "-c", limited], capture_output=True, check=False)
        assert done.returncode == 3, done.stderr
        assert b"cannot be written" in done.stderr
        assert done.stderr.count(b"\n") == 1
        assert output.read_bytes() == b"old and dear"
        assert {one.name for one in tmp_path.iterdir()} == {"a.csv", "out.csv"}


def test_a_folder_that_may_not_be_written(tmp_path: Path, labels: str) -> None:
    path = tmp_path / "a.csv"
    make_table().to_csv(path, index=False)
    for words in (["complete", path, labels], ["sample", labels]):
        result = invoke(*words, "-o", "/proc/out.csv", code=3)
        assert "/proc/out.csv" in result.stderr
        assert result.stderr.count("\n") == 1
