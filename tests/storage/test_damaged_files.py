"""Two thousand damaged files: a clear refusal or exactly the right content, at little cost."""

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halfseen.storage import Sealed, SealError, read_sealed, write_sealed

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
CASES = 250
SLACK = 4 * 2**20

Damage = Callable[[bytes, np.random.Generator], bytes]


def split(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def join(header: Any, data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def flip_bits(content: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(content)
    for position in rng.integers(len(content), size=rng.integers(1, 4)):
        damaged[position] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def replace_bytes_of_header(content: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(content)
    end = 8 + int.from_bytes(content[:8], "little")
    for position in rng.integers(end, size=rng.integers(1, 6)):
        damaged[position] = int(rng.choice(list(b'{}[]",:0129-e\\u\0\xff ')))
    return bytes(damaged)


def truncate_or_extend(content: bytes, rng: np.random.Generator) -> bytes:
    if rng.random() < 0.8:
        return content[: rng.integers(len(content))]
    return content + rng.bytes(int(rng.integers(1, 5000)))


def splice_garbage(content: bytes, rng: np.random.Generator) -> bytes:
    first, second = sorted(int(i) for i in rng.integers(len(content), size=2))
    match rng.integers(4):
        case 0:
            return content[:first] + rng.bytes(int(rng.integers(1, 300))) + content[first:]
        case 1:
            return content[:first] + content[second:]
        case 2:
            return content[:first] + rng.bytes(second - first) + content[second:]
        case _:
            return content[:second] + content[first:]


def claim_a_huge_header(content: bytes, rng: np.random.Generator) -> bytes:
    length = int(rng.integers(0, 2 ** int(rng.integers(1, 63)), endpoint=True))
    return length.to_bytes(8, "little") + content[8:]


def bring_a_hostile_header(content: bytes, rng: np.random.Generator) -> bytes:
    n = int(2 ** rng.uniform(0, 15))
    text = [
        b'{"a":' * n,
        b'{"a":' + b"[" * n + b"]" * n + b"}",
        b'{"a":[' + b"[]," * n + b"[]]}",
        b'{"a":{"dtype":"U8","shape":[' + b"9" * n + b'],"data_offsets":[0,1]}}',
        b'{"a":{"dtype":"U8","shape":[' + b"1," * n + b'1],"data_offsets":[0,1]}}',
        b'{"__metadata__":{"format":"halfseen","version":"' + b"9" * n + b'"}}',
        b'{"a":"' + b'\\"' * n,
        b"{" + b'"a":1,' * n + b'"a":1}',
        b'{"\\ud800":' + b" " * n + b"null}",
    ][int(rng.integers(9))]
    return len(text).to_bytes(8, "little") + text + content[-int(rng.integers(1, 400)) :]


def alter_an_entry(content: bytes, rng: np.random.Generator) -> bytes:
    header, data = split(content)
    entry = header[str(rng.choice(list(ARRAYS)))]
    odd: list[Any] = [0, 1, -1, 3, 1.5, True, None, "8", [], 10**30]
    odd += [2**31, 2**32, 2**62, 2**63, 2**64]
    value = odd[int(rng.integers(len(odd)))]
    match rng.integers(6):
        case 0:
            entry["shape"] = [value]
        case 1:
            entry["shape"] = [*entry["shape"], *[value] * int(rng.integers(1, 50))]
        case 2:
            entry["shape"] = [*entry["shape"][::-1], 1]
        case 3:
            entry["data_offsets"][int(rng.integers(2))] = value
        case 4:
            entry["dtype"] = str(
                rng.choice(["F64", "F32", "I32", "U32", "I16", "BOOL", "U8", "F16", "BF16", "O"])
            )
        case _:
            entry[str(rng.choice(["dtype", "shape", "data_offsets", "more"]))] = value
    return join(header, data)


def exchange_parts(content: bytes, rng: np.random.Generator) -> bytes:
    header, data = split(content)
    one, other = (str(name) for name in rng.choice(list(ARRAYS), 2, replace=False))
    metadata = header["__metadata__"]
    match rng.integers(6):
        case 0:
            header["weights"], header["twin"] = header["twin"], header["weights"]
        case 1:
            header[one], header[other] = header[other], header[one]
        case 2:
            header[one + "x"] = header.pop(one)
        case 3:
            a, b = header[one]["data_offsets"], header[other]["data_offsets"]
            header[one]["data_offsets"], header[other]["data_offsets"] = b, a
        case 4:
            key = str(rng.choice(list(metadata)))
            metadata[key] = str(rng.choice(["", "1", "2", "model", "{}", metadata["document"]]))
        case _:
            header.pop(str(rng.choice(list(header))))
    return join(header, data)


def is_right(sealed: Sealed) -> bool:
    return (
        sealed.version == 1
        and sealed.document == DOCUMENT
        and sealed.arrays.keys() == ARRAYS.keys()
        and all(
            found.dtype == ARRAYS[name].dtype
            and found.shape == ARRAYS[name].shape
            and found.tobytes() == ARRAYS[name].tobytes()
            for name, found in sealed.arrays.items()
        )
    )


@pytest.mark.parametrize(
    ("seed", "damage"),
    [
        (1, flip_bits),
        (2, replace_bytes_of_header),
        (3, truncate_or_extend),
        (4, splice_garbage),
        (5, claim_a_huge_header),
        (6, bring_a_hostile_header),
        (7, alter_an_entry),
        (8, exchange_parts),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_damage_is_refused_or_harmless(tmp_path: Path, seed: int, damage: Damage) -> None:
    path = tmp_path / "a"
    write_sealed(path, kind="model", version=1, document=DOCUMENT, arrays=ARRAYS)
    whole = path.read_bytes()
    assert is_right(read_sealed(path, kind="model", newest_version=1))
    complaints = []
    tracemalloc.start()
    try:
        for case in range(CASES):
            content = damage(whole, np.random.default_rng([seed, case]))
            path.write_bytes(content)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            started = time.process_time()
            try:
                assert is_right(read_sealed(path, kind="model", newest_version=1)), case
            except SealError as error:
                complaints.append(str(error))
            assert time.process_time() - started < 3, case
            assert tracemalloc.get_traced_memory()[1] - before < len(content) + SLACK, case
    finally:
        tracemalloc.stop()
    assert len(complaints) > 0.8 * CASES
    assert max(len(complaint) for complaint in complaints) < 300 + len(str(path))


def test_every_byte_counts(tmp_path: Path) -> None:
    path = tmp_path / "a"
    arrays = {"x": np.arange(4, dtype=np.int16), "y": np.array([True, False])}
    write_sealed(path, kind="model", version=1, document={"a": 1}, arrays=arrays)
    whole = path.read_bytes()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x01
        path.write_bytes(damaged)
        if whole[position] == ord(" "):
            # The padding of the header; "!" is not JSON.
            assert position > whole.index(b"}}")
        with pytest.raises(SealError):
            read_sealed(path, kind="model", newest_version=1)
