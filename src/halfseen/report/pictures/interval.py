"""An interval as small as a word, within the range of its column."""

from __future__ import annotations

from halfseen.report.pictures.element import drawing, element
from halfseen.report.pictures.scale import Scale

_WIDTH = 120.0
_HEIGHT = 12.0


def interval_svg(
    low: float, value: float, high: float, lowest: float, highest: float, what: str
) -> str:
    """An interval and the value within it, on the range of the column, for a cell of a table.

    Parameters
    ----------
    low, value, high : float
        Bounds, and what is expected between them.
    lowest, highest : float
        Range of the column; widened where the interval reaches beyond.
    what : str
        What it shows, for those who do not see it.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> interval_svg(1.0, 2.0, 3.0, 0.0, 10.0, "from 1 to 3").count("<circle")
    1
    """
    left, right = min(lowest, low), max(highest, high)
    scale = Scale(left, right if right > left else left + 1.0, 4.0, _WIDTH - 4.0)
    a, b, c = scale([low, value, high]).tolist()
    middle = _HEIGHT / 2
    return drawing(
        _WIDTH,
        _HEIGHT,
        what,
        what,
        element("path", d=f"M4 {middle:g}H{_WIDTH - 4:g}", class_="gridline"),
        element("rect", x=a, y=middle - 2.5, width=max(c - a, 1.0), height=5, class_="bar s1"),
        element("circle", cx=b, cy=middle, r=3.6, class_="ring s1"),
        class_="spark",
    )
