"""A folder of Parquet files on a Dask cluster, some of whose processes are killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halfseen.engines import complete

distributed = pytest.importorskip("distributed")
folder = pytest.importorskip("halfseen.engines.folder")

pytestmark = pytest.mark.filterwarnings("ignore")
N_FILES = 24


@pytest.fixture
def files(table: pd.DataFrame, tmp_path: Path) -> Path:
    """Files of several row groups; one without rows, one without a value, one in another order."""
    place = tmp_path / "in"
    place.mkdir()
    rows = table.reset_index().astype({"colour": "string"})
    whole = pa.Table.from_pandas(rows, preserve_index=False)
    for k in range(N_FILES):
        part = whole.slice(5 * k, 5)
        if k == 3:
            place_of = part.schema.get_field_index("colour")
            part = part.set_column(place_of, "colour", pa.nulls(len(part)))
        if k == 4:
            part = part.select(list(reversed(part.column_names)))
        pq.write_table(part.slice(0, 0 if k == 5 else 5), place / f"{k:02}.parquet", 2)
    return place


@pytest.fixture
def threads() -> Iterator[Any]:
    """A cluster in this process."""
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        yield client


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.glob("*.parquet"))}


def states(place: Path) -> dict[str, tuple[int, int]]:
    """What changes when a file is written again."""
    return {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in place.glob("*.parquet")}


def test_every_file_is_completed_and_listed(
    files: Path, model: Any, model_path: str, tmp_path: Path, threads: Any
) -> None:
    out, seen = tmp_path / "out", []
    pattern = f"{files}/*.parquet"
    done = folder.complete_folder(
        pattern, model_path, str(out), threads, lambda n, total: seen.append((n, total))
    )
    assert (done.n_before, seen[-1]) == (0, (N_FILES, N_FILES))
    for source in sorted(files.glob("*.parquet")):
        rows, found = pq.read_table(source), pq.read_table(out / source.name)
        expected = complete(rows.cast(found.schema), model)
        assert found.equals(expected)
    manifest = json.loads(Path(done.manifest).read_text())
    assert manifest["rows"] == 5 * (N_FILES - 1)
    for record in manifest["files"]:
        content = (out / record["name"]).read_bytes()
        assert record["sha256"] == hashlib.sha256(content).hexdigest()
        assert record["rows"] == pq.read_metadata(out / record["name"]).num_rows
    # Again: only what has changed or is gone is made.
    before = states(out)
    (out / "07.parquet").unlink()
    shutil.copy(files / "08.parquet", files / "09.parquet")
    done = folder.complete_folder(pattern, model_path, str(out), threads)
    assert done.n_before == N_FILES - 2
    changed = {name for name, state in states(out).items() if state != before[name]}
    assert changed == {"07.parquet", "09.parquet"}
    assert (out / "09.parquet").read_bytes() == (out / "08.parquet").read_bytes()


def test_what_cannot_be_completed_is_refused(
    files: Path, model: Any, model_path: str, tmp_path: Path, threads: Any
) -> None:
    run, out = folder.complete_folder, str(tmp_path / "out")
    with pytest.raises(folder.FolderError, match="No file fits"):
        run(f"{files}/*.pq", model_path, out, threads)
    run(f"{files}/0*.parquet", model_path, out, threads)
    other = tmp_path / "other.safetensors"
    model.set_params(random_state=1).save(other)
    model.set_params(random_state=0)
    with pytest.raises(folder.FolderError, match="another model completed"):
        run(f"{files}/0*.parquet", str(other), out, threads)
    (files / "99.parquet").write_bytes(b"PAR1")
    with pytest.raises(folder.FolderError, match=r"99\.parquet"):
        run(f"{files}/*.parquet", model_path, out, threads)


def test_object_stores(files: Path, model_path: str, tmp_path: Path, threads: Any) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.put(f"{files}/0*.parquet", "/in/")
    expected = folder.complete_folder(f"{files}/0*.parquet", model_path, f"{tmp_path}/out", threads)
    for n_before in (0, 10):
        done = folder.complete_folder("memory://in/*.parquet", model_path, "memory://out", threads)
        assert done.n_before == n_before
    assert [one.sha256 for one in done.records] == [one.sha256 for one in expected.records]
    assert store.cat("/out/07.parquet") == (tmp_path / "out" / "07.parquet").read_bytes()
    assert done.manifest == "memory://out/_manifest.json"


@pytest.mark.engines
def test_a_killed_worker(files: Path, model_path: str, tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    pattern = f"{files}/*.parquet"
    with folder.local_or_remote(None, 2) as client:
        folder.complete_folder(pattern, model_path, str(whole), client)
        killed = []

        def kill(done: int, _: int) -> None:
            if done in (3, 9):
                pids = list(client.run(os.getpid).values())
                killed.append(pids[done % len(pids)])
                os.kill(killed[-1], signal.SIGKILL)

        done = folder.complete_folder(pattern, model_path, str(out), client, kill)
    assert len(killed) == 2
    assert len(done.records) == N_FILES
    assert contents(out) == contents(whole)
    assert not list(out.rglob(".part-*"))


@pytest.mark.engines
def test_a_killed_client(files: Path, model_path: str, tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    command = [sys.executable, "-m", "halfseen", "complete", f"{files}/*.parquet", model_path,
               "--engine", "dask", "--workers", "2", "-o"]  # fmt: skip
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    # A session of its own, so that the workers can be ended with it.
    client = subprocess.Popen([*command, str(out)], start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    records, end = out / "_records", time.monotonic() + 120
    while len(list(records.glob("*.json"))) < 3 and time.monotonic() < end:
        time.sleep(0.005)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    time.sleep(2)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(client.pid, signal.SIGKILL)
    finished = {path.name.removesuffix(".json") for path in records.glob("*.json")}
    before = {name: state for name, state in states(out).items() if name in finished}
    assert len(before) >= 3
    subprocess.run([*command, str(out)], check=True, capture_output=True)
    assert contents(out) == contents(whole)
    after = states(out)
    assert {name: after[name] for name in before} == before
    assert (
        json.loads((out / "_manifest.json").read_text())["files"]
        == (json.loads((whole / "_manifest.json").read_text())["files"])
    )
