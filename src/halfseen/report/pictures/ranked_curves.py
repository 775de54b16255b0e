"""Many curves of which a few stand out, each named where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import axes, dash, left_room, marker, series_class, text_width
from halfseen.report.pictures.room import common_range, spaced
from halfseen.report.pictures.scale import Scale, scale_around
from halfseen.report.safe_text import safe_text, shortened

_WIDTH = 440.0
_HEIGHT = 290.0
_LONGEST_NAME = 22
_LINE = 13.5


@dataclass(frozen=True)
class RankedCurve:
    """A named curve with a spread, in a colour or in grey.

    Parameters
    ----------
    name : str
        Plain text.
    x, y : array-like of shape (n_points,)
        Points; those that are not finite leave no gap.
    spread : array-like of shape (n_points,) or None, default=None
        Half the width of the band around it, drawn only of coloured curves.
    position : int or None, default=None
        Position of its colour; None is thin and grey.
    named : bool, default=True
        Whether its name is written where it ends.

    Examples
    --------
    >>> RankedCurve("halfseen", [0.3, 0.5], [0.94, 0.93], position=0).name
    'halfseen'
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    spread: ArrayLike | None = None
    position: int | None = None
    named: bool = True

    @property
    def points(self) -> NDArray[np.float64]:
        """Finite points (x, y, low, high), from left to right."""
        x, y = np.asarray(self.x, np.float64), np.asarray(self.y, np.float64)
        away = np.zeros_like(y) if self.spread is None else np.asarray(self.spread, np.float64)
        away = np.nan_to_num(away)
        points = np.stack([x, y, y - away, y + away], axis=1)
        points = points[np.isfinite(points[:, :2]).all(axis=1)]
        return points[np.argsort(points[:, 0], kind="stable")]


def ranked_curves_svg(
    curves: Sequence[RankedCurve],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    x_ticks: Sequence[float],
    higher_is_better: bool,
) -> str:
    """Curves over a common axis, which has room for the coloured ones.

    Those of them that are far from all others have an arrow at their name; grey ones may leave the
    picture.

    Parameters
    ----------
    curves : sequence of RankedCurve
        The first lies on top.
    title, description, x_label, y_label : str
        Plain text.
    x_ticks : sequence of float
        Where the points are.
    higher_is_better : bool
        Which way is better; the best always find room.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = ranked_curves_svg([RankedCurve("a", [30, 50], [0.9, 0.8], position=0)], title="AUC",
    ...     description="It falls.", x_label="hidden", y_label="AUC", x_ticks=[30, 50],
    ...     higher_is_better=True)
    >>> svg.count('class="line"')
    1
    """
    drawn = [(curve, points) for curve in curves if len(points := curve.points)]
    bottom, top = _HEIGHT - 42, 24.0
    coloured = [points for curve, points in drawn if curve.position is not None]
    y = _upright(coloured or [points for _, points in drawn], higher_is_better, bottom, top)
    left = left_room(y)
    named = [(curve, points) for curve, points in drawn if curve.named]
    names = [shortened(curve.name, _LONGEST_NAME) for curve, _ in named]
    # Names of what is out of sight have a figure behind them.
    widths = [
        text_width(name) + (0 if y.low <= points[-1, 1] <= y.high else text_width("↓ 0.000"))
        for name, (_, points) in zip(names, named, strict=True)
    ]
    right = _WIDTH - max(widths, default=0.0) - 24
    across = np.asarray(x_ticks, np.float64)
    x = scale_around(across, left + 6, right, pad=0.02)
    x = Scale(x.low, x.high, left, right)
    parts = [axes(x, y, x_label, y_label, x_ticks=list(x_ticks))]
    parts += [_curve(curve, points, x, y) for curve, points in reversed(drawn)]
    parts += _names(named, names, x, y)
    return drawing(_WIDTH, _HEIGHT, title, description, *parts)


