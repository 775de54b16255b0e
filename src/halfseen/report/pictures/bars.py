"""Lying bars, and dots with whiskers: one line for every name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halfseen.report.number_text import number_text
from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import WIDTH, text_width
from halfseen.report.pictures.scale import Scale, scale_around
from halfseen.report.safe_text import safe_text, shortened

_LINE = 22.0
_LONGEST_NAME = 28
_TOP = 8.0


@dataclass(frozen=True)
class Bar:
    """One line of the picture.

    Parameters
    ----------
    name : str
        Plain text.
    value : float
        Where the bar ends or the dot sits; NaN leaves the line empty.
    spread : float or None, default=None
        Half of the length of the whiskers.
    text : str or None, default=None
        What is written at its end; None writes the value.
    series : int, default=0
        Position of its colour.

    Examples
    --------
    >>> Bar("halfseen", 0.91, 0.01).series
    0
    """

    name: str
    value: float
    spread: float | None = None
    text: str | None = None
    series: int = 0


def bars_svg(
    bars: Sequence[Bar],
    *,
    title: str,
    description: str,
    x_label: str,
    highest: float | None = None,
) -> str:
    """Lying bars from zero, with their figures at their ends.

    Parameters
    ----------
    bars : sequence of Bar
        From top to bottom; values may lie on either side of zero.
    title, description, x_label : str
        Plain text.
    highest : float or None, default=None
        Where the axis ends; None goes by the values.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = bars_svg([Bar("a", 0.5), Bar("b", 0.25)], title="Shares", description="Two.",
    ...                x_label="share")
    >>> svg.count("<rect")
    2
    """
    values = [bar.value for bar in bars if np.isfinite(bar.value)]
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    high = highest if highest is not None else high
    if low == high:
        high = 1.0
    x, left = _lying(bars, low, high)
    zero = float(x(0.0))
    lines = []
    for place, bar in enumerate(bars):
        middle = _TOP + (place + 0.5) * _LINE
        drawn = ""
        if np.isfinite(bar.value):
            end = float(x(bar.value))
            drawn = element(
                "rect",
                x=min(zero, end),
                y=middle - 6.5,
                width=max(abs(end - zero), 0.5),
                height=13,
                class_="bar",
            )
        lines.append(_line(bar, middle, left, drawn, _end(bar, x)))
    return _whole(bars, x, left, title, description, x_label, lines, zero)


def dots_svg(
    bars: Sequence[Bar],
    *,
    title: str,
    description: str,
    x_label: str,
) -> str:
    """Dots with whiskers on a scale that begins where the values do: for scores side by side.

    Parameters
    ----------
    bars : sequence of Bar
        From top to bottom.
    title, description, x_label : str
        Plain text.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = dots_svg([Bar("ours", 0.9, 0.01), Bar("prior", 0.5)], title="Scores",
    ...                description="Two methods.", x_label="AUC")
    >>> svg.count("<circle")
    2
    """
    ends = [bar.value + sign * (bar.spread or 0.0) for bar in bars for sign in (-1, 1)]
    around = scale_around(ends, 0, 1, pad=0.06)
    x, left = _lying(bars, around.low, around.high)
    lines = []
    for place, bar in enumerate(bars):
        middle = _TOP + (place + 0.5) * _LINE
        drawn = element("path", d=f"M{left:.1f} {middle:.1f}H{x.end:.1f}", class_="gridline")
        if np.isfinite(bar.value):
            if bar.spread:
                ends_of = x([bar.value - bar.spread, bar.value + bar.spread])
                d = f"M{ends_of[0]:.2f} {middle:.2f}H{ends_of[1]:.2f}"
                drawn += element("path", d=d, class_="whisker")
            drawn += element("circle", cx=float(x(bar.value)), cy=middle, r=4.2, class_="dot")
        lines.append(_line(bar, middle, left, drawn, x.end + 6))
    return _whole(bars, x, left, title, description, x_label, lines, None)


def _lying(bars: Sequence[Bar], low: float, high: float) -> tuple[Scale, float]:
    """The scale, with room for the names before it and the figures after it."""
    names = [text_width(shortened(bar.name, _LONGEST_NAME)) for bar in bars]
    texts = [text_width(_figure(bar)) for bar in bars]
    left = max(names, default=0.0) + 10
    return Scale(low, high, left, WIDTH - max(texts, default=0.0) - 10), left


def _figure(bar: Bar) -> str:
    return number_text(bar.value) if bar.text is None else bar.text


def _end(bar: Bar, x: Scale) -> float:
    return max(float(x(max(bar.value, 0.0))), float(x(0.0))) + 6 if np.isfinite(bar.value) else 0.0


def _line(bar: Bar, middle: float, left: float, drawn: str, end: float) -> str:
    name = label(
        shortened(bar.name, _LONGEST_NAME), left - 8, middle + 4, class_="name", anchor="end"
    )
    figure = label(_figure(bar), end or left + 4, middle + 4)
    return element(
        "g",
        element("title", safe_text(f"{bar.name}: {_figure(bar)}")),
        name,
        drawn,
        figure,
        class_=f"s{bar.series % 8 + 1}",
    )


def _whole(
    bars: Sequence[Bar],
    x: Scale,
    left: float,
    title: str,
    description: str,
    x_label: str,
    lines: list[str],
    zero: float | None,
) -> str:
    bottom = _TOP + len(bars) * _LINE + 4
    ticks = x.ticks(4)
    parts = []
    for place, text in zip(x(ticks).tolist(), x.texts(ticks), strict=True):
        if x.start - 1 <= place <= x.end + 1:
            parts.append(element("path", d=f"M{place:.2f} {_TOP:g}V{bottom:g}", class_="gridline"))
            parts.append(label(text, place, bottom + 15, anchor="middle"))
    parts += lines
    parts.append(element("path", d=f"M{x.start:.2f} {bottom:g}H{x.end:.2f}", class_="axis"))
    if zero is not None:
        parts.append(element("path", d=f"M{zero:.2f} {_TOP:g}V{bottom:g}", class_="axis"))
    middle = (x.start + x.end) / 2
    parts.append(label(x_label, middle, bottom + 32, class_="name", anchor="middle"))
    return drawing(WIDTH, bottom + 40, title, description, *parts)
