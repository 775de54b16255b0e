"""Curves with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import (
    HEIGHT,
    WIDTH,
    Legend,
    axes,
    dash,
    left_room,
    marker,
    series_class,
)
from halfseen.report.pictures.scale import Scale, scale_around

_FEW_POINTS = 24
_MOST_POINTS = 600


@dataclass(frozen=True)
class Curve:
    """A named curve, with a band around it if there is one.

    Parameters
    ----------
    name : str
        Plain text.
    x, y : array-like of shape (n_points,)
        Points; those that are not finite leave no gap.
    low, high : array-like of shape (n_points,) or None, default=None
        Edges of the band.

    Examples
    --------
    >>> Curve("loss", [0, 1, 2], [3.0, 2.0, 1.5]).name
    'loss'
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None

    @property
    def points(self) -> NDArray[np.float64]:
        """Finite points (x, y, low, high), of shape (n_points, 4), at most a few hundred."""
        x, y = np.asarray(self.x, np.float64), np.asarray(self.y, np.float64)
        low = y if self.low is None else np.asarray(self.low, np.float64)
        high = y if self.high is None else np.asarray(self.high, np.float64)
        points = np.stack([x, y, low, high], axis=1)
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) > _MOST_POINTS:
            kept = np.unique(np.linspace(0, len(points) - 1, _MOST_POINTS).round().astype(int))
            points = points[kept]
        return points


def curves_svg(
    curves: Sequence[Curve],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    mark_x: float | None = None,
    mark_text: str = "",
    x_is_log: bool = False,
    y_is_log: bool = False,
    x_ticks: Sequence[float] | None = None,
) -> str:
    """Curves over a common axis.

    Parameters
    ----------
    curves : sequence of Curve
        At least one with a finite point; curves of few points have their points marked.
    title, description : str
        For those who do not see the picture.
    x_label, y_label : str
        What the axes mean.
    mark_x : float or None, default=None
        Where an upright line stands.
    mark_text : str, default=""
        What it is.
    x_is_log, y_is_log : bool, default=False
        Logarithmic axes.
    x_ticks : sequence of float or None, default=None
        Ticks of the lying axis.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = curves_svg([Curve("loss", [0, 1, 2], [3.0, 2.0, 1.5])], title="Loss",
    ...                  description="It falls.", x_label="epoch", y_label="loss")
    >>> svg.count('class="line"')
    1
    """
    legend = Legend([curve.name for curve in curves] if len(curves) > 1 else [])
    points = [curve.points for curve in curves]
    everything = np.concatenate(points) if points else np.zeros((0, 4))
    bottom, top = HEIGHT + legend.height - 42, legend.height + 24
    y = scale_around(everything[:, 1:], bottom, top, is_log=y_is_log)
    left = left_room(y)
    x = _lying(everything[:, 0], left, WIDTH - 14, x_is_log)
    parts = [legend.svg, axes(x, y, x_label, y_label, x_ticks=x_ticks)]
    if mark_x is not None and x.low <= mark_x <= x.high:
        place = float(x(mark_x))
        parts.append(element("path", d=f"M{place:.2f} {bottom:g}V{top:g}", class_="guide"))
        side = "end" if place > (left + WIDTH) / 2 else "start"
        away = -5 if side == "end" else 5
        parts.append(label(mark_text, place + away, top + 10, anchor=side))
    for position, (curve, own) in enumerate(zip(curves, points, strict=True)):
        parts.append(_curve(curve, own, x, y, position))
    return drawing(WIDTH, HEIGHT + legend.height, title, description, *parts)


def _lying(values: NDArray[np.float64], start: float, end: float, is_log: bool) -> Scale:
    scale = scale_around(values, start, end, pad=0.02, is_log=is_log)
    # Epochs, steps and rates do not go below zero.
    if not is_log and len(values) and values.min() >= 0 > scale.low:
        return Scale(0.0, scale.high, start, end)
    return scale


def _curve(curve: Curve, points: NDArray[np.float64], x: Scale, y: Scale, position: int) -> str:
    if not len(points):
        return ""
    across = x(points[:, 0])
    middle, low, high = (y(points[:, column]) for column in (1, 2, 3))
    inside = []
    if curve.low is not None or curve.high is not None:
        upper = _path(across, high)
        lower = _path(across[::-1], low[::-1]).replace("M", "L", 1)
        inside.append(element("path", d=f"{upper}{lower}Z", class_="band"))
    inside.append(
        element("path", d=_path(across, middle), class_="line", stroke_dasharray=dash(position))
    )
    if len(points) <= _FEW_POINTS:
        inside += [
            marker(position, float(a), float(b)) for a, b in zip(across, middle, strict=True)
        ]
    return element("g", *inside, class_=series_class(position))


def _path(across: NDArray[np.float64], up: NDArray[np.float64]) -> str:
    steps = (f"{a:.1f} {b:.1f}" for a, b in zip(across, up, strict=True))
    return "M" + "L".join(steps)
