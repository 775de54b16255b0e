"""Everything that a file says is under the seal."""

import hashlib

import numpy as np

from halfseen.storage._seal_digest import seal_digest

BASE = seal_digest("model", 1, "{}", {"a": np.array([1, 2], "<i4"), "b": np.array([3], "<i4")})


def test_written_out_by_hand() -> None:
    fields = [b"halfseen seal", b"model", b"1", b"{}", b"1", b"a", b"I32", b"[2]"]
    fields.append(b"\1\0\0\0\2\0\0\0")
    text = b"".join(len(field).to_bytes(8, "little") + field for field in fields)
    digest = seal_digest("model", 1, "{}", {"a": np.array([1, 2], "<i4")})
    assert digest == hashlib.sha256(text).hexdigest()


def test_order_of_arrays_does_not_matter() -> None:
    arrays = {"b": np.array([3], "<i4"), "a": np.array([1, 2], "<i4")}
    assert seal_digest("model", 1, "{}", arrays) == BASE


def test_every_part_matters() -> None:
    a, b = np.array([1, 2], "<i4"), np.array([3], "<i4")
    digests = {
        BASE,
        seal_digest("modem", 1, "{}", {"a": a, "b": b}),
        seal_digest("model", 2, "{}", {"a": a, "b": b}),
        seal_digest("model", 1, "{ }", {"a": a, "b": b}),
        seal_digest("model", 1, "{}", {"a": a}),
        seal_digest("model", 1, "{}", {"a": b, "b": a}),
        seal_digest("model", 1, "{}", {"a": a, "c": b}),
        seal_digest("model", 1, "{}", {"a": a.view("<u4"), "b": b}),
        seal_digest("model", 1, "{}", {"a": a.reshape(1, 2), "b": b}),
        seal_digest("model", 1, "{}", {"a": a.reshape(2, 1), "b": b}),
        seal_digest("model", 1, "{}", {"a": a + 1, "b": b}),
        seal_digest("mode", 1, "l{}", {"a": a, "b": b}),
        seal_digest("model", 1, "{}", {"a": np.zeros((0, 3), "<i4"), "b": b}),
        seal_digest("model", 1, "{}", {"a": np.zeros((3, 0), "<i4"), "b": b}),
    }
    assert len(digests) == 14


def test_a_lone_surrogate_has_a_digest() -> None:
    assert seal_digest("\ud800", 1, "\ud800", {"\ud800": np.zeros(0)}) != BASE
