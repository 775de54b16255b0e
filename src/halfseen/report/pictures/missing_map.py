"""Where the holes are: columns upright, patterns or rows across."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.pictures.element import drawing, element, label
from halfseen.report.pictures.frame import WIDTH, text_width
from halfseen.report.safe_text import safe_text, shortened

_LONGEST_NAME = 22
_MOST_NAMES = 40
_SHADES = 8


def missing_map_svg(
    share_missing: ArrayLike,
    column_names: Sequence[str],
    *,
    title: str,
    description: str,
    x_label: str,
    x_ends: tuple[str, str] = ("", ""),
    widths: Sequence[float] | None = None,
) -> str:
    """Holes of a table: a line for every column, from left to right its rows in groups.

    Parameters
    ----------
    share_missing : array-like of shape (n_columns, n_groups)
        Between 0 and 1: how much of the column is missing among the rows of the group.
    column_names : sequence of str
        Plain text; where there are many, only some are written.
    title, description, x_label : str
        Plain text.
    x_ends : (str, str), default=("", "")
        What stands at both ends of the lying axis.
    widths : sequence of float or None, default=None
        How wide each group is drawn; None draws all alike.

    Returns
    -------
    str
        One ``<svg>`` element.

    Examples
    --------
    >>> svg = missing_map_svg([[0.0, 1.0], [0.5, 0.0]], ["age", "income"], title="Holes",
    ...                       description="Two columns.", x_label="rows")
    >>> svg.count('class="cell-hole"')
    2
    """
    shares = np.asarray(share_missing, np.float64).reshape(len(column_names), -1)
    n_columns, n_groups = shares.shape
    step = -(-n_columns // _MOST_NAMES) or 1
    line = 15.0 if n_columns <= _MOST_NAMES else max(15.0 / step, 2.0)
    names = [shortened(name, _LONGEST_NAME) for name in column_names]
    left = max((text_width(name) for name in names[::step]), default=0.0) + 8
    room = WIDTH * 1.08 - left
    share_of = np.full(n_groups, 1.0) if widths is None else np.asarray(widths, np.float64)
    edges = left + np.concatenate([[0.0], np.cumsum(share_of) / share_of.sum() * room])
    top = 4.0
    bottom = top + n_columns * line
    parts = [
        element("rect", x=left, y=top, width=room, height=n_columns * line, class_="cell-back"),
        _holes(shares, edges, top, line),
    ]
    for j in range(0, n_columns, step):
        middle = top + (j + 0.5) * line + 4
        told = element("title", safe_text(column_names[j]))
        text = label(names[j], left - 7, middle, class_="name", anchor="end")
        parts.append(element("g", told, text))
    if widths is not None:
        parts += [
            element("path", d=f"M{edge:.1f} {top:g}V{bottom:g}", class_="gridline")
            for edge in edges[1:-1].tolist()
        ]
    parts.append(element("path", d=f"M{left:.1f} {bottom:g}H{left + room:.1f}", class_="axis"))
    parts.append(label(x_ends[0], left, bottom + 16))
    parts.append(label(x_ends[1], left + room, bottom + 16, anchor="end"))
    parts.append(label(x_label, left + room / 2, bottom + 16, class_="name", anchor="middle"))
    return drawing(left + room, bottom + 26, title, description, *parts)


def _holes(shares: NDArray[np.float64], edges: NDArray[np.float64], top: float, line: float) -> str:
    """One path for every shade, neighbours of one shade joined."""
    shade = np.ceil(np.clip(shares, 0.0, 1.0) * _SHADES - 1e-9).astype(int)
    paths: list[list[str]] = [[] for _ in range(_SHADES + 1)]
    gap = 1.0 if line > 5 else 0.0
    for j, row in enumerate(shade.tolist()):
        start = 0
        for end in range(1, len(row) + 1):
            if end == len(row) or row[end] != row[start]:
                wide, y = edges[end] - edges[start], top + j * line
                paths[row[start]].append(
                    f"M{edges[start]:.1f} {y:.1f}h{wide:.1f}v{line - gap:.1f}h{-wide:.1f}z"
                )
                start = end
    return "".join(
        element("path", d="".join(drawn), class_="cell-hole", fill_opacity=0.9 * level / _SHADES)
        for level, drawn in enumerate(paths)
        if drawn and level
    )
