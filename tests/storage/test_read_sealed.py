"""What was written comes back, and all else is refused in the right words."""

import gzip
import json
import os
import pickle
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfseen.storage import (
    DamagedFile,
    NewerFile,
    NotOurFile,
    Sealed,
    SealError,
    WrongKind,
    read_sealed,
    write_sealed,
)
from halfseen.storage._seal_digest import seal_digest
from halfseen.storage._storable_array import STORED_DTYPES

DTYPES = st.sampled_from(
    [*STORED_DTYPES.values(), *(dtype.newbyteorder(">") for dtype in STORED_DTYPES.values())]
)
ARRAYS = st.dictionaries(
    st.text(max_size=8).filter(lambda name: name != "__metadata__"),
    DTYPES.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))),
    max_size=5,
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def read(path: Path) -> Sealed:
    return read_sealed(path, kind="model", newest_version=3)


def forge(path: Path, sealed_document: str, **changes: Any) -> None:
    """Write a file without arrays that halfseen would not write; sealed, but for the changes."""
    metadata = {
        "format": "halfseen",
        "kind": "model",
        "version": "1",
        "document": sealed_document,
        "sha256": seal_digest("model", 1, sealed_document, {}),
        **changes,
    }
    header = json.dumps({"__metadata__": metadata}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)


@settings(deadline=None)
@given(
    ARRAYS,
    st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    st.text(min_size=1),
    st.integers(1, 10**9 - 1),
)
def test_round_trip(
    arrays: dict[str, np.ndarray], document: dict[str, Any], kind: str, version: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a")
        write_sealed(path, kind=kind, version=version, document=document, arrays=arrays)
        sealed = read_sealed(path, kind=kind, newest_version=version)
    assert sealed.version == version
    assert sealed.document == document
    assert list(sealed.arrays) == sorted(arrays)
    for name, array in arrays.items():
        found = sealed.arrays[name]
        assert found.dtype == array.dtype.newbyteorder("=")
        assert found.dtype.isnative
        assert found.shape == array.shape
        assert found.tobytes() == array.astype(found.dtype).tobytes()
        assert found.flags.writeable
        assert found.flags.c_contiguous


def test_non_contiguous_arrays_come_back(tmp_path: Path) -> None:
    base = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    arrays = {"t": base.T, "s": base[::-1, ::2, 1:], "b": np.broadcast_to(base[0, 0], (3, 5))}
    write_sealed(tmp_path / "a", kind="model", version=1, document={}, arrays=arrays)
    for name, found in read(tmp_path / "a").arrays.items():
        np.testing.assert_array_equal(found, arrays[name], strict=True)


def test_arrays_are_the_callers_own(tmp_path: Path) -> None:
    arrays = {"x": np.zeros(3)}
    write_sealed(tmp_path / "a", kind="model", version=1, document={}, arrays=arrays)
    before = (tmp_path / "a").read_bytes()
    first = read(tmp_path / "a").arrays["x"]
    first += 1
    assert read(tmp_path / "a").arrays["x"].tolist() == [0, 0, 0]
    assert (tmp_path / "a").read_bytes() == before


def test_older_versions_are_read(tmp_path: Path) -> None:
    for version in (1, 2, 3):
        write_sealed(tmp_path / "a", kind="model", version=version, document={}, arrays={})
        assert read(tmp_path / "a").version == version


def test_what_safetensors_rewrites_is_still_sealed(tmp_path: Path) -> None:
    arrays = {"x": np.arange(3.0), "y": np.array([True]), "z": np.zeros((0, 2), np.int8)}
    write_sealed(tmp_path / "a", kind="model", version=1, document={"n": 1}, arrays=arrays)
    with safetensors.safe_open(tmp_path / "a", "numpy") as file:
        metadata = file.metadata()
    safetensors.numpy.save_file(arrays, tmp_path / "b", metadata)
    sealed = read(tmp_path / "b")
    assert sealed.document == {"n": 1}
    assert sealed.arrays["x"].tolist() == [0, 1, 2]


def test_newer_is_said_before_the_seal_is_verified(tmp_path: Path) -> None:
    forge(tmp_path / "a", "{}", version="7", sha256="sealed in another way", added="later")
    with pytest.raises(NewerFile, match=r"format 7, this one reads up to 3\): upgrade halfseen"):
        read(tmp_path / "a")


def test_newer_is_said_of_a_dtype_that_came_later(tmp_path: Path) -> None:
    arrays = {"x": np.zeros(2, np.complex64)}
    metadata = {"format": "halfseen", "kind": "model", "version": "4"}
    safetensors.numpy.save_file(arrays, tmp_path / "a", metadata)
    with pytest.raises(NewerFile):
        read(tmp_path / "a")


def test_wrong_kind(tmp_path: Path) -> None:
    # Versions of another kind say nothing about this one: 9 is not "newer".
    for version in (1, 9):
        write_sealed(tmp_path / "a", kind="checkpoint", version=version, document={}, arrays={})
        with pytest.raises(WrongKind, match="of kind 'checkpoint', not 'model'"):
            read(tmp_path / "a")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"version": "0"}, "version is not a number"),
        ({"version": "1.0"}, "version is not a number"),
        ({"version": "٣"}, "version is not a number"),
        ({"version": "1" * 5000}, "version is not a number"),
        ({"version": 1}, "version is not a number"),
        ({"version": "2"}, "does not match its seal"),
        ({"kind": "modem"}, "does not match its seal"),
        ({"kind": None}, "metadata"),
        ({"sha256": ""}, "does not match its seal"),
        ({"sha256": "\ud800é"}, "does not match its seal"),
        ({"sha256": None}, "metadata"),
        ({"document": "[]"}, "does not match its seal"),
        ({"added": "x"}, "metadata"),
    ],
)
def test_altered_metadata(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    forge(tmp_path / "a", "{}")
    assert read(tmp_path / "a").document == {}
    forge(tmp_path / "a", "{}", **changes)
    with pytest.raises(DamagedFile, match=complaint):
        read(tmp_path / "a")


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        "null",
        '{"a":NaN}',
        '{"a":1e999}',
        '{"a":1,"a":2}',
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '{"a":' + "[" * 5000 + "]" * 5000 + "}",
        '{"a":[' + "[]," * 400_000 + "[]]}",
        '{"a":' + "9" * 100_000 + "}",
    ],
    ids=lambda document: document[:12],
)
def test_a_forged_document_under_a_valid_seal(tmp_path: Path, document: str) -> None:
    forge(tmp_path / "a", document)
    with pytest.raises(DamagedFile, match="its document"):
        read(tmp_path / "a")


