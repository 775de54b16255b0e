"""The reliability diagram: what was said against what came true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import Legend, axes, marker, series_class
from halfseen.report.pictures.scale import Scale

_SIDE = 300.0
_LEFT = 34.0
_STRIP = 34.0
_TWO_SIDED = 1.96


@dataclass(frozen=True)
class Reliability:
    """Said and come true, in bins.

    Parameters
    ----------
    name : str
        Plain text.
    said : array-like of shape (n_bins,)
        Mean probability that was said.
    came_true : array-like of shape (n_bins,)
        Share that came true.
    n_entries : array-like of shape (n_bins,)
        How many entries; bins of none are not drawn.

    Examples
    --------
    >>> reliability_of("labels", [0.1, 0.1, 0.9], [0, 0, 1], n_bins=2).n_entries
    (2, 1)
    """

    name: str
    said: Sequence[float]
    came_true: Sequence[float]
    n_entries: Sequence[int]


def reliability_of(
    name: str, probability: ArrayLike, truth: ArrayLike, n_bins: int = 10
) -> Reliability:
    """Probabilities and what came true, in bins of equal width.

    Parameters
    ----------
    name : str
        Plain text.
    probability : array-like of shape (n_entries,)
        Between 0 and 1.
    truth : array-like of bool of shape (n_entries,)
        What came true.
    n_bins : int, default=10
        Number of bins; each includes its upper edge, the first also 0.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> reliability_of("labels", [0.1, 0.2, 0.9], [False, True, True], n_bins=2).came_true
    (0.5, 1.0)
    """
    said = np.asarray(probability, np.float64).reshape(-1)
    true = np.asarray(truth, np.float64).reshape(-1)
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], said)
    n_entries = np.bincount(bins, minlength=n_bins)
    some = np.maximum(n_entries, 1)
    return Reliability(
        name,
        tuple((np.bincount(bins, said, n_bins) / some).tolist()),
        tuple((np.bincount(bins, true, n_bins) / some).tolist()),
        tuple(n_entries.tolist()),
    )


def reliability_svg(
    curves: Sequence[Reliability],
    *,
    title: str,
    description: str,
    x_label: str = "probability said",
    y_label: str = "share that came true",
    counts: bool = True,
    whiskers: bool = True,
    lowest: float = 0.0,
) -> str:
    """Points on the diagonal are honest; above it the truth is likelier than was said.

    Parameters
    ----------
    curves : sequence of Reliability
        Each in its own colour, with the interval that chance alone explains in 95 of 100 cases.
    title, description, x_label, y_label : str
        Plain text.
    counts : bool, default=True
        Whether a strip below shows how the entries are spread over the bins.
    whiskers : bool, default=True
        Whether the interval of each share is drawn; it needs the number of entries.
    lowest : float, default=0.0
        Where both axes begin.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = reliability_svg([reliability_of("labels", [0.2, 0.8], [0, 1])], title="Calibration",
    ...                       description="Two labels.")
    >>> svg.count('class="dot"')
    2
    """
    legend = Legend([curve.name for curve in curves] if len(curves) > 1 else [], width=_SIDE)
    strip = _STRIP if counts else 0.0
    top = legend.height + 24
    bottom = top + _SIDE - _LEFT - 14
    x, y = Scale(lowest, 1.0, _LEFT, _SIDE - 14), Scale(lowest, 1.0, bottom, top)
    ticks = np.linspace(lowest, 1.0, 6).tolist()
    parts = [legend.svg, axes(x, y, x_label, y_label, x_ticks=ticks, y_ticks=ticks)]
    d = f"M{x.start:g} {y.start:g}L{x.end:g} {y.end:g}"
    parts.append(element("path", d=d, class_="guide"))
    for position, curve in enumerate(curves):
        parts.append(_points(curve, position, x, y, whiskers))
    height = bottom + 42
    if counts:
        parts.append(_strip(curves, x, height + strip))
        height += strip + 8
    return drawing(_SIDE, height, title, description, *parts)


def _points(curve: Reliability, position: int, x: Scale, y: Scale, whiskers: bool) -> str:
    inside, line = [], []
    for said, true, n in zip(curve.said, curve.came_true, curve.n_entries, strict=True):
        if not n:
            continue
        a, b = float(x(said)), float(y(true))
        low, high = _wilson(true, n)
        d = f"M{a:.2f} {float(y(low)):.2f}V{float(y(high)):.2f}"
        if whiskers:
            inside.append(element("path", d=d, class_="whisker"))
        line.append(f"{a:.2f} {b:.2f}")
    if line:
        inside.append(element("path", d="M" + "L".join(line), class_="line", stroke_width=1.2))
    for said, true, n in zip(curve.said, curve.came_true, curve.n_entries, strict=True):
        if n:
            mark = marker(position, float(x(said)), float(y(true)), 3.6)
            told = f"said {said:.2f}, came true {true:.2f}"
            told += f", {n:,} entries" if whiskers else ""
            inside.append(element("g", element("title", told), mark))
    return element("g", *inside, class_=series_class(position))


def _strip(curves: Sequence[Reliability], x: Scale, bottom: float) -> str:
    counts = np.sum([np.asarray(curve.n_entries) for curve in curves], axis=0)
    most = max(int(counts.max()), 1)
    edges = x(np.linspace(0, 1, len(counts) + 1))
    bars = [
        element(
            "rect",
            element("title", f"{int(n):,} entries"),
            x=float(edges[i]) + 0.75,
            y=bottom - float(n) / most * (_STRIP - 14),
            width=float(edges[i + 1] - edges[i]) - 1.5,
            height=float(n) / most * (_STRIP - 14),
            class_="bar s8",
        )
        for i, n in enumerate(counts)
        if n
    ]
    words = label(f"entries in each bin, at most {most:,}", x.start, bottom - _STRIP + 10)
    return words + "".join(bars)


def _wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's interval of a share of n."""
    square = _TWO_SIDED**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = _TWO_SIDED / (1 + square / n) * np.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))
