"""The snippets of a page, in the order in which they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LANGUAGES = ("python", "console", "text")


@dataclass(frozen=True)
class Snippet:
    """What stands between two fences.

    Attributes
    ----------
    page : Path
        The page.
    line : int
        Where its first line stands, counted from 1.
    language : str
        "python", "console", or "text" for what the snippet before it prints.
    content : str
        Its lines.
    """

    page: Path
    line: int
    language: str
    content: str

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.name}, line {self.line}"


def snippets_of(page: Path) -> list[Snippet]:
    """All snippets of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Snippet(page, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])
        for found in _FENCE.finditer(text)
    ]
