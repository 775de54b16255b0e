"""Histograms, large and as small as a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import HEIGHT, WIDTH, axes, left_room
from halfseen.report.pictures.scale import Scale, scale_around

_MOST_BINS = 30
_MOST_WORD_BINS = 16


def histogram_svg(
    values: ArrayLike,
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str = "count",
    mark_x: float | None = None,
    mark_text: str = "",
) -> str:
    """How often values fall where.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Those that are not finite are left out.
    title, description, x_label, y_label : str
        Plain text.
    mark_x : float or None, default=None
        Where an upright line stands.
    mark_text : str, default=""
        What it is.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = histogram_svg([1.0, 1.1, 3.0], title="Sizes", description="Three.", x_label="size")
    >>> svg.count("<rect") >= 2
    True
    """
    numbers = np.asarray(values, np.float64).reshape(-1)
    numbers = numbers[np.isfinite(numbers)]
    around = scale_around(numbers, 0, 1, pad=0.0)
    n_bins = int(np.clip(np.sqrt(max(len(numbers), 1)), 5, _MOST_BINS))
    counts, edges = np.histogram(numbers, n_bins, (around.low, around.high))
    top, bottom, height = 24.0, HEIGHT - 82, HEIGHT - 40
    y = Scale(0.0, float(max(counts.max(), 1)), bottom, top)
    left = left_room(y, y.ticks(4))
    low = min(around.low, around.low if mark_x is None else mark_x)
    high = max(around.high, around.high if mark_x is None else mark_x)
    x = Scale(low, high, left, WIDTH - 14)
    parts = [axes(x, y, x_label, y_label, y_ticks=y.ticks(4))]
    for count, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            start, end, up = float(x(a)), float(x(b)), float(y(count))
            parts.append(
                element(
                    "rect",
                    x=start + 0.5,
                    y=up,
                    width=max(end - start - 1, 0.5),
                    height=bottom - up,
                    class_="bar s1",
                )
            )
    if mark_x is not None:
        place = float(x(mark_x))
        parts.append(element("path", d=f"M{place:.2f} {bottom:g}V{top:g}", class_="guide"))
        side = "end" if place > (left + WIDTH) / 2 else "start"
        parts.append(label(mark_text, place + (-5 if side == "end" else 5), top + 10, anchor=side))
    return drawing(WIDTH, height, title, description, *parts)


def spark_svg(counts: Sequence[int], what: str) -> str:
    """A histogram as small as a word, for a cell of a table.

    Parameters
    ----------
    counts : sequence of int
        Entries of each bin.
    what : str
        What it shows, for those who do not see it.

    Returns
    -------
    str
        One ``<svg>`` element, empty text if there is nothing to show.

    Examples
    --------
    >>> spark_svg([1, 4, 2], "sizes").count("h")  > 0, spark_svg([], "nothing")
    (True, '')
    """
    if not len(counts) or not max(counts):
        return ""
    width, height = 64.0, 14.0
    counts = _coarser(counts)
    each, most = width / len(counts), max(counts)
    d = "".join(
        f"M{i * each:.1f} {height:g}v{-n / most * height:.1f}h{max(each - 0.6, 0.6):.1f}"
        f"v{n / most * height:.1f}z"
        for i, n in enumerate(counts)
        if n
    )
    return drawing(width, height, what, what, element("path", d=d, class_="bar s1"), class_="spark")


def _coarser(counts: Sequence[int]) -> list[int]:
    """Counts of neighbouring bins added up, until there are few enough for a word."""
    size = -(-len(counts) // _MOST_WORD_BINS)
    return [sum(counts[start : start + size]) for start in range(0, len(counts), size)]


def share_svg(share: float, what: str, series: str = "s2") -> str:
    """A share of one as a bar as small as a word, for a cell of a table.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    what : str
        What it shows, for those who do not see it.
    series : str, default="s2"
        Its colour.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> share_svg(0.5, "missing").count("<rect")
    2
    """
    width, height = 64.0, 8.0
    inside = min(max(float(share), 0.0), 1.0)
    return drawing(
        width,
        height,
        what,
        what,
        element("rect", width=width, height=height, class_="cell-back"),
        element("rect", width=width * inside, height=height, class_=f"bar {series}"),
        class_="spark",
    )
