"""Whether HTML and SVG are what they should be."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

VOID = {"meta", "link", "br", "img", "input", "hr"}
SPACE = "{http://www.w3.org/2000/svg}"


class Checker(HTMLParser):
    """Reads a document and notes what is wrong with it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if len(attributes) != len(attrs):
            self.wrong.append(f"<{tag}> repeats an attribute")
        self.elements.append((tag, attributes))
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        if attributes.get("aria-labelledby"):
            self.references.append(str(attributes["aria-labelledby"]))
        href = str(attributes.get("href") or "")
        if href.startswith("#"):
            self.references.append(href[1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.texts.append(data)


def checked_html(text: str) -> Checker:
    """Read a document, and fail unless it is balanced, self-contained and well labelled."""
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert checker.wrong == []
    assert len(checker.ids) == len(set(checker.ids))
    assert set(checker.references) <= set(checker.ids)
    for tag, attributes in checker.elements:
        assert "style" not in attributes, "the policy of the page forbids it"
        assert not any(name.startswith("on") for name in attributes)
        assert tag not in ("iframe", "object", "embed", "base", "form")
        for name in ("src", "href", "xlink:href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:"))
        if tag == "th":
            assert attributes.get("scope") in ("col", "row")
    without_names = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|url\(|@import", without_names)
    assert [tag for tag, _ in checker.elements].count("h1") == 1
    for svg in re.findall(r"<svg.*?</svg>", text, re.S):
        checked_svg(svg)
    return checker


def checked_svg(svg: str) -> ElementTree.Element:
    """Read a drawing, and fail unless it is well-formed, told in words, and of finite numbers."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SPACE}svg"
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert title.tag == f"{SPACE}title"
    assert title.text
    assert description.tag == f"{SPACE}desc"
    assert description.text
    width, height = float(str(root.get("width"))), float(str(root.get("height")))
    assert 0 < width < 2000
    assert 0 < height < 4000
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in ("d", "x", "y", "cx", "cy", "r", "width", "height", "transform"):
                assert "nan" not in value
                assert "inf" not in value
    return root


def number_of(root: ElementTree.Element, name: str) -> int:
    """How many elements of a name there are."""
    return len(list(root.iter(f"{SPACE}{name}")))


def with_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """Elements of a class."""
    return [element for element in root.iter() if name in str(element.get("class")).split()]


def words(root: ElementTree.Element) -> list[str]:
    """What is written in a drawing."""
    return [str(text.text) for text in root.iter(f"{SPACE}text")]
