"""Points in a plane, each with its name, and who is not surpassed in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import axes, left_room, marker, series_class, text_width
from halfseen.report.pictures.room import common_range
from halfseen.report.pictures.scale import Scale, scale_around
from halfseen.report.safe_text import safe_text, shortened

_WIDTH = 440.0
_HEIGHT = 320.0
_LONGEST_NAME = 22
_TALL = 11.0
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a text before its anchor
# Where a name may stand: its anchor, and how far from the point.
_SIDES = (
    ("start", 7, 0),
    ("end", -7, 0),
    ("middle", 0, -12),
    ("middle", 0, 12),
    ("start", 5, -10),
    ("start", 5, 10),
    ("end", -5, -10),
    ("end", -5, 10),
)

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class NamedPoint:
    """A point with its name.

    Parameters
    ----------
    name : str
        Plain text.
    x, y : float
        Where it is.
    position : int or None, default=None
        Position of its colour; None is grey.
    hollow : bool, default=False
        Whether it is drawn as a ring, for what was measured otherwise.

    Examples
    --------
    >>> NamedPoint("halfseen", 12.0, 0.94, 0).hollow
    False
    """

    name: str
    x: float
    y: float
    position: int | None = None
    hollow: bool = False


def named_points_svg(
    points: Sequence[NamedPoint],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    higher_is_better: bool,
) -> str:
    """Points over a logarithmic axis, with a line along those that nobody left of them beats.

    Parameters
    ----------
    points : sequence of NamedPoint
        Those that come first find room for their names first; a name that finds none is told when
        its point is pointed at.
    title, description, x_label, y_label : str
        Plain text.
    higher_is_better : bool
        Which way is better of the upright axis.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = named_points_svg([NamedPoint("a", 1, 0.8), NamedPoint("b", 9, 0.9)], title="Time",
    ...     description="Two.", x_label="seconds", y_label="AUC", higher_is_better=True)
    >>> svg.count("<circle"), "guide" in svg
    (2, True)
    """
    kept = [p for p in points if np.isfinite([p.x, p.y]).all() and p.x > 0]
    bottom, top = _HEIGHT - 42, 24.0
    y = scale_around(
        common_range([p.y for p in kept], higher_is_better=higher_is_better), bottom, top, pad=0.08
    )
    x = scale_around([p.x for p in kept], left_room(y), _WIDTH - 14, pad=0.06, is_log=True)
    places = [(float(x(p.x)), float(np.clip(y(p.y), y.end, y.start))) for p in kept]
    parts = [axes(x, y, x_label, y_label)]
    best = [places[i] for i in _best(kept, higher_is_better)]
    if len(best) > 1:
        parts.append(_frontier(best))
    taken: list[Box] = [(a - 5, b - 5, a + 5, b + 5) for a, b in places]
    lines: list[Box] = [(a + 6, b - 1, c, b + 1) for (a, b), (c, _) in pairwise(best)]
    lines += [(c - 1, min(b, d), c + 1, max(b, d)) for (_, b), (c, d) in pairwise(best)]
    for point, (a, b) in reversed(list(zip(kept, places, strict=True))):
        parts.append(_mark(point, a, b))
    for point, place in zip(kept, places, strict=True):
        parts.append(_name(point, place, taken, lines, x, y))
    return drawing(_WIDTH, _HEIGHT, title, description, *parts)


def _best(points: Sequence[NamedPoint], higher: bool) -> list[int]:
    """The points that no quicker one surpasses, from left to right."""
    way = 1.0 if higher else -1.0
    best: list[int] = []
    for i in sorted(range(len(points)), key=lambda i: (points[i].x, -way * points[i].y)):
        if not best or way * points[i].y > way * points[best[-1]].y:
            best.append(i)
    return best


def _frontier(places: Sequence[tuple[float, float]]) -> str:
    """Steps from place to place."""
    d = f"M{places[0][0]:.1f} {places[0][1]:.1f}"
    d += "".join(f"H{a:.1f}V{b:.1f}" for a, b in places[1:])
    return element("path", d=d, class_="guide")


def _mark(point: NamedPoint, a: float, b: float) -> str:
    told = element("title", safe_text(f"{point.name}: {point.x:.3g}, {point.y:.4g}"))
    if point.position is None:
        class_ = "faintring" if point.hollow else "faintdot"
        return element("g", told, element("circle", cx=a, cy=b, r=3.4, class_=class_))
    if point.hollow:
        mark = element("circle", cx=a, cy=b, r=3.8, class_="ring")
    else:
        mark = marker(point.position, a, b, 3.8)
    return element("g", told, mark, class_=series_class(point.position))


def _name(
    point: NamedPoint,
    place: tuple[float, float],
    taken: list[Box],
    lines: list[Box],
    x: Scale,
    y: Scale,
) -> str:
    """The name beside its point, above or below it, wherever there is room."""
    a, b = place
    name = shortened(point.name, _LONGEST_NAME)
    if not y.low <= point.y <= y.high:
        name = f"{'↑' if point.y > y.high else '↓'} {name} {point.y:.3g}"
    wide = text_width(name)
    own = (a - 5, b - 5, a + 5, b + 5)
    others = [box for box in taken if box != own]
    # Rather across a line than not at all.
    for in_the_way in (others + lines, others):
        for anchor, over, up in _SIDES:
            left, middle = a + over - wide * _BEFORE[anchor], b + up
            box = (left, middle - _TALL / 2, left + wide, middle + _TALL / 2)
            inside = left > x.start and left + wide < _WIDTH and y.end - 14 < middle < y.start - 2
            if inside and not any(_meet(box, other) for other in in_the_way):
                taken.append(box)
                class_ = "tick" if point.position is None else "name series"
                text = label(name, a + over, middle + 4, class_=class_, anchor=anchor)
                if point.position is None:
                    return text
                return element("g", text, class_=series_class(point.position))
    return ""


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
