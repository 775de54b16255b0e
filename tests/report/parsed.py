"""A page as a reader of its elements sees it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

VOID = {
    "meta",
    "link",
    "br",
    "wbr",
    "rect",
    "use",
    "path",
}  # of which the last three close themselves
REFERENCES = ("aria-labelledby", "aria-describedby")


class Cell:
    """A cell of a table: its text, and the full values of its numbers."""

    def __init__(self) -> None:
        self.text, self.values = "", list[float]()


class ParsedPage(HTMLParser):
    """Elements, texts and tables of a page; fails where elements are not nested."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.headings: list[str] = []
        self.tables: dict[str, list[list[Cell]]] = {}
        self.text = self.style = ""
        self._cell: Cell | None = None
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        self.tags.append((tag, own))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self._rows = self.tables.setdefault(own["aria-labelledby"], [])
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            self._cell = Cell()
            self._rows[-1].append(self._cell)
        if tag == "data" and self._cell is not None:
            self._cell.values.append(float(own["value"]))
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open.pop() == tag
        if tag in ("td", "th"):
            self._cell = None
        if tag == "thead":
            del self._rows[-1]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
            return
        self.text += data
        if self._cell is not None:
            self._cell.text += data
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data

    def attributes(self, name: str) -> list[str]:
        """All values of an attribute."""
        return [own[name] for _, own in self.tags if name in own]


def check_page(html: str) -> ParsedPage:
    """A page that is nested, self-contained and allowed by its own policy."""
    page = ParsedPage(html)
    page.text = " ".join(page.text.split())
    names = [tag for tag, _ in page.tags]
    assert not {"script", "iframe", "img", "object", "embed", "form", "foreignobject"} & set(names)
    for tag, own in page.tags:
        assert not [name for name in own if name.startswith("on") or name in ("style", "src")], tag
        assert own.get("href", "#").startswith(("#", "data:,")), own
    identifiers = page.attributes("id")
    assert len(identifiers) == len(set(identifiers))
    referred = [name for key in REFERENCES for name in page.attributes(key)]
    referred += [href[1:] for href in page.attributes("href") if href.startswith("#")]
    referred += re.findall(r"url\(#([^)]+)\)", html)
    assert set(referred) <= set(identifiers)
    policy = next(own["content"] for _, own in page.tags if "http-equiv" in own)
    digest = b64encode(sha256(page.style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    charts = [own for tag, own in page.tags if tag == "svg" and "aria-hidden" not in own]
    assert all(own["role"] == "img" for own in charts)
    assert not re.findall(r'(?:fill|stroke)="#', html)  # colours follow light and dark
    return page
