"""The frame of a diagram: axes, grid, labels, legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halfseen.report.pictures.element import element, label
from halfseen.report.pictures.scale import Scale
from halfseen.report.safe_text import shortened

WIDTH = 400.0
HEIGHT = 270.0
N_SERIES = 8
_SIZE = 11.5  # of the letters of ticks and legends
_LINE = 17.0
_SWATCH = 24.0
_LONGEST = 34


def text_width(text: str) -> float:
    """About how wide a text will be, in pixels, rather too much than too little.

    Examples
    --------
    >>> text_width("ill") < text_width("abc") < text_width("WWW")
    True
    """
    return _SIZE * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in "iljtfI.,:;|'!()[] ":
        return 0.36
    if letter in "mwMW@%":
        return 0.95
    if ord(letter) > 0x2E7F:
        return 1.05
    return 0.72 if letter.isupper() else 0.6


def series_class(position: int) -> str:
    """The colour of a series by its position; after eight they come again.

    Examples
    --------
    >>> series_class(0), series_class(8)
    ('s1', 's1')
    """
    return f"s{position % N_SERIES + 1}"


@dataclass(frozen=True)
class Legend:
    """Names of the series, in lines above the diagram.

    Examples
    --------
    >>> Legend(("features", "labels")).height > 0, Legend(()).height
    (True, 0.0)
    """

    names: Sequence[str]
    classes: Sequence[str] | None = None
    width: float = WIDTH

    @property
    def _places(self) -> list[tuple[float, float]]:
        places, x, y = [], 0.0, 12.0
        for name in self.names:
            wide = _SWATCH + text_width(shortened(name, _LONGEST)) + 12
            if x and x + wide > self.width:
                x, y = 0.0, y + _LINE
            places.append((x, y))
            x += wide
        return places

    @property
    def height(self) -> float:
        """How much room it takes."""
        return self._places[-1][1] + 8 if self.names else 0.0

    @property
    def svg(self) -> str:
        """Its elements."""
        return "".join(
            element(
                "g",
                element("path", d=f"M{x:g} {y - 4:g}h16", class_="line", stroke_dasharray=dash(i)),
                element("g", marker(i, x + 8, y - 4)),
                label(shortened(name, _LONGEST), x + _SWATCH, y, class_="name"),
                class_=self.classes[i] if self.classes else series_class(i),
            )
            for i, (name, (x, y)) in enumerate(zip(self.names, self._places, strict=True))
        )


_DASHES = (None, "6 3", "2 3", "8 3 2 3")


def dash(position: int) -> str | None:
    """The dashes of a series, so that colour is not all that tells it from others.

    Examples
    --------
    >>> dash(0) is None, dash(1)
    (True, '6 3')
    """
    return _DASHES[position % len(_DASHES)]


def marker(position: int, x: float, y: float, size: float = 3.2) -> str:
    """The mark of a series at a point: disc, square, diamond or triangle.

    Examples
    --------
    >>> marker(0, 1, 2)
    '<circle cx="1" cy="2" r="3.2" class="dot"/>'
    """
    match position % 4:
        case 0:
            return element("circle", cx=x, cy=y, r=size, class_="dot")
        case 1:
            side = 1.8 * size
            return element(
                "rect", x=x - side / 2, y=y - side / 2, width=side, height=side, class_="dot"
            )
        case 2:
            d = f"M{x:.2f} {y - 1.3 * size:.2f}l{1.3 * size:.2f} {1.3 * size:.2f}"
            d += f"l{-1.3 * size:.2f} {1.3 * size:.2f}l{-1.3 * size:.2f} {-1.3 * size:.2f}z"
            return element("path", d=d, class_="dot")
        case _:
            d = f"M{x:.2f} {y - 1.3 * size:.2f}l{1.25 * size:.2f} {2.2 * size:.2f}"
            d += f"h{-2.5 * size:.2f}z"
            return element("path", d=d, class_="dot")


def axes(
    x: Scale,
    y: Scale,
    x_label: str,
    y_label: str,
    *,
    x_ticks: Sequence[float] | None = None,
    y_ticks: Sequence[float] | None = None,
) -> str:
    """Grid, ticks and labels around an area; the label of the upright axis lies above it.

    Parameters
    ----------
    x, y : Scale
        Of which the places are the edges of the area.
    x_label, y_label : str
        Plain text.
    x_ticks, y_ticks : sequence of float or None, default=None
        None chooses round ones.

    Returns
    -------
    str

    Examples
    --------
    >>> "epoch" in axes(Scale(0, 1, 40, 300), Scale(0, 1, 200, 20), "epoch", "loss")
    True
    """
    xs = list(x_ticks) if x_ticks is not None else x.ticks()
    ys = list(y_ticks) if y_ticks is not None else y.ticks()
    parts = []
    for place, text in zip(y(ys).tolist(), y.texts(ys), strict=True):
        parts.append(element("path", d=f"M{x.start:g} {place:.2f}H{x.end:g}", class_="gridline"))
        parts.append(label(text, x.start - 7, place + 4, anchor="end"))
    for place, text in zip(x(xs).tolist(), x.texts(xs), strict=True):
        parts.append(element("path", d=f"M{place:.2f} {y.start:g}v4", class_="axis"))
        parts.append(label(text, place, y.start + 17, anchor="middle"))
    parts.append(element("path", d=f"M{x.start:g} {y.start:g}H{x.end:g}", class_="axis"))
    parts.append(
        label(x_label, (x.start + x.end) / 2, y.start + 34, class_="name", anchor="middle")
    )
    parts.append(label(y_label, x.start - left_room(y, ys) + 2, y.end - 9, class_="name"))
    return "".join(parts)


def left_room(y: Scale, ticks: Sequence[float] | None = None) -> float:
    """Room that the texts of the upright axis need.

    Examples
    --------
    >>> left_room(Scale(0, 1000, 1, 0)) > left_room(Scale(0, 1, 1, 0))
    True
    """
    texts = y.texts(list(ticks) if ticks is not None else y.ticks())
    return max((text_width(text) for text in texts), default=0.0) + 10
