from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from halfseen.demo.restored_digits import Block, draw_restored_digits, mosaic

HIDDEN = (1.0, 0.88, 0.70)
SIDE, GAP = 40, 4


def digit_in(canvas: np.ndarray, down: int, across: int) -> np.ndarray:
    top, left = (GAP + place * (SIDE + GAP) for place in (down, across))
    return canvas[top : top + SIDE, left : left + SIDE]


def test_mosaic_shows_every_pixel_in_its_place() -> None:
    pixels = np.zeros((7, 64))
    pixels[6, 8 * 2 + 3] = 16.0  # seventh digit, third row, fourth column
    pixels[6, 0] = np.nan
    tile = digit_in(mosaic(pixels), 1, 1)
    assert (tile[10:15, 15:20] == 0).all()
    np.testing.assert_array_equal(tile[0, 0], HIDDEN)
    tile[10:15, 15:20] = 1
    tile[:5, :5] = 1
    assert (tile == 1).all()


def test_hidden_is_told_from_every_grey() -> None:
    assert len(set(HIDDEN)) > 1  # greys have three equal parts
    greys = digit_in(mosaic(np.linspace(0, 16, 64)[None]), 0, 0)
    assert (greys == greys[..., :1]).all()
    assert greys[0, 0, 0] == 1
    assert greys[-1, -1, 0] == 0


def test_levels_out_of_range_are_shown_as_the_nearest() -> None:
    beyond, ends = np.tile([-3.0, 20.0], 32), np.tile([0.0, 16.0], 32)
    np.testing.assert_array_equal(mosaic(beyond[None]), mosaic(ends[None]))


def blocks(n_blocks: int) -> list[Block]:
    rng = np.random.default_rng(0)
    return [Block(f"block {place}", rng.uniform(0, 16, (20, 64))) for place in range(n_blocks)]


def test_picture_is_a_png_fit_for_a_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
    path = tmp_path / "digits.png"
    path.write_text("an old picture")
    draw_restored_digits(blocks(5), "A caption.", path)
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (1220, 250)
    assert len(content) < 200_000
    assert [file.name for file in tmp_path.iterdir()] == ["digits.png"]


def test_picture_shows_digits_dot_by_dot(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="the picture is drawn by matplotlib")
    path = tmp_path / "digits.png"
    shown = blocks(2)
    draw_restored_digits(shown, "", path)
    dots = image.imread(path)[..., :3]
    second = dots[36 : 36 + 180, 10 + 244 : 10 + 244 + 224]
    np.testing.assert_allclose(second, mosaic(shown[1].pixels), atol=1 / 255)


def test_same_blocks_give_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
    for name in ("a.png", "b.png"):
        draw_restored_digits(blocks(1), "A caption.", tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_without_matplotlib_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'halfseen\[report\]'"):
        draw_restored_digits(blocks(1), "", tmp_path / "digits.png")
    assert not list(tmp_path.iterdir())
