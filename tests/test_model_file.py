"""What is written comes back, and every other file is refused with its name and a remedy."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import pickle
import stat
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pydantic import BaseModel

from halfseen.model_file import (
    FORMAT_VERSION,
    ModelFileError,
    read_model_file,
    replace_atomically,
    write_model_file,
)

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
ANY_ARRAYS = st.dictionaries(
    st.text(max_size=8).filter(lambda name: name != "__metadata__"),
    DTYPES.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))),
    max_size=5,
)
SCALARS = st.none() | st.booleans() | st.integers() | st.text()
ANY_VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs modes, links and pipes")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a"
    write_model_file(path, "model", DOCUMENT, ARRAYS)
    return path.read_bytes()


def read_bytes(content, kind=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(content)
        return read_model_file(path, kind=kind)


def split(content):
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def join(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def forged(document, **changes):
    """A file without arrays, with any text as document and, but for the changes, a valid digest."""
    version = changes.get("version", FORMAT_VERSION)
    digest = hashlib.sha256(f'["model",{version},{document},[]]'.encode()).hexdigest()
    parts = {"kind": "model", "version": version, "sha256": digest} | changes
    text = json.dumps(parts)[:-1] + f', "document": {document}}}'
    return join({"__metadata__": {"halfseen": text}})


def assert_refused_or_right(content):
    try:
        found = read_bytes(content)
    except ModelFileError:
        return
    assert (found.kind, found.document) == ("model", DOCUMENT)
    assert found.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found.arrays[name], array, strict=True)


@settings(deadline=None)
@given(ANY_ARRAYS, st.dictionaries(st.text(max_size=5), ANY_VALUES), st.text(min_size=1))
def test_round_trip(arrays, document, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        write_model_file(path, kind, document, arrays)
        found = read_model_file(path, kind=kind)
        first = path.read_bytes()
        write_model_file(path, kind, found.document, dict(reversed(found.arrays.items())))
        assert path.read_bytes() == first
    assert (found.kind, found.document) == (kind, document)
    assert found.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        again = found.arrays[name]
        assert (again.dtype, again.shape) == (array.dtype.newbyteorder("="), array.shape)
        assert again.tobytes() == array.astype(again.dtype).tobytes()
        assert again.flags.writeable
        assert again.flags.c_contiguous


def test_every_length_of_the_header_is_read(tmp_path):
    """The length comes first: 0x0280 is 640, and a pickle begins with 0x80 0x02."""
    starts = set()
    for n in range(0, 1300, 8):
        write_model_file(tmp_path / "a", "model", {"text": "x" * n}, {})
        starts.add((tmp_path / "a").read_bytes()[:2])
        assert read_model_file(tmp_path / "a").document == {"text": "x" * n}
    assert starts > {bytes([0x80, protocol]) for protocol in range(2, 6)}


def test_strides_and_byte_order_do_not_matter(tmp_path, whole):
    other = {n: np.asfortranarray(a).astype(a.dtype.newbyteorder(">")) for n, a in ARRAYS.items()}
    other["temperature"] = other["temperature"].reshape(())
    other["bias"] = np.repeat(ARRAYS["bias"], 2)[::2]
    other["observed"] = (ARRAYS["observed"] * np.uint8(7)).view(bool)
    write_model_file(tmp_path / "a", "model", dict(reversed(DOCUMENT.items())), other)
    assert (tmp_path / "a").read_bytes() == whole


def test_a_change_of_a_loaded_array_stays_in_memory(tmp_path, whole):
    (tmp_path / "a").write_bytes(whole)
    read_model_file(tmp_path / "a").arrays["bias"][:] = 7
    assert (tmp_path / "a").read_bytes() == whole


class Settings(BaseModel):
    rate: float
    shape: tuple[int, int]


def test_a_pydantic_model_is_a_document(tmp_path):
    write_model_file(tmp_path / "a", "model", Settings(rate=0.1, shape=(2, 3)), {})
    document = read_model_file(tmp_path / "a").document
    assert Settings.model_validate(document) == Settings(rate=0.1, shape=(2, 3))


@pytest.mark.parametrize(
    ("kind", "document", "arrays", "complaint"),
    [
        ("", {}, {}, "kind must be"),
        ("model", {"x": float("nan")}, {}, "not JSON compliant"),
        ("model", Settings(rate=float("inf"), shape=(1, 1)), {}, "not JSON compliant"),
        ("model", {"x": [object()]}, {}, r"x\.list\.0"),
        ("model", {"x": {1: 2}}, {}, "valid string"),
        ("model", {"x": "y" * 2**24}, {}, "store long lists of numbers as arrays"),
        ("model", {}, {"__metadata__": np.zeros(1)}, "cannot be named"),
        ("model", {}, {"\udc80": np.zeros(1)}, "surrogates"),
        ("model", {}, {"x": [1.0]}, "'x' is a list"),
        ("model", {}, {"x": np.ma.masked_array([1.0])}, "'x' is a MaskedArray"),
        *(
            ("model", {}, {"x": np.zeros(2, dtype)}, "'x' has dtype")
            for dtype in ("O", "U3", "S3", "c16", "M8[s]", "m8[s]", "V4", "g")
        ),
    ],
)
def test_what_cannot_be_stored_is_refused(tmp_path, kind, document, arrays, complaint):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises((TypeError, ValueError), match=complaint):
        write_model_file(tmp_path / "a", kind, document, arrays)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "y")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "it is empty"),
        (b"abc", "only 3 bytes"),
        (b"\x10\0\0\0\0\0\0\0", "claims 16 bytes, the file has 8"),
        (b"\x10\0\0\0\0\0\0\0{}", "claims 16 bytes, the file has 10"),
        (b"\xff" * 8 + b"{}", "claims 18,446,744,073,709,551,615 bytes"),
        (b"age,income\n1,2\n", "not a safetensors file"),
        (b"\0" * 100, "not a safetensors file"),
        (gzip.compress(b"x" * 100), "gzip"),
        (zipped(), "zip archive"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "HDF5"),
        (b"\x93NUMPY\x01\0" + b"\0" * 100, "numpy"),
        *((pickle.dumps([1], protocol), "pickle") for protocol in range(2, 6)),
        (join({}), "of another program"),
        (safetensors.numpy.save({"x": np.zeros(2)}, {"format": "pt"}), "of another program"),
        (safetensors.numpy.save({"x": np.zeros(2)}, {"halfseen": "{}", "a": ""}), "of another"),
        (join(b"{\xff"), "is damaged"),
        (join(b'{"a":' * 10_000), "is damaged"),
        (join({}, b"garbage"), "is damaged"),
    ],
)
def test_other_files_are_named_with_a_remedy(tmp_path, content, complaint):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(ModelFileError, match=complaint) as caught:
        read_model_file(tmp_path / "a")
    assert str(tmp_path / "a") in str(caught.value)
    assert "): " in str(caught.value)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_never_executed(protocol):
    content = pickle.dumps(Trap(), protocol)
    entry = {"dtype": "O", "shape": [1], "data_offsets": [0, len(content)]}
    for hostile in (content, join({"x": entry}, content)):
        with pytest.raises(ModelFileError):
            read_bytes(hostile)


def test_absent_files_and_folders(tmp_path):
    for absent in (tmp_path / "nothing", Path(__file__) / "a"):
        with pytest.raises(FileNotFoundError, match="there is no file") as caught:
            read_model_file(absent)
        assert isinstance(caught.value, ModelFileError)
    with pytest.raises(ModelFileError, match="is a folder: name a file in it"):
        read_model_file(tmp_path)


@needs_posix
def test_pipes_and_devices_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ModelFileError, match="device or a pipe"):
            read_model_file(path)
    with pytest.raises(OSError, match="name a regular file"):
        write_model_file(tmp_path / "pipe", "model", {}, {})
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize(
    ("document", "changes", "complaint"),
    [
        ("{}", {"version": FORMAT_VERSION + 1, "added": 1}, "made by a newer halfseen.*upgrade"),
        *(("{}", {"version": v}, "format version") for v in (0, 1.0, True, "1", 10**400)),
        ("{}", {"kind": "modem"}, "does not match its digest"),
        ("{}", {"kind": None}, "kind is not a string"),
        ("{}", {"sha256": "é"}, "does not match its digest"),
        ("{}", {"sha256": None}, "does not match its digest"),
        ("{}", {"added": 1}, "other keys"),
        ("[]", {}, "is damaged"),
        ("null", {}, "is damaged"),
        ('{"a":NaN}', {}, "not JSON compliant"),
        ('{"a":1e999}', {}, "not JSON compliant"),
        ('{"a":1,"a":1}', {}, "key twice"),
        ('{"a":' * 500 + "1" + "}" * 500, {}, "is damaged"),
        ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", {}, "nested too deeply"),
        ('{"a":' + "9" * 100_000 + "}", {}, "is damaged"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_forged_headers(document, changes, complaint):
    assert read_bytes(forged("{}")).document == {}
    with pytest.raises(ModelFileError, match=complaint):
        read_bytes(forged(document, **changes))


def test_another_kind(whole):
    assert read_bytes(whole, kind="model").kind == "model"
    with pytest.raises(ModelFileError, match="of kind 'model', not 'checkpoint'"):
        read_bytes(whole, kind="checkpoint")


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.update(weights=h["twin"]),  # overlapping
        lambda h: h.update(weights=h["twin"], twin=h["weights"]),  # exchanged
        lambda h: h.update(twim=h.pop("twin")),
        lambda h: h.update(more=h["nothing"]),
        lambda h: h.pop("bias"),
        lambda h: h.pop("__metadata__"),
        *(
            lambda h, name=name, entry=entry: h[name].update(entry)
            for name, entry in [
                ("weights", {"shape": [8, 6]}),
                ("weights", {"shape": [2**32, 2**32]}),
                ("weights", {"dtype": "I32"}),
                ("weights", {"dtype": "O"}),
                ("counts", {"dtype": "BF16"}),
                ("bias", {"dtype": "C64"}),
                ("bias", {"shape": [-8]}),
                ("bias", {"shape": None}),
                ("observed", {"dtype": "F8_E4M3"}),
                ("nothing", {"shape": [0, 4]}),
                ("nothing", {"shape": [2**62, 0]}),
                ("nothing", {"shape": [0] + [1] * 70}),
            ]
        ),
        *(
            lambda h, v=v, i=i: h["bias"]["data_offsets"].__setitem__(i, v)
            for v in (-1, 0, 1, 2**63, 2**64, 1.5, None, "8")
            for i in (0, 1)
        ),
    ],
)
def test_forged_layouts(whole, change):
    header, data = split(whole)
    assert_refused_or_right(join(header, data))
    before = json.dumps(header)
    change(header)
    if json.dumps(header) != before:
        with pytest.raises(ModelFileError):
            read_bytes(join(header, data))


def test_a_boolean_is_0_or_1(whole):
    header, data = split(whole)
    begin = header["observed"]["data_offsets"][0]
    with pytest.raises(ModelFileError, match="neither 0 nor 1"):
        read_bytes(join(header, data[:begin] + b"\2" + data[begin + 1 :]))


def test_a_key_that_occurs_twice_hides_nothing(whole):
    header, data = split(whole)
    for name in ("bias", "__metadata__"):
        other = dict(header[name], shape=[4], halfseen="{}")
        doubled = json.dumps(header)[:-1] + f', "{name}": {json.dumps(other)}}}'
        with pytest.raises(ModelFileError):
            read_bytes(join(doubled.encode(), data))


def test_every_truncation_and_every_flipped_byte(tmp_path):
    path = tmp_path / "a"
    arrays = {"x": np.arange(4, dtype=np.int16), "y": np.array([True, False])}
    write_model_file(path, "model", {"a": 1}, arrays)
    content = path.read_bytes()
    for position in range(len(content)):
        flipped = bytearray(content)
        flipped[position] ^= 0x01
        for damaged in (content[:position], bytes(flipped)):
            path.write_bytes(damaged)
            with pytest.raises(ModelFileError):
                read_model_file(path)


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


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), MemoryError()], ids=repr
)
@pytest.mark.parametrize("moment", ["os.fsync", "os.replace", "pathlib.Path.write_bytes"])
def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, moment, error):
    (tmp_path / "a").write_bytes(b"old")
    names = []

    def fail(*_):
        names.append(os.listdir(tmp_path))
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(moment, fail)
        with pytest.raises(type(error)):
            write_model_file(tmp_path / "a", "model", DOCUMENT, ARRAYS)
    assert len(names[0]) == 2, "the failure came while the temporary file was there"
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_folders_that_cannot_be_written_to_are_named(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    for path, error in [
        (tmp_path / "nowhere" / "a", FileNotFoundError),
        (tmp_path / "file" / "a", NotADirectoryError),
        (tmp_path, IsADirectoryError),
    ]:
        with pytest.raises(error) as caught, replace_atomically(path):
            pass
        assert caught.value.filename == str(path)

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied", "temporary")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError, match=r"b'$"), replace_atomically(tmp_path / "b"):
        pass
    assert os.listdir(tmp_path) == ["file"]


@needs_posix
def test_links_and_permissions_stay(tmp_path):
    (tmp_path / "real.csv").write_bytes(b"old")
    (tmp_path / "real.csv").chmod(0o640)
    (tmp_path / "link").symlink_to("real.csv")
    with replace_atomically(tmp_path / "link") as part:
        assert (part.parent, part.suffix) == (tmp_path, ".csv")
        part.write_bytes(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real.csv").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640
    (tmp_path / "usual").touch()
    with replace_atomically(tmp_path / "created"):
        pass
    assert (tmp_path / "created").stat().st_mode == (tmp_path / "usual").stat().st_mode