def test_a_forged_truth_value_under_a_valid_seal(tmp_path: Path) -> None:
    arrays = {"x": np.array([0, 2], np.uint8).view(bool)}
    metadata = {"format": "halfseen", "kind": "model", "version": "1", "document": "{}"}
    metadata["sha256"] = seal_digest("model", 1, "{}", arrays)
    safetensors.numpy.save_file(arrays, tmp_path / "a", metadata)
    with pytest.raises(DamagedFile, match="neither 0 nor 1"):
        read(tmp_path / "a")


def test_a_dtype_that_is_not_ours(tmp_path: Path) -> None:
    metadata = {"format": "halfseen", "kind": "model", "version": "1", "document": "{}"}
    metadata["sha256"] = "0" * 64
    safetensors.numpy.save_file({"x": np.zeros(2, np.complex64)}, tmp_path / "a", metadata)
    with pytest.raises(DamagedFile, match="dtype that halfseen does not write"):
        read(tmp_path / "a")


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"kind": "model"}])
def test_a_foreign_safetensors_file(tmp_path: Path, metadata: dict[str, str] | None) -> None:
    arrays: dict[str, np.ndarray] = {"x": np.zeros(2, np.complex64), "y": np.zeros(3)}
    safetensors.numpy.save_file(arrays, tmp_path / "a", metadata)
    with pytest.raises(NotOurFile, match="safetensors file from elsewhere"):
        read(tmp_path / "a")


class Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.mark,))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_never_executed(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "mark"
    content = pickle.dumps(Trap(mark), protocol)
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(NotOurFile, match="pickle" if protocol >= 2 else "not a halfseen file"):
        read(tmp_path / "a")
    objects = np.array([Trap(mark)], dtype=object)
    np.save(tmp_path / "b.npy", objects, allow_pickle=True)
    with pytest.raises(NotOurFile, match="numpy saved"):
        read(tmp_path / "b.npy")
    header = json.dumps({"x": {"dtype": "O", "shape": [1], "data_offsets": [0, len(content)]}})
    (tmp_path / "c").write_bytes(
        len(header).to_bytes(8, "little") + header.encode() + content,
    )
    with pytest.raises(SealError):
        read(tmp_path / "c")
    assert not mark.exists()
    pickle.loads(content)
    assert mark.exists(), "the trap must work for this test to mean anything"


@pytest.mark.parametrize(
    ("content", "error", "complaint"),
    [
        (b"", DamagedFile, "it is empty"),
        (b"abc", DamagedFile, "only 3 bytes"),
        (b"\x10\0\0\0\0\0\0\0", DamagedFile, "needs 16 bytes of 0"),
        (b"\x10\0\0\0\0\0\0\0{}", DamagedFile, "needs 16 bytes of 2"),
        (b"\xff" * 8 + b"{}", DamagedFile, "claims 18,446,744,073,709,551,615 bytes"),
        (b"\2\0\0\0\0\0\0\0{\xff", DamagedFile, "not UTF-8"),
        (b"\2\0\0\0\0\0\0\0{}", NotOurFile, "from elsewhere"),
        (b"\2\0\0\0\0\0\0\0{}garbage", DamagedFile, "end at byte 0 of 7"),
        (b"age,income\n1,2\n", NotOurFile, "does not begin like one"),
        ("größe\n".encode() * 10, NotOurFile, "does not begin like one"),
        (gzip.compress(b"x" * 100, mtime=0), NotOurFile, "gzip"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, NotOurFile, "HDF5"),
        (b"\0" * 100, NotOurFile, "does not begin like one"),
    ],
)
def test_other_files(
    tmp_path: Path, content: bytes, error: type[SealError], complaint: str
) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(error, match=complaint) as caught:
        read(tmp_path / "a")
    assert str(tmp_path / "a") in str(caught.value)


def test_a_zip_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(NotOurFile, match="zip archive"):
        read(tmp_path / "a")


def test_what_the_system_says_stays(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_a_forbidden_file_stays_forbidden(tmp_path: Path) -> None:
    write_sealed(tmp_path / "a", kind="model", version=1, document={}, arrays={})
    os.chmod(tmp_path / "a", 0)
    if os.access(tmp_path / "a", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(PermissionError):
        read(tmp_path / "a")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotOurFile, match="device or a pipe"):
        read(tmp_path / "pipe")


def test_a_file_that_shrinks_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    arrays = {"x": np.zeros(100_000)}
    write_sealed(path, kind="model", version=1, document={}, arrays=arrays)
    empty = np.empty

    def shrink(*args: Any, **kwargs: Any) -> np.ndarray:
        os.truncate(path, 1000)
        return empty(*args, **kwargs)

    monkeypatch.setattr(np, "empty", shrink)
    with pytest.raises(DamagedFile, match="became shorter"):
        read(path)
