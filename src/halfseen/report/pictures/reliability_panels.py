"""Reliability of several methods, each in a small panel of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import marker, series_class
from halfseen.report.pictures.reliability import Reliability
from halfseen.report.pictures.scale import Scale
from halfseen.report.safe_text import safe_text, shortened

_SIDE = 108.0
_GAP_X, _GAP_Y = 18.0, 44.0
_LEFT, _TOP = 26.0, 20.0
_PER_LINE = 3
_LONGEST_NAME = 19


def reliability_panels_svg(
    curves: Sequence[Reliability],
    positions: Sequence[int | None],
    remarks: Sequence[str],
    *,
    title: str,
    description: str,
) -> str:
    """Small diagrams of what was said against what came true, three in a line.

    The larger a mark, the more entries lie behind it.

    Parameters
    ----------
    curves : sequence of Reliability
        One panel each, under its name.
    positions : sequence of int or None
        Positions of their colours; None is grey.
    remarks : sequence of str
        A few letters in the corner of each panel.
    title, description : str
        Plain text.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> one = Reliability("halfseen", [0.1, 0.9], [0.2, 0.8], [50, 40])
    >>> svg = reliability_panels_svg([one], [0], ["0.1"], title="Calibration",
    ...                              description="One method.")
    >>> svg.count('class="guide"'), svg.count('class="dot"')
    (1, 2)
    """
    n_lines = -(-len(curves) // _PER_LINE)
    parts = []
    for place, (curve, position, remark) in enumerate(zip(curves, positions, remarks, strict=True)):
        left = _LEFT + place % _PER_LINE * (_SIDE + _GAP_X)
        top = _TOP + place // _PER_LINE * (_SIDE + _GAP_Y)
        parts.append(_panel(curve, position, left, top, is_first=place % _PER_LINE == 0))
        parts.append(label(remark, left + _SIDE - 5, top + _SIDE - 6, anchor="end"))
    n_across = min(max(len(curves), 1), _PER_LINE)
    width = _LEFT + n_across * _SIDE + (n_across - 1) * _GAP_X + 10
    return drawing(width, max(n_lines, 1) * (_SIDE + _GAP_Y), title, description, *parts)


def _panel(
    curve: Reliability, position: int | None, left: float, top: float, *, is_first: bool
) -> str:
    x = Scale(0.0, 1.0, left, left + _SIDE)
    y = Scale(0.0, 1.0, top + _SIDE, top)
    frame = element(
        "path", d=f"M{left:g} {top:g}v{_SIDE:g}h{_SIDE:g}v{-_SIDE:g}z", class_="gridline"
    )
    diagonal = element("path", d=f"M{left:g} {top + _SIDE:g}l{_SIDE:g} {-_SIDE:g}", class_="guide")
    name_class = "name" if position is None else "name series"
    inside = [
        frame,
        diagonal,
        label(shortened(curve.name, _LONGEST_NAME), left, top - 6, class_=name_class),
    ]
    for value in (0.0, 0.5, 1.0):
        text = f"{value:g}"
        inside.append(label(text, float(x(value)), top + _SIDE + 14, anchor="middle"))
        if is_first:
            inside.append(label(text, left - 5, float(y(value)) + 4, anchor="end"))
    points = [
        (said, true, n)
        for said, true, n in zip(curve.said, curve.came_true, curve.n_entries, strict=True)
        if n and np.isfinite([said, true]).all()
    ]
    if points:
        d = "M" + "L".join(f"{float(x(s)):.1f} {float(y(t)):.1f}" for s, t, _ in points)
        line_class = "faint" if position is None else "line"
        inside.append(element("path", d=d, class_=line_class))
    most = max((n for *_, n in points), default=1)
    for said, true, n in points:
        size = 1.4 + 2.6 * float(np.sqrt(n / most))
        told = element(
            "title", safe_text(f"said {said:.2f}, came true {true:.2f}, {n:,.0f} entries")
        )
        a, b = float(x(said)), float(y(true))
        if position is None:
            mark = element("circle", cx=a, cy=b, r=size, class_="faintdot")
        else:
            mark = marker(0, a, b, size)
        inside.append(element("g", told, mark))
    return element("g", *inside, class_=None if position is None else series_class(position))
