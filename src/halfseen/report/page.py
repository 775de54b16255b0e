"""Pages: templates with every text escaped, charts as SVG in the colours of the page, and writing.

A page needs nothing else. Its Content-Security-Policy allows its one style sheet by digest and no
script, no style attribute and no request.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from os import PathLike
from typing import Any, Final
from xml.etree import ElementTree

from halfseen._version import __version__
from halfseen.atomic import replace_atomically
from halfseen.plot import COLOURS, column_label, shortened

try:
    import matplotlib as mpl
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup
    from matplotlib.figure import Figure
except ModuleNotFoundError as error:
    message = f"A report needs {error.name}: pip install 'halfseen[report]'"
    raise ModuleNotFoundError(message, name=error.name) from error

_DASH, _MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
# Not allowed in any document, or able to change the direction of what follows.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
_VARIABLES: Final = {colour: f"var(--{name})" for name, colour in COLOURS.items()}
_NUMBER: Final = re.compile(r"-?\d+\.\d+")
_XLINK: Final = "{http://www.w3.org/1999/xlink}href"
_COORDINATES: Final = ("d", "x", "y", "width", "height", "transform")  # coordinates of SVG


def render(template: str, *, title: str, **content: Any) -> str:
    """A page from a template of this package."""
    environment = _environment()
    style = environment.get_template("page.css").render(colours=COLOURS)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    page = environment.get_template(template)
    return page.render(
        title=shortened(title, 200), style=Markup(style), digest=digest, version=__version__,
        **content,
    )  # fmt: skip


def write_page(text: str, path: str | PathLike[str]) -> None:
    """Write a page as UTF-8; an existing file is replaced as a whole or not at all."""
    with replace_atomically(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def chart(
    draw: Callable[..., Any], *given: Any, title: str, height: float = 260, **options: Any
) -> dict[str, Any]:
    """A chart of `halfseen.plot` as SVG for the page, with its title."""
    name = "chart-" + sha256(title.encode(errors="replace")).hexdigest()[:8]
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # a style of the user would give another page
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": name})
        # The browser has fonts for what matplotlib's cannot show.
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        # As narrow as a phone, so that text can be read there.
        figure = Figure(figsize=(330 / 72, height / 72), layout="constrained")
        figure.patch.set_visible(False)
        ax = figure.add_subplot()
        ax.patch.set_visible(False)
        draw(*given, ax=ax, **options)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None})
    return {"svg": Markup(_inline(written.getvalue(), name)), "name": name, "title": title}


def _inline(svg: str, name: str) -> str:
    """SVG that may stand in the page: no namespaces or style attributes, colours as variables."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("metadata", "style")):
                parent.remove(child)
    used = set(re.findall(r"#([\w.-]+)", svg))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        own = element.attrib
        for rule in filter(None, map(str.strip, own.pop("style", "").split(";"))):
            key, value = map(str.strip, rule.split(":", 1))
            if key != "font-family":
                own[key] = _VARIABLES.get(value, value)
        if _XLINK in own:
            own["href"] = f"#{name}-{own.pop(_XLINK)[1:]}"
        if "clip-path" in own:
            own["clip-path"] = own["clip-path"].replace("#", f"#{name}-")
        if "id" in own and (identifier := own.pop("id")) in used:
            own["id"] = f"{name}-{identifier}"
        for key in own.keys() & _COORDINATES:
            rounded = _NUMBER.sub(lambda found: f"{float(found[0]):.1f}", own[key])
            own[key] = re.sub(r"\.0\b|\n", "", rounded)
        element.tail = None
        if element.tag != "text":
            element.text = None
    width, height = root.get("viewBox", "0 0 0 0").split()[2:]
    root.attrib = {
        "viewBox": f"0 0 {width} {height}", "width": width, "height": height, "role": "img",
        "aria-labelledby": f"{name}-title", "aria-describedby": f"{name}-text",
        "stroke-linejoin": "round",
    }  # fmt: skip
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("halfseen.report"), autoescape=True, undefined=StrictUndefined,
        finalize=_allowed, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    filters = {"number": number, "percent": percent, "value": value_text, "name": name_text}
    environment.filters |= filters
    return environment


def _allowed(value: Any) -> Any:
    """Text without characters that a page may not hold."""
    if type(value) is str:
        return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", value)
    return value


def number(value: float | None, digits: int = 3) -> Markup:
    """A number with a few digits, and all of them for machines; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return Markup(_DASH)
    return _data(value, number_text(value, digits))


def _data(value: float, text: str) -> Markup:
    return Markup(f'<data value="{float(value)!r}">{text}</data>')


def number_text(value: float, digits: int = 3) -> str:
    """A number with a few significant digits; whole numbers in full."""
    value = float(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", _MINUS)
    size = math.floor(math.log10(abs(value)))
    if not -4 <= size < 15:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(power)}".replace("-", _MINUS)
    return f"{value:,.{max(0, digits - 1 - size)}f}".replace("-", _MINUS)


def percent(share: float | None) -> Markup:
    """A share as a percentage, and in full for machines."""
    if share is None or not math.isfinite(share):
        return Markup(_DASH)
    points = 100 * share
    text = f"{points:.0f}" if points == 0 or points >= 9.95 else f"{points:.1f}"
    text = "&lt;0.1" if 0 < points < 0.05 else "&gt;99.9" if 99.95 < points < 100 else text
    return _data(share, f"{text}\N{NO-BREAK SPACE}%")


def value_text(value: Any) -> Any:
    """A value of a table: a number for machines, too; long text shortened."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _DASH
    if not isinstance(value, float):
        return shortened(str(value))
    text = number_text(value, 4)
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return _data(value, text)


def name_text(name: str | int, is_target: bool = False) -> Markup:
    """The name of a column, which may go on in another line behind its separators."""
    parts = re.split(
        r"(?<=[\w.][_./:-])(?=\w|<)", _allowed(column_label(name, is_target=is_target))
    )
    return Markup("<wbr>").join(parts)
