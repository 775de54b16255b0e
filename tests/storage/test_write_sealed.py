"""What is written is safetensors, the same each time, or nothing."""

import errno
import json
import os
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import safetensors
import safetensors.numpy

from halfseen.storage import write_sealed
from halfseen.storage._storable_array import STORED_DTYPES

ARRAYS = {
    "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "observed": np.array([True, False, True]),
    "bias": np.arange(3.0),
    "temperature": np.array(0.5, dtype=np.float16),
    "nothing": np.zeros((0, 7), dtype=np.int64),
    "größe ✓": np.array([1, 2], dtype=np.uint16),
}


def write(path: Path, **changes: Any) -> None:
    write_sealed(
        path,
        **{"kind": "model", "version": 1, "document": {"n": 3}, "arrays": ARRAYS, **changes},
    )


def test_safetensors_reads_it(tmp_path: Path) -> None:
    write(tmp_path / "a")
    loaded = safetensors.numpy.load_file(tmp_path / "a")
    assert loaded.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert loaded[name].dtype == array.dtype
        np.testing.assert_array_equal(loaded[name], array, strict=True)
    with safetensors.safe_open(tmp_path / "a", "numpy") as file:
        metadata = file.metadata()
    assert (metadata["format"], metadata["kind"], metadata["version"]) == ("halfseen", "model", "1")
    assert json.loads(metadata["document"]) == {"n": 3}


@pytest.mark.parametrize("name", STORED_DTYPES)
def test_safetensors_agrees_on_every_dtype(tmp_path: Path, name: str) -> None:
    array = np.array([0, 1, 1], dtype=STORED_DTYPES[name])
    write(tmp_path / "a", arrays={"x": array})
    loaded = safetensors.numpy.load_file(tmp_path / "a")["x"]
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)


def test_no_arrays_at_all(tmp_path: Path) -> None:
    write(tmp_path / "a", arrays={})
    assert safetensors.numpy.load_file(tmp_path / "a") == {}


def test_same_content_gives_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a", document={"x": 1, "y": [2]})
    rearranged = {name: np.asfortranarray(ARRAYS[name]) for name in reversed(ARRAYS)}
    rearranged["temperature"] = ARRAYS["temperature"].astype(">f2")
    rearranged["nothing"] = ARRAYS["nothing"]
    write(tmp_path / "b", document={"y": (2,), "x": 1}, arrays=rearranged)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_arrays_are_aligned(tmp_path: Path) -> None:
    write(tmp_path / "a")
    assert int.from_bytes((tmp_path / "a").read_bytes()[:8], "little") % 8 == 0


@pytest.mark.parametrize(
    ("changes", "error", "complaint"),
    [
        ({"kind": ""}, ValueError, "kind is ''"),
        ({"kind": "\ud800"}, ValueError, "kind is"),
        ({"kind": 3}, TypeError, "kind must be a string"),
        ({"version": 0}, ValueError, "version is 0"),
        ({"version": 10**9}, ValueError, "version is 1000000000"),
        ({"version": True}, TypeError, "version must be an integer, not bool"),
        ({"version": "1"}, TypeError, "version must be an integer, not str"),
        ({"document": {"x": float("nan")}}, ValueError, r"document\['x'\] is nan"),
        ({"document": {"x": object()}}, TypeError, r"document\['x'\] is of type object"),
        ({"arrays": {"x": np.array([None])}}, TypeError, "array 'x' has dtype object"),
        ({"arrays": {"__metadata__": np.zeros(1)}}, ValueError, "cannot be named '__metadata__'"),
        ({"arrays": {"\udc80": np.zeros(1)}}, ValueError, "cannot be named"),
        ({"arrays": {1: np.zeros(1)}}, TypeError, "array name 1 is of type int"),
    ],
)
def test_refused_before_the_disk_is_touched(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(error, match=complaint):
        write(tmp_path / "a", **changes)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_header_too_long_for_the_reader_is_too_long_for_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halfseen.storage._write_sealed.LARGEST_HEADER", 2000)
    write(tmp_path / "a", document={"x": "y"})
    with pytest.raises(ValueError, match=r"take 2,\d+ bytes, more than 2,000: keep long lists"):
        write(tmp_path / "b", document={"x": "y" * 2000})
    assert os.listdir(tmp_path) == ["a"]


def test_too_many_arrays_for_the_reader_are_too_many_for_the_writer(tmp_path: Path) -> None:
    empty = np.zeros(0)
    with pytest.raises(ValueError, match="30,000 arrays are too many"):
        write(tmp_path / "a", arrays={str(i): empty for i in range(30_000)})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, error: BaseException
) -> None:
    write(tmp_path / "a")
    old = (tmp_path / "a").read_bytes()

    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(os, moment, fail)
    with pytest.raises(type(error)):
        write(tmp_path / "a", version=2)
    monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == old
    assert os.listdir(tmp_path) == ["a"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write(tmp_path / "nowhere" / "a")
