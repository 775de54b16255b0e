"""A page: a title, a lead, and sections."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from halfseen.report.parts import Part


@dataclass(frozen=True)
class Section:
    """One section of a page.

    Parameters
    ----------
    title : str
        Plain text.
    anchor : str
        What a link to the section ends with: letters, digits and hyphens.
    parts : sequence of Note, Picture, Gallery, Table or Details
        What stands in it.

    Examples
    --------
    >>> from halfseen.report import Note
    >>> Section("Data", "data", (Note("Sixty rows."),)).anchor
    'data'
    """

    title: str
    anchor: str
    parts: Sequence[Part]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9-]+", self.anchor):
            raise ValueError(
                f"the anchor of the section {self.title!r} must consist of letters, digits and "
                f"hyphens, got {self.anchor!r}"
            )


def command_text(words: Sequence[str]) -> str:
    """A command as it is typed; a single word is taken for the whole of it.

    Examples
    --------
    >>> command_text(["halfseen", "report", "my model"]), command_text(["halfseen report m"])
    ("halfseen report 'my model'", 'halfseen report m')
    """
    return words[0] if len(words) == 1 else shlex.join(words)


@dataclass(frozen=True)
class Page:
    """A whole page, before it is written.

    Parameters
    ----------
    title : str
        Plain text.
    lead : str
        What the page is about, in a sentence or two.
    sections : sequence of Section
        In the order in which they stand; their anchors differ.
    made_by : sequence of str, default=()
        The command that made the page, word by word or as one text; shown at its foot.

    Examples
    --------
    >>> from halfseen.report import Note
    >>> page = Page("A model", "What it is.", (Section("Data", "data", (Note("Sixty rows."),)),))
    >>> [section.title for section in page.sections]
    ['Data']
    """

    title: str
    lead: str
    sections: Sequence[Section]
    made_by: Sequence[str] = ()

    def __post_init__(self) -> None:
        anchors = [section.anchor for section in self.sections]
        twice = sorted({anchor for anchor in anchors if anchors.count(anchor) > 1})
        if twice:
            raise ValueError(f"two sections of the page have the anchor {twice[0]!r}")
