"""The snippets of a page, in the order in which they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A plain one shows commands for files and machines that no test has: its options are checked.
LANGUAGES = ("python", "console", "text", "toml", "sh", "")


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
        "python", "console", "text" for what the snippet before it prints, "toml", or nothing.
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
    """All snippets of a page; directives of the site are none."""
    text = page.read_text(encoding="utf-8")
    return [
        Snippet(page, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])
        for found in _FENCE.finditer(text)
        if not found[1].startswith("{")
    ]
