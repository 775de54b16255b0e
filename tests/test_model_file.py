"""What is written comes back, and every other file is refused with its name and a remedy."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import pickle
import stat
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pydantic import BaseModel

from halfseen.atomic import replace_atomically
from halfseen.model_file import FORMAT_VERSION, ModelFileError
from halfseen.model_file import read_model_file as read
from halfseen.model_file import write_model_file as write

DOCUMENT = {"columns": [{"name": "größe", "n": 3}, {"name": "b", "n": 0.5}], "seed": 2**64}
ARRAYS = {
    "weights": np.arange(48, dtype=np.float32).reshape(6, 8),
    "twin": np.arange(48, dtype=np.float32).reshape(6, 8)[::-1],
    "bias": np.linspace(0, 1, 8),
    "observed": np.arange(20) % 3 == 0,
    "counts": np.arange(5, dtype=np.uint16),
    "temperature": np.array(0.5, dtype=np.float16),
    "nothing": np.zeros((0, 3), dtype=np.int64),
}
DTYPES = st.sampled_from(["?", "i1", "<i2", ">i4", "i8", "u1", ">u8", "<f2", ">f4", "<f8", ">f8"])
SHAPES = hnp.array_shapes(min_dims=0, min_side=0, max_side=4)
NAMES = st.text(max_size=8).filter(lambda name: name != "__metadata__")
ANY_ARRAYS = st.dictionaries(NAMES, DTYPES.flatmap(lambda d: hnp.arrays(d, SHAPES)), max_size=5)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
ANY_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
)
OTHER_DTYPES = ["O", "U3", "S3", "c16", "M8[s]", "m8[s]", "V4", "g"]
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs modes, links and pipes")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a"
    write(path, "model", DOCUMENT, ARRAYS)
    return path.read_bytes()


def read_bytes(content, kind=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(content)
        return read(path, kind=kind)


def join(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def forged(document, **changes):
    """A file without arrays, with any text as document and, but for the changes, a valid digest."""
    version = changes.get("version", FORMAT_VERSION)
    digest = hashlib.sha256(f'["model",{version},{document},[]]'.encode()).hexdigest()
    parts = {"kind": "model", "sha256": digest, "version": version} | changes
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return join({"__metadata__": {"halfseen": f'{{"document":{document},{text[1:]}'}})


def assert_holds(found, kind, document, arrays):
    assert (found.kind, found.document, found.arrays.keys()) == (kind, document, arrays.keys())
    for name, array in arrays.items():
        again, native = found.arrays[name], array.astype(array.dtype.newbyteorder("="))
        assert (again.dtype, again.shape) == (native.dtype, native.shape)
        assert again.tobytes() == native.tobytes()
        assert again.flags.writeable
        assert again.flags.c_contiguous


def assert_refused_or_right(content):
    try:
        found = read_bytes(content)
    except ModelFileError:
        return
    assert_holds(found, "model", DOCUMENT, ARRAYS)


@settings(deadline=None)
@given(ANY_ARRAYS, st.dictionaries(st.text(max_size=5), ANY_VALUES), st.text(min_size=1))
def test_round_trip(arrays, document, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        write(path, kind, document, arrays)
        found, first = read(path, kind=kind), path.read_bytes()
        write(path, kind, found.document, dict(reversed(found.arrays.items())))
        assert path.read_bytes() == first
    assert_holds(found, kind, document, arrays)


def test_every_length_of_the_header_is_read(path):
    """The length comes first: 640 is 0x0280, and a pickle begins with 0x80 0x02."""
    starts = set()
    for n in range(0, 1300, 8):
        write(path, "model", {"text": "x" * n}, {})
        starts.add(path.read_bytes()[:2])
        assert read(path).document == {"text": "x" * n}
    assert starts > {bytes([0x80, protocol]) for protocol in range(2, 6)}


def test_strides_and_byte_order_do_not_matter_and_the_kind_does(path, whole):
    other = {n: np.asfortranarray(a).astype(a.dtype.newbyteorder(">")) for n, a in ARRAYS.items()}
    other["temperature"] = other["temperature"].reshape(())
    other["bias"] = np.repeat(ARRAYS["bias"], 2)[::2]
    other["observed"] = (ARRAYS["observed"] * np.uint8(7)).view(bool)
    write(path, "model", dict(reversed(DOCUMENT.items())), other)
    assert path.read_bytes() == whole
    read(path, kind="model").arrays["bias"][:] = 7  # stays in memory
    assert path.read_bytes() == whole
    with pytest.raises(ModelFileError, match="of kind 'model', not 'checkpoint'"):
        read(path, kind="checkpoint")


class Settings(BaseModel):
    rate: float
    shape: tuple[int, int]


def test_a_pydantic_model_is_a_document(path):
    write(path, "model", Settings(rate=0.1, shape=(2, 3)), {})
    assert Settings.model_validate(read(path).document) == Settings(rate=0.1, shape=(2, 3))


@pytest.mark.parametrize(
    ("document", "arrays", "complaint"),
    [
        ({"x": float("nan")}, {}, "not JSON compliant"),
        (Settings(rate=float("inf"), shape=(1, 1)), {}, "not JSON compliant"),
        ({"x": [object()]}, {}, r"x\.list\.0"),
        ({"x": {1: 2}}, {}, "valid string"),
        ({"x": "y" * 2**24}, {}, "store long lists of numbers as arrays"),
        ({}, {"__metadata__": np.zeros(1)}, "cannot be named"),
        ({}, {"\udc80": np.zeros(1)}, "surrogates"),
        ({}, {"x": [1.0]}, "'x' is a list"),
        ({}, {"x": np.ma.masked_array([1.0])}, "'x' is a MaskedArray"),
        *(({}, {"x": np.zeros(2, d)}, "'x' has dtype") for d in OTHER_DTYPES),
    ],
)
def test_what_cannot_be_stored_is_refused(path, document, arrays, complaint):
    path.write_bytes(b"old")
    with pytest.raises((TypeError, ValueError), match=complaint):
        write(path, "model", document, arrays)
    with pytest.raises(ValueError, match="kind"):
        write(path, "", {}, {})
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["a"]


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


PICKLES = [pickle.dumps(Trap(), protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
PICKLED = {"x": {"dtype": "O", "shape": [1], "data_offsets": [0, len(PICKLES[-1])]}}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file has 0"),
        (b"abc", "the file has 3"),
        (b"\x10\0\0\0\0\0\0\0", "claims 16 bytes, the file has 8"),
        (b"\x10\0\0\0\0\0\0\0{}", "claims 16 bytes, the file has 10"),
        (b"\xff" * 8 + b"{}", "claims 18,446,744,073,709,551,615 bytes"),
        (gzip.compress(b"x" * 100, mtime=0), "gzip"),
        (b"PK\x03\x04" + b"\0" * 100, "zip archive"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "HDF5"),
        (b"\x93NUMPY\x01\0" + b"\0" * 100, "numpy"),
        *((c, "not a safetensors file") for c in (b"age,income\n1,2\n", b"\0" * 99, *PICKLES[:2])),
        *((content, "pickle, which halfseen never opens") for content in PICKLES[2:]),
        (join(PICKLED, PICKLES[-1]), "is damaged"),
        (join({}), "of another program"),
        (safetensors.numpy.save({"x": np.zeros(2)}, {"format": "pt"}), "of another program"),
        (safetensors.numpy.save({"x": np.zeros(2)}, {"halfseen": "{}", "a": ""}), "of another"),
        *((c, "is damaged") for c in (join(b"{\xff"), join(b'{"a":' * 10_000), join({}, b"x"))),
    ],
)
def test_other_files_are_named_with_a_remedy(path, content, complaint):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=complaint) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "): " in str(caught.value)


def test_absent_files_and_folders(path, monkeypatch):
    path.touch()
    nowhere, folder = path.parent / "nowhere" / "a", path.parent
    for absent, error in ((nowhere, FileNotFoundError), (path / "a", NotADirectoryError)):
        with pytest.raises(ModelFileError, match="there is no file") as caught:
            read(absent)
        assert isinstance(caught.value, FileNotFoundError)
        with pytest.raises(error, match=str(absent)), replace_atomically(absent):
            pass
    with pytest.raises(ModelFileError, match="is a folder: name a file in it"):
        read(folder)
    with pytest.raises(IsADirectoryError, match=str(folder)), replace_atomically(folder):
        pass
    refusal = PermissionError(errno.EACCES, "Permission denied", "temporary")
    monkeypatch.setattr(Path, "open", Mock(side_effect=refusal))
    with pytest.raises(PermissionError, match=r"b'$"), replace_atomically(folder / "b"):
        pass
    assert os.listdir(folder) == ["a"]


@needs_posix
def test_pipes_and_devices_are_not_opened(path):
    os.mkfifo(path)
    for special in (path, Path("/dev/zero")):
        with pytest.raises(ModelFileError, match="device or a pipe"):
            read(special)
    with pytest.raises(OSError, match="name a regular file"):
        write(path, "model", {}, {})
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize(
    ("document", "changes", "complaint"),
    [
        ("{}", {"version": FORMAT_VERSION + 1, "added": 1}, "made by a newer halfseen.*upgrade"),
        *(("{}", {"version": v}, "is damaged") for v in (0, 1.0, True, "1", 10**400)),
        *(("{}", {"sha256": d}, "does not match its digest") for d in ("é", "0" * 64)),
        ("{}", {"kind": "modem"}, "does not match its digest"),
        *(("{}", change, "is damaged") for change in ({"kind": None}, {"sha256": None}, {"a": 1})),
        *((text, {}, "is damaged") for text in ("[]", "null", '{"a":' * 500 + "1" + "}" * 500)),
        *((f'{{"a":{n}}}', {}, "not JSON compliant") for n in ("NaN", "-Infinity", "1e999")),
        *((text, {}, "as halfseen writes") for text in ('{"a":1,"a":1}', '{"a": 1}', '{"a":1e0}')),
        ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", {}, "recursion depth"),
        ('{"a":' + "9" * 100_000 + "}", {}, "is damaged"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_forged_headers(document, changes, complaint):
    assert read_bytes(forged("{}")).document == {}
    with pytest.raises(ModelFileError, match=complaint):
        read_bytes(forged(document, **changes))


def test_forged_layouts_doubled_keys_and_booleans(whole):
    end = 8 + int.from_bytes(whole[:8], "little")
    header, data = json.loads(whole[8:end]), whole[end:]
    assert_refused_or_right(join(header, data))
    weights, twin, nothing = header["weights"], header["twin"], header["nothing"]
    layouts = [header | {"weights": twin}, header | {"weights": twin, "twin": weights}]
    layouts.append(header | {"more": nothing})
    for name, entry in header.items():
        rest = {other: header[other] for other in header.keys() - {name}}
        layouts += [rest, rest | {"renamed": entry}]
        begin, end = entry.get("data_offsets", (0, 0))
        wrong = [-1, begin + 1, 2**63, 2**64, 1.5, None, "8"]
        changes = {
            "dtype": ["I32", "O", "BF16", "C64", "F8_E4M3", None],
            "shape": [[8, 7], [2**32, 2**32], [-8], None, [0, 4], [2**62, 0], [0] + [1] * 70],
            "data_offsets": [[w, end] for w in wrong] + [[begin, w] for w in wrong],
        }
        for key, values in changes.items():
            layouts += [rest | {name: entry | {key: value}} for value in values]
    for layout in layouts:
        with pytest.raises(ModelFileError):
            read_bytes(join(layout, data))
    for name in ("bias", "__metadata__"):
        other = dict(header[name], shape=[4], halfseen="{}")
        doubled = json.dumps(header)[:-1] + f', "{name}": {json.dumps(other)}}}'
        with pytest.raises(ModelFileError):
            read_bytes(join(doubled.encode(), data))
    begin = header["observed"]["data_offsets"][0]
    with pytest.raises(ModelFileError, match="does not match its digest"):
        read_bytes(join(header, data[:begin] + b"\2" + data[begin + 1 :]))


def test_every_truncation_and_every_flipped_byte(path):
    write(path, "model", {"a": 1}, {"x": np.arange(4, dtype=np.int16), "y": np.ones(2, bool)})
    content = path.read_bytes()
    for position in range(len(content)):
        flipped = bytearray(content)
        flipped[position] ^= 0x01
        for damaged in (content[:position], flipped):
            path.write_bytes(damaged)
            with pytest.raises(ModelFileError):
                read(path)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_random_damage_is_refused_or_harmless(whole, data):
    position = st.integers(0, len(whole))
    first, second = sorted((data.draw(position), data.draw(position)))
    # Bytes with a meaning in JSON get further than random ones.
    filling = data.draw(st.binary(max_size=40) | st.text('{}[]",:01-e\\u ').map(str.encode))
    assert_refused_or_right(whole[:first] + filling + whole[second:])
    assert_refused_or_right(whole[:second] + filling + whole[first:])
    length = data.draw(st.integers(0, 2**64 - 1))
    assert_refused_or_right(length.to_bytes(8, "little") + whole[8:])


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("moment", ["os.fsync", "os.replace", "pathlib.Path.write_bytes"])
def test_a_failed_write_leaves_the_old_file(path, monkeypatch, moment, error):
    path.write_bytes(b"old")
    names = []

    def fail(*_):
        names.append(os.listdir(path.parent))
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(moment, fail)
        with pytest.raises(type(error)):
            write(path, "model", DOCUMENT, ARRAYS)
    assert len(names[0]) == 2, "the failure came while the temporary file was there"
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["a"]


@needs_posix
def test_links_and_permissions_stay(tmp_path):
    real, link, usual, created = (tmp_path / name for name in ("r.csv", "link", "usual", "created"))
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to("r.csv")
    with replace_atomically(link) as part:
        assert (part.parent, part.suffix) == (tmp_path, ".csv")
        part.write_bytes(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    usual.touch()
    with replace_atomically(created):
        pass
    assert created.stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(sys.platform == "win32", reason="parts are locked on POSIX systems only")
def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    """But neither what a living process writes, nor what is not ours."""
    old = time.time() - 3600
    stray, new, other = (
        tmp_path / name for name in (f".part-{'a' * 16}.csv", f".part-{'b' * 16}", ".part-mine.csv")
    )
    for path in (stray, new, other):
        path.write_text("half")
    for path in (stray, other):
        os.utime(path, (old, old))
    with replace_atomically(tmp_path / "held.csv") as held:
        os.utime(held, (old, old))
        with replace_atomically(tmp_path / "b.csv"):
            assert held.exists()
    assert {path.name for path in tmp_path.iterdir()} == {
        new.name, other.name, "held.csv", "b.csv",
    }  # fmt: skip
