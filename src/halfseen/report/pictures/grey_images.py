"""Small grey images side by side: what was seen, what was restored, what was true."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import WIDTH, text_width
from halfseen.report.safe_text import shortened

_GAP = 4.0
_LONGEST_NAME = 18
_HOLE = (203, 130, 85)  # between the marks of holes in light and in dark, to stand in both


@dataclass(frozen=True)
class ImageRow:
    """A line of images of one kind.

    Parameters
    ----------
    name : str
        Plain text, for instance "seen", "halfseen" or "truth".
    images : array-like of shape (n_images, height, width)
        Between 0 (white) and 1 (black).
    observed : array-like of bool of the same shape, or None, default=None
        Pixels that are not observed are marked as holes.

    Examples
    --------
    >>> ImageRow("truth", [[[0.0, 1.0], [1.0, 0.0]]]).name
    'truth'
    """

    name: str
    images: ArrayLike
    observed: ArrayLike | None = None


def grey_images_svg(rows: Sequence[ImageRow], *, title: str, description: str) -> str:
    """Lines of small grey images, one below the other.

    Parameters
    ----------
    rows : sequence of ImageRow
        All of as many images, of one size.
    title, description : str
        Plain text.

    Returns
    -------
    str
        One ``<svg>`` element that holds the images themselves.

    Raises
    ------
    ValueError
        The lines do not hold as many images of one size.

    Examples
    --------
    >>> svg = grey_images_svg([ImageRow("truth", [[[0.0, 1.0]], [[1.0, 0.0]]])],
    ...                       title="Digits", description="Two images.")
    >>> svg.count("<image")
    2
    """
    pixels = [np.asarray(row.images, np.float64) for row in rows]
    if not rows or any(p.ndim != 3 or p.shape != pixels[0].shape for p in pixels):
        shapes = [p.shape for p in pixels]
        raise ValueError(
            f"every line must hold as many images (n_images, height, width), got {shapes}"
        )
    n_images, high, wide = pixels[0].shape
    left = max(text_width(shortened(row.name, _LONGEST_NAME)) for row in rows) + 10
    side = float(np.clip((WIDTH * 1.4 - left) / max(n_images, 1) - _GAP, 28.0, 72.0))
    tall = side * high / wide
    parts = []
    for i, (row, images) in enumerate(zip(rows, pixels, strict=True)):
        y = i * (tall + _GAP)
        middle = y + tall / 2 + 4
        name = shortened(row.name, _LONGEST_NAME)
        parts.append(label(name, left - 8, middle, class_="name", anchor="end"))
        seen = np.ones(images.shape, bool) if row.observed is None else np.asarray(row.observed)
        for j in range(n_images):
            parts.append(
                element(
                    "image",
                    x=left + j * (side + _GAP),
                    y=y,
                    width=side,
                    height=tall,
                    preserveAspectRatio="none",
                    class_="tiles",
                    href=f"data:image/png;base64,{png_base64(images[j], seen[j])}",
                )
            )
    width = left + n_images * (side + _GAP)
    class_ = "fits" if width <= WIDTH * 1.12 else "wide"
    return drawing(width, len(rows) * (tall + _GAP), title, description, *parts, class_=class_)


def png_base64(image: NDArray[np.float64], observed: NDArray[np.bool_]) -> str:
    """A grey image as PNG, in base64; holes have a colour of their own.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        Between 0 (white) and 1 (black); beyond them counts as the nearer.
    observed : ndarray of bool of the same shape
        False where there is a hole.

    Returns
    -------
    str

    Examples
    --------
    >>> png_base64(np.zeros((1, 1)), np.ones((1, 1), bool))[:11]
    'iVBORw0KGgo'
    """
    whole = np.where(observed, np.nan_to_num(image), 0.0)
    grey = np.round(255 * (1 - np.clip(whole, 0.0, 1.0))).astype(np.uint8)
    colours = np.repeat(grey[:, :, np.newaxis], 3, axis=2)
    colours[~observed] = _HOLE
    lines = b"".join(b"\0" + line.tobytes() for line in colours)
    height, width = grey.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(lines, 9)
    png = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", head)
        + _chunk(b"IDAT", packed)
        + _chunk(b"IEND", b"")
    )
    return b64encode(png).decode("ascii")


def _chunk(kind: bytes, content: bytes) -> bytes:
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
