from __future__ import annotations

import struct
import zlib
from base64 import b64decode

import numpy as np
import pytest

from halfseen.report.pictures import ImageRow, grey_images_svg
from halfseen.report.pictures.grey_images import png_base64
from report.checked import checked_svg, number_of, words

WORDS = {"title": "T", "description": "D"}


def pixels_of(text: str) -> np.ndarray:
    """A PNG read by its own rules."""
    data = b64decode(text)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, packed, shape = 8, b"", (0, 0)
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + body)
        if kind == b"IHDR":
            shape = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(shape[1], 1 + 3 * shape[0])
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(shape[1], shape[0], 3)


def test_a_png_holds_the_pixels() -> None:
    image = np.array([[0.0, 1.0, 0.5], [2.0, -1.0, np.nan]])
    seen = np.array([[True, True, True], [True, True, False]])
    colours = pixels_of(png_base64(image, seen))
    assert colours[0].tolist() == [[255] * 3, [0] * 3, [128] * 3]
    assert colours[1, :2].tolist() == [[0] * 3, [255] * 3]
    assert len(set(colours[1, 2].tolist())) > 1  # a hole is no grey


def test_lines_of_images() -> None:
    images = np.zeros((3, 4, 4))
    rows = [ImageRow("seen <a>", images, images > 0), ImageRow("restored", images)]
    root = checked_svg(grey_images_svg(rows, **WORDS))
    assert number_of(root, "image") == 6
    assert words(root) == ["seen <a>", "restored"]


def test_lines_must_match() -> None:
    rows = [ImageRow("a", np.zeros((2, 4, 4))), ImageRow("b", np.zeros((3, 4, 4)))]
    with pytest.raises(ValueError, match="every line must hold as many images"):
        grey_images_svg(rows, **WORDS)
    with pytest.raises(ValueError, match="every line"):
        grey_images_svg([], **WORDS)
