"""The picture: digits complete, with holes, and restored."""

from __future__ import annotations

import io
from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.demo.hidden_digits import HIGHEST_GREY, IMAGE_SIDE
from halfseen.storage import write_beside

_DIGITS_ACROSS = 5
_SCALE = 5  # dots of the picture for one pixel of a digit
_BETWEEN_DIGITS = 4
_BETWEEN_BLOCKS = 20
_MARGIN = 10
_TITLE_HEIGHT = 36
_CAPTION_HEIGHT = 34
_DOTS_PER_INCH = 100
_HIDDEN_COLOUR = (1.0, 0.88, 0.70)
_FRAME_COLOUR = (0.80, 0.82, 0.85)


class Block(NamedTuple):
    """Some digits under one title.

    Attributes
    ----------
    title : str
        What is shown.
    pixels : ndarray of shape (n_digits, 64)
        Grey levels from 0 to 16, NaN where hidden. Levels beyond are shown as the nearest.

    Examples
    --------
    >>> Block("blank", np.zeros((20, 64))).title
    'blank'
    """

    title: str
    pixels: NDArray[np.float64]


def mosaic(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Framed digits in rows of five, dark ink on white, hidden pixels in a colour of their own.

    Parameters
    ----------
    pixels : ndarray of shape (n_digits, 64)
        Grey levels from 0 to 16, NaN where hidden.

    Returns
    -------
    ndarray of shape (height, width, 3)
        Red, green and blue from 0 to 1.

    Examples
    --------
    >>> mosaic(np.zeros((20, 64))).shape
    (180, 224, 3)
    """
    side = IMAGE_SIDE * _SCALE
    step = side + _BETWEEN_DIGITS
    n_down = -(-len(pixels) // _DIGITS_ACROSS)
    height, width = (n * step + _BETWEEN_DIGITS for n in (n_down, _DIGITS_ACROSS))
    canvas = np.tile(np.array(_FRAME_COLOUR), (height, width, 1))
    for place, digit in enumerate(pixels):
        top, left = (_BETWEEN_DIGITS + step * n for n in divmod(place, _DIGITS_ACROSS))
        canvas[top : top + side, left : left + side] = _coloured(digit)
    return canvas


def draw_restored_digits(blocks: Sequence[Block], caption: str, path: str | PathLike[str]) -> None:
    """Write the blocks, side by side with their titles above, as a PNG file.

    The file is written beside and then renamed: an old picture is replaced whole or not at all.

    Parameters
    ----------
    blocks : sequence of Block
        From left to right, all with the same number of digits.
    caption : str
        One line below.
    path : path-like
        Where to; its folder must exist.

    Raises
    ------
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "blank.png")
    ...     draw_restored_digits([Block("blank", np.zeros((20, 64)))], "Nothing.", path)
    ...     path.read_bytes()[1:4]
    b'PNG'
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as absent:
        raise ImportError(
            "The picture is drawn by matplotlib, which is not installed: "
            "pip install 'halfseen[report]'"
        ) from absent
    mosaics = [mosaic(block.pixels) for block in blocks]
    block_height, block_width, _ = mosaics[0].shape
    step = block_width + _BETWEEN_BLOCKS
    width = 2 * _MARGIN + len(blocks) * step - _BETWEEN_BLOCKS
    height = _TITLE_HEIGHT + block_height + _CAPTION_HEIGHT
    figure = Figure((width / _DOTS_PER_INCH, height / _DOTS_PER_INCH), dpi=_DOTS_PER_INCH)
    for place, (block, image) in enumerate(zip(blocks, mosaics, strict=True)):
        left = _MARGIN + place * step
        # Axes of exactly the mosaic's size, so that no pixel of a digit is blurred.
        axes = figure.add_axes(
            (left / width, _CAPTION_HEIGHT / height, block_width / width, block_height / height)
        )
        axes.imshow(image, interpolation="nearest", aspect="auto")
        axes.set_axis_off()
        axes.set_title(block.title, fontsize=11, pad=6)
    figure.text(0.5, _CAPTION_HEIGHT / 2 / height, caption, ha="center", va="center", fontsize=9)
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    write_beside(path, [content.getvalue()])


def _coloured(digit: NDArray[np.float64]) -> NDArray[np.float64]:
    hidden = np.isnan(digit)
    brightness = 1 - np.clip(np.where(hidden, 0, digit), 0, HIGHEST_GREY) / HIGHEST_GREY
    colours = np.where(hidden[:, None], np.array(_HIDDEN_COLOUR), brightness[:, None])
    image = colours.reshape(IMAGE_SIDE, IMAGE_SIDE, 3)
    enlarged: NDArray[np.float64] = image.repeat(_SCALE, axis=0).repeat(_SCALE, axis=1)
    return enlarged
