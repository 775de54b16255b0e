"""Heat maps: couplings between columns, and which columns are missing together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.number_text import number_text
from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import WIDTH, text_width
from halfseen.report.safe_text import safe_text, shortened

_LONGEST_NAME = 20
_BAR = 150.0


def heat_map_svg(
    values: ArrayLike,
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    title: str,
    description: str,
    value_label: str,
) -> str:
    """Values in cells: warm above zero, cool below, the paler the nearer to it.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        NaN leaves its cell empty.
    row_names, column_names : sequence of str
        Plain text.
    title, description : str
        Plain text.
    value_label : str
        What a value is.

    Returns
    -------
    str
        One ``<svg>`` element; each cell tells its value when pointed at.

    Examples
    --------
    >>> svg = heat_map_svg([[1.0, -0.5]], ["sold"], ["price", "age"], title="Couplings",
    ...                    description="Two.", value_label="coupling")
    >>> "cell-warm" in svg, "cell-cool" in svg
    (True, True)
    """
    numbers = np.asarray(values, np.float64).reshape(len(row_names), len(column_names))
    finite = np.abs(numbers[np.isfinite(numbers)])
    largest = float(finite.max()) if len(finite) and finite.max() > 0 else 1.0
    left = max((text_width(shortened(n, _LONGEST_NAME)) for n in row_names), default=0.0) + 8
    across = [shortened(name, _LONGEST_NAME) for name in column_names]
    side = _side(len(column_names), WIDTH * 1.5 - left)
    # Names of narrow columns stand steeper, so that they do not touch.
    angle = 40 if side > 22 else 62
    turn = np.deg2rad(angle)
    top = max((text_width(name) for name in across), default=0.0) * float(np.sin(turn)) + 14
    beyond = max((text_width(name) for name in across[-3:]), default=0.0) * float(np.cos(turn))
    parts = [
        element(
            "g",
            label(name, 0, 0, class_="name"),
            transform=f"translate({left + (j + 0.5) * side + 2:.1f} {top - 6:g}) rotate({-angle})",
        )
        for j, name in enumerate(across)
    ]
    for i, name in enumerate(row_names):
        y = top + i * side
        middle = y + side / 2 + 4
        parts.append(
            label(shortened(name, _LONGEST_NAME), left - 7, middle, class_="name", anchor="end")
        )
        parts += _cells(numbers[i], name, column_names, left, y, side, largest)
    bottom = top + len(row_names) * side
    parts.append(_key(left, bottom + 16, largest, value_label))
    width = max(left + len(column_names) * side + beyond, left + _BAR + 60)
    class_ = "fits" if width <= WIDTH * 1.12 else "wide"
    return drawing(width, bottom + 58, title, description, *parts, class_=class_)


def _side(n_columns: int, room: float) -> float:
    return float(np.clip(room / max(n_columns, 1), 15.0, 30.0))


def _cells(
    row: NDArray[np.float64],
    name: str,
    column_names: Sequence[str],
    left: float,
    y: float,
    side: float,
    largest: float,
) -> list[str]:
    cells = []
    for j, value in enumerate(row.tolist()):
        if np.isnan(value):
            continue
        told = f"{name}, {column_names[j]}: {number_text(value)}"
        place = {"x": left + j * side + 0.5, "y": y + 0.5, "width": side - 1, "height": side - 1}
        cells.append(
            element(
                "g",
                element("title", safe_text(told)),
                element("rect", class_="cell-back", **place),
                element(
                    "rect",
                    class_="cell-warm" if value >= 0 else "cell-cool",
                    fill_opacity=abs(value) / largest,
                    **place,
                ),
            )
        )
    return cells


def _key(left: float, y: float, largest: float, value_label: str) -> str:
    n = 11
    parts = []
    for k in range(n):
        value = -1 + 2 * k / (n - 1)
        place = {"x": left + k * _BAR / n, "y": y, "width": _BAR / n, "height": 9.0}
        parts.append(element("rect", class_="cell-back", **place))
        kind = "cell-warm" if value >= 0 else "cell-cool"
        parts.append(element("rect", class_=kind, fill_opacity=abs(value), **place))
    parts.append(label(number_text(-largest, 2), left, y + 22))
    parts.append(label("0", left + _BAR / 2, y + 22, anchor="middle"))
    parts.append(label(number_text(largest, 2), left + _BAR, y + 22, anchor="end"))
    parts.append(label(value_label, left, y + 38, class_="name"))
    return "".join(parts)
