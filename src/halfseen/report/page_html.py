"""A page as HTML."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import count, groupby

from halfseen._version import __version__
from halfseen.report.number_text import measured_text, number_text
from halfseen.report.page import Page, command_text
from halfseen.report.palette import palette_css
from halfseen.report.parts import (
    Cell,
    Code,
    Details,
    Drawers,
    Entry,
    Facts,
    Gallery,
    Heading,
    Note,
    Part,
    Picture,
    Table,
    TableColumn,
)
from halfseen.report.safe_text import safe_text

_LONG_TEXT = 36


def page_html(page: Page) -> str:
    """The page as one HTML document that needs nothing else.

    Text is escaped. Style and script stand in the document; a policy in its head forbids all
    others, and every request to elsewhere.

    Parameters
    ----------
    page : Page
        The page.

    Returns
    -------
    str
        The same for the same page, down to the last byte.

    Examples
    --------
    >>> from halfseen.report import Note, Page, Section
    >>> page = Page("A & B", "Two.", (Section("First", "first", (Note("1 < 2"),)),))
    >>> "<h1>A &amp; B</h1>" in page_html(page), "1 &lt; 2" in page_html(page)
    (True, True)
    """
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="generator" content="halfseen {__version__}">',
            f"<title>{safe_text(page.title)}</title>",
            '<link rel="icon" href="data:,">',
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#content">Skip to the content</a>',
            '<div class="sheet">',
            f"<header><h1>{safe_text(page.title)}</h1>",
            f'<p class="lead">{safe_text(page.lead)}</p></header>',
            _contents(page),
            f'<main id="content">\n{_sections(page)}\n</main>',
            _footer(page),
            "</div>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


class _Numbers:
    """The running numbers of tables and figures."""

    def __init__(self) -> None:
        self.table: Iterator[int] = count(1)
        self.figure: Iterator[int] = count(1)


def _sections(page: Page) -> str:
    numbers = _Numbers()
    return "\n".join(
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-title">\n'
        f'<h2 id="{section.anchor}-title">{safe_text(section.title)}</h2>\n'
        f"{_parts(section.parts, numbers)}\n</section>"
        for section in page.sections
    )


def _parts(parts: Sequence[Part], numbers: _Numbers) -> str:
    return "\n".join(_part(part, numbers) for part in parts)


def _part(part: Part, numbers: _Numbers) -> str:
    match part:
        case Note():
            tone = "note" if part.tone == "plain" else f"note {part.tone}"
            return f'<p class="{tone}">{safe_text(part.text)}</p>'
        case Heading():
            return f"<h3>{safe_text(part.text)}</h3>"
        case Code():
            return f"<pre><code>{safe_text(part.text)}</code></pre>"
        case Facts():
            items = "".join(
                f"<div><dt>{safe_text(name)}</dt><dd>{safe_text(figure)}</dd></div>"
                for name, figure in part.items
            )
            return f'<dl class="facts">{items}</dl>'
        case Picture():
            return _picture(part, numbers)
        case Gallery():
            inside = "\n".join(_picture(picture, numbers) for picture in part.pictures)
            return f'<div class="gallery">\n{inside}\n</div>'
        case Table():
            return _table(part, numbers)
        case Details():
            return (
                f"<details><summary>{safe_text(part.summary)}</summary>\n"
                f'<div class="inside">\n{_parts(part.parts, numbers)}\n</div></details>'
            )
        case Drawers():
            return f'<script type="application/json" id="drawers">{_drawers(part)}</script>'


def _picture(picture: Picture, numbers: _Numbers) -> str:
    number = next(numbers.figure)
    return (
        f'<figure class="picture">\n'
        f'<div class="scroll" role="group" aria-labelledby="figure-{number}">{picture.svg}</div>\n'
        f'<figcaption id="figure-{number}"><b>Figure {number}.</b> {safe_text(picture.caption)}'
        "</figcaption>\n</figure>"
    )


def _table(table: Table, numbers: _Numbers) -> str:
    number = next(numbers.table)
    heads = "".join(_head(head) for head in table.heads)
    rows = "\n".join(
        "<tr>"
        + "".join(
            _cell(entry, head, is_first=place == 0)
            for place, (entry, head) in enumerate(zip(row, table.heads, strict=True))
        )
        + "</tr>"
        for row in table.rows
    )
    sorts = " data-sorts" if table.sorts and len(table.rows) > 1 else ""
    groups = _groups(table.heads)
    kind = ' class="grouped"' if groups else ""
    return (
        f'<figure class="table">\n<figcaption id="table-{number}"><b>Table {number}.</b> '
        f"{safe_text(table.caption)}</figcaption>\n"
        f'<div class="scroll" role="group" aria-labelledby="table-{number}">'
        f'<table{kind} aria-labelledby="table-{number}" data-shown="{table.shown}"{sorts}>\n'
        f"<thead>{groups}<tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n</figure>"
    )


def _groups(heads: Sequence[TableColumn]) -> str:
    """A line of heads above the heads, where there are any."""
    if not any(head.group for head in heads):
        return ""
    cells = []
    for group, own in groupby(heads, key=lambda head: head.group):
        name = f'th scope="col" class="group" colspan="{len(list(own))}"'
        if not group:
            name = name.replace('th scope="col"', "td")
        cells.append(f"<{name}>{safe_text(group)}</{name[:2]}>")
    return f"<tr>{''.join(cells)}</tr>"


def _drawers(drawers: Drawers) -> str:
    """The drawers as JSON in which heads and texts that come again stand once."""
    heads: dict[tuple[str, ...], int] = {}
    texts: dict[tuple[str, str], int] = {}
    by_name = {
        name: [
            drawer.title,
            heads.setdefault(tuple(drawer.columns), len(heads)),
            [list(row) for row in drawer.rows],
            [texts.setdefault(fact, len(texts)) for fact in drawer.facts],
        ]
        for name, drawer in drawers.by_name.items()
    }
    document = {"heads": list(heads), "texts": list(texts), "drawers": by_name}
    written = json.dumps(document, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _head(head: TableColumn) -> str:
    kind = ' class="n" data-kind="number"' if head.numeric else ""
    return f'<th scope="col"{kind}>{safe_text(head.title)}</th>'


def _cell(entry: Entry, head: TableColumn, *, is_first: bool) -> str:
    cell = _as_cell(entry, head)
    classes = ["n"] if head.numeric else []
    if cell.tone != "plain":
        classes.append(cell.tone)
    if not head.numeric and len(cell.text) > _LONG_TEXT and not is_first:
        classes.append("long")
    attributes = f' class="{" ".join(classes)}"' if classes else ""
    if cell.key is not None:
        attributes += f' data-key="{safe_text(str(cell.key))}"'
    if cell == _NOTHING:
        attributes += " data-none"
    if cell.opens:
        attributes += f' data-opens="{safe_text(cell.opens)}"'
    name = 'th scope="row"' if is_first else "td"
    text = safe_text(cell.text)
    inside = f"{text}{cell.svg}"
    if head.numeric and cell.svg:
        inside = f'{cell.svg}<span class="figure">{text}</span>'
    if cell.spread:
        inside += f' <span class="spread">{safe_text(cell.spread)}</span>'
    if cell.below:
        inside += f"<small>{safe_text(cell.below)}</small>"
    return f"<{name}{attributes}>{inside}</{name[:2]}>"


_NOTHING = Cell("\N{EN DASH}")


def _as_cell(entry: Entry, head: TableColumn) -> Cell:
    if isinstance(entry, Cell):
        return entry
    if entry is None or entry != entry:
        return _NOTHING
    if isinstance(entry, str):
        return Cell(entry)
    said = number_text if isinstance(entry, int) else measured_text
    return Cell(said(entry, head.digits), key=float(entry))


def _contents(page: Page) -> str:
    links = "\n".join(
        f'<li><a href="#{section.anchor}">{safe_text(section.title)}</a></li>'
        for section in page.sections
    )
    return (
        '<nav aria-label="Contents"><div><h2 aria-hidden="true">Contents</h2>\n'
        f"<ol>\n{links}\n</ol></div></nav>"
    )


def _footer(page: Page) -> str:
    command = ""
    if page.made_by:
        command = f" by <code>{safe_text(command_text(page.made_by))}</code>"
    return f"<footer>Made with halfseen {safe_text(__version__)}{command}.</footer>"


@cache
def _style() -> str:
    own = files("halfseen.report").joinpath("page.css").read_text(encoding="utf-8")
    return f"\n{palette_css()}\n{own}"


@cache
def _script() -> str:
    return "\n" + files("halfseen.report").joinpath("page.js").read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"
