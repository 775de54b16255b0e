"""Lengths of the sentences in the README and the docs: ``python docs/sentences.py``.

Prose is what stands in paragraphs and lists. Tables, code, formulas and headings are none. It ends
with 1 if the median is above 18 words or a sentence has more than 40.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
HIGHEST_MEDIAN, MOST_WORDS = 18, 40
# Generated tables of studies.
_SKIPPED = {"results", "_build", "gallery", "generated"}


class Sentence(NamedTuple):
    """A sentence, and where it stands."""

    page: Path
    text: str

    @property
    def n_words(self) -> int:
        """Number of words; code and formulas count as one."""
        return len(self.text.split())


def pages() -> list[Path]:
    """The README, the other pages of the root, and the docs."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(p for p in found if not _SKIPPED & set(p.relative_to(ROOT).parts))


def sentences(page: Path) -> list[Sentence]:
    """All sentences of a page."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^(```|~~~).*?^\1\s*$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$", " Formula ", text, flags=re.DOTALL)
    text = re.sub(r"\$[^$\n]+\$", "Formula", text)
    text = re.sub(r"`[^`]*`", "Code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(\||#|\[\w).*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*([-*]|\d+\.)\s+", "\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"\*\*|(?<!\w)\*|\*(?!\w)", "", text)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        joined = " ".join(paragraph.split())
        parts = re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])", joined)
        found += [Sentence(page, part) for part in parts if re.search(r"[a-z]{2}", part)]
    return found


def main() -> int:
    """Print the median, the longest sentences, and the median of each page."""
    of_pages = {page: sentences(page) for page in pages()}
    everything = [one for found in of_pages.values() for one in found]
    middle = median(one.n_words for one in everything)
    longest = sorted(everything, key=lambda one: -one.n_words)
    for page, found in of_pages.items():
        if found:
            words = [one.n_words for one in found]
            print(f"{page.relative_to(ROOT)!s:45} median {median(words):4.0f}, most {max(words)}")
    print(f"\n{len(everything)} sentences, median {middle:.0f} words. The longest:")
    for one in longest[:5]:
        print(f"  {one.n_words} words, {one.page.relative_to(ROOT)}: {one.text}")
    return int(middle > HIGHEST_MEDIAN or longest[0].n_words > MOST_WORDS)


if __name__ == "__main__":
    sys.exit(main())
