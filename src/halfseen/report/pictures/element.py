"""SVG, element by element."""

from __future__ import annotations

from halfseen.report.safe_text import safe_text


def element(name: str, *inside: str, **attributes: str | float | None) -> str:
    """One element as text.

    Parameters
    ----------
    name : str
        Its name.
    *inside : str
        Elements and escaped text within it.
    **attributes : str, float or None
        Numbers are rounded to a hundredth, None is left out; an underscore at the end is dropped
        and one within becomes a hyphen, so that ``class_`` and ``stroke_width`` can be written.

    Returns
    -------
    str

    Examples
    --------
    >>> element("circle", cx=1.5, cy=2, r=3.14159, class_="dot s1")
    '<circle cx="1.5" cy="2" r="3.14" class="dot s1"/>'
    >>> element("text", "a &amp; b", text_anchor="end")
    '<text text-anchor="end">a &amp; b</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not inside:
        return f"<{name}{written}/>"
    return f"<{name}{written}>{''.join(inside)}</{name}>"


def drawing(
    width: float,
    height: float,
    title: str,
    description: str,
    *inside: str,
    class_: str = "fits",
) -> str:
    """An ``<svg>`` of its own size, with a title and a description for those who do not see it.

    Parameters
    ----------
    width, height : float
        In pixels.
    title, description : str
        Plain text: what it is, and what it shows.
    *inside : str
        Its elements.
    class_ : str, default="fits"
        "fits" shrinks to the width that there is; any other keeps its size and can be scrolled.

    Returns
    -------
    str

    Examples
    --------
    >>> drawing(10, 10, "A <dot>", "One dot.", element("circle", r=1))[-70:]
    '<title>A &lt;dot&gt;</title><desc>One dot.</desc><circle r="1"/></svg>'
    """
    return element(
        "svg",
        element("title", safe_text(title)),
        element("desc", safe_text(description) or "."),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        class_=class_,
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
    )


def label(text: str, x: float, y: float, *, class_: str = "tick", anchor: str = "start") -> str:
    """A text at a place; ``text`` is plain and is escaped here.

    Examples
    --------
    >>> label("a<b", 1, 2, anchor="end")
    '<text x="1" y="2" class="tick" text-anchor="end">a&lt;b</text>'
    """
    return element(
        "text",
        safe_text(text) or " ",
        x=x,
        y=y,
        class_=class_,
        text_anchor=None if anchor == "start" else anchor,
    )


def number(value: float) -> str:
    """A coordinate, to a hundredth.

    Examples
    --------
    >>> number(2.0), number(1.23456), number(-0.001)
    ('2', '1.23', '0')
    """
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else number(value)