def _upright(
    points: list[NDArray[np.float64]], higher_is_better: bool, bottom: float, top: float
) -> Scale:
    if not points:
        return Scale(0.0, 1.0, bottom, top)
    means = np.array([own[:, 1].mean() for own in points])
    low, high = common_range(means, higher_is_better=higher_is_better)
    near = [own[:, 1:] for own, mean in zip(points, means, strict=True) if low <= mean <= high]
    return scale_around(np.concatenate([own.ravel() for own in near]), bottom, top)


def _curve(curve: RankedCurve, points: NDArray[np.float64], x: Scale, y: Scale) -> str:
    across, middle = x(points[:, 0]), y(points[:, 1])
    low, high = (np.clip(y(points[:, column]), y.end, y.start) for column in (2, 3))
    told = element("title", safe_text(curve.name))
    line = _within(across, middle, y)
    if curve.position is None:
        return element("g", told, element("path", d=line, class_="faint")) if line else ""
    inside = [told]
    if curve.spread is not None and len(points) > 1:
        lower = _path(across[::-1], low[::-1]).replace("M", "L", 1)
        inside.append(element("path", d=f"{_path(across, high)}{lower}Z", class_="band"))
    if line:
        dashes = dash(curve.position)
        inside.append(element("path", d=line, class_="line", stroke_dasharray=dashes))
    if curve.spread is not None and len(points) == 1:
        d = f"M{across[0]:.1f} {low[0]:.1f}V{high[0]:.1f}"
        inside.append(element("path", d=d, class_="whisker"))
    inside += [
        marker(curve.position, a, b, 2.8)
        for a, b in zip(across.tolist(), middle.tolist(), strict=True)
        if y.end <= b <= y.start
    ]
    return element("g", *inside, class_=series_class(curve.position))


def _within(across: NDArray[np.float64], up: NDArray[np.float64], y: Scale) -> str:
    """The parts of a line that lie in the picture."""
    places = zip(across.tolist(), up.tolist(), strict=True)
    d, pen = "", (float("nan"), float("nan"))
    for (a, b), (c, e) in pairwise(places):
        # Shares of the way at which the line is within the upper and the lower edge.
        ways = sorted((edge - b) / (e - b) for edge in (y.end, y.start)) if e != b else [0, 1]
        first, last = max(0.0, ways[0]), min(1.0, ways[1])
        if first >= last or (e == b and not y.end <= b <= y.start):
            continue
        start = (a + first * (c - a), b + first * (e - b))
        end = (a + last * (c - a), b + last * (e - b))
        d += "" if start == pen else f"M{start[0]:.1f} {start[1]:.1f}"
        d += f"L{end[0]:.1f} {end[1]:.1f}"
        pen = end
    return d


def _names(
    named: list[tuple[RankedCurve, NDArray[np.float64]]], names: list[str], x: Scale, y: Scale
) -> list[str]:
    ends = [float(np.clip(y(points[-1, 1]), y.end, y.start)) for _, points in named]
    places = spaced(ends, _LINE, y.end - 2, y.start + 2)
    parts = []
    for (curve, points), name, end, place in zip(named, names, ends, places, strict=True):
        last = float(points[-1, 1])
        text = name
        if not y.low <= last <= y.high:
            text = f"{'↑' if last > y.high else '↓'} {name} {last:.3g}"
        away = x.end + 12
        d = f"M{float(x(points[-1, 0])) + 5:.1f} {end:.1f}L{away - 3:g} {place:.1f}"
        told = element("title", safe_text(f"{curve.name}: {last:.4g}"))
        coloured = curve.position is not None
        class_ = "name series" if coloured else "tick"
        parts.append(
            element(
                "g",
                told,
                element("path", d=d, class_="leader"),
                label(text, away, place + 4, class_=class_),
                class_=series_class(curve.position) if curve.position is not None else None,
            )
        )
    return parts


def _path(across: NDArray[np.float64], up: NDArray[np.float64]) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(across, up, strict=True))
