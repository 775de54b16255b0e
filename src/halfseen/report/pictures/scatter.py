"""Points in a plane, and probabilities against frequencies."""

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
    left_room,
    marker,
    series_class,
    text_width,
)
from halfseen.report.pictures.scale import scale_around
from halfseen.report.safe_text import safe_text, shortened

_MANY_POINTS = 60
_MOST_POINTS = 1500
_LONGEST_NAME = 22


@dataclass(frozen=True)
class Cloud:
    """A named cloud of points.

    Parameters
    ----------
    name : str
        Plain text.
    x, y : array-like of shape (n_points,)
        Points; those that are not finite are left out.
    names : sequence of str, default=()
        Names written at the points, if there are any.

    Examples
    --------
    >>> Cloud("methods", [1.0, 20.0], [0.8, 0.9], ("prior", "halfseen")).names[1]
    'halfseen'
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    names: Sequence[str] = ()


def scatter_svg(
    clouds: Sequence[Cloud],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    x_is_log: bool = False,
    y_is_log: bool = False,
    diagonal: bool = False,
) -> str:
    """Points in a plane.

    Parameters
    ----------
    clouds : sequence of Cloud
        Each in its own colour and mark; a cloud of many points is drawn in faint specks.
    title, description, x_label, y_label : str
        Plain text.
    x_is_log, y_is_log : bool, default=False
        Logarithmic axes, on which only points above zero are drawn.
    diagonal : bool, default=False
        Whether both axes are one and the line y = x is drawn, for truth against answer.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = scatter_svg([Cloud("a", [1, 2], [3, 4])], title="Points", description="Two points.",
    ...                   x_label="x", y_label="y")
    >>> svg.count("<circle")
    2
    """
    legend = Legend([cloud.name for cloud in clouds] if len(clouds) > 1 else [])
    points = [_finite(cloud, x_is_log, y_is_log) for cloud in clouds]
    everything = np.concatenate([own[:, :2] for own in points]) if points else np.zeros((0, 2))
    bottom, top = HEIGHT + legend.height - 42, legend.height + 24
    across = everything if diagonal else everything[:, 0]
    up = everything if diagonal else everything[:, 1]
    y = scale_around(up, bottom, top, pad=0.06, is_log=y_is_log)
    x = scale_around(across, left_room(y), WIDTH - 14, pad=0.06, is_log=x_is_log)
    parts = [legend.svg, axes(x, y, x_label, y_label)]
    if diagonal:
        d = f"M{x.start:g} {y.start:g}L{x.end:g} {y.end:g}"
        parts.append(element("path", d=d, class_="guide"))
    for position, (cloud, own) in enumerate(zip(clouds, points, strict=True)):
        places = np.stack([x(own[:, 0]), y(own[:, 1])], axis=1)
        inside = _marks(places, position)
        inside += _names(cloud, places, own[:, 2].astype(int))
        parts.append(element("g", *inside, class_=series_class(position)))
    return drawing(WIDTH, HEIGHT + legend.height, title, description, *parts)


def _finite(cloud: Cloud, x_is_log: bool, y_is_log: bool) -> NDArray[np.float64]:
    """Points that can be drawn, and which they are: x, y, position."""
    x, y = np.asarray(cloud.x, np.float64), np.asarray(cloud.y, np.float64)
    points = np.stack([x, y, np.arange(len(x))], axis=1)
    kept = np.isfinite(points).all(axis=1)
    kept &= (x > 0) | (not x_is_log)
    kept &= (y > 0) | (not y_is_log)
    points = points[kept]
    step = -(-len(points) // _MOST_POINTS) or 1
    return points[::step]


def _marks(places: NDArray[np.float64], position: int) -> list[str]:
    if len(places) <= _MANY_POINTS:
        return [marker(position, *place) for place in places.tolist()]
    # Strokes of hardly any length with round ends are discs, and take few letters.
    d = "".join(f"M{a:.1f} {b:.1f}h.01" for a, b in places)
    return [element("path", d=d, class_="speck")]


def _names(cloud: Cloud, places: NDArray[np.float64], which: NDArray[np.int_]) -> list[str]:
    """Names beside their points, moved up or down where another name stands already."""
    if not cloud.names:
        return []
    taken: list[tuple[float, float, float]] = []
    texts = []
    for (a, b), position in zip(places.tolist(), which.tolist(), strict=True):
        name = shortened(cloud.names[position], _LONGEST_NAME)
        wide = text_width(name)
        left = a + 7 if a + 7 + wide < WIDTH else a - 7 - wide
        for offset in (4.0, -6.0, 14.0, -17.0, 25.0):
            if all(
                abs(b + offset - up) > 11 or left > end or left + wide < start
                for start, end, up in taken
            ):
                break
        taken.append((left, left + wide, b + offset))
        title = element("title", safe_text(cloud.names[position]))
        texts.append(element("g", title, label(name, left, b + offset)))
    return texts
