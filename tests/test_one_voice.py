"""Names, messages, docstrings and pages have one vocabulary; retired words do not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A retired word, and what is written instead.
RETIRED = {
    r"holes?": "missing values",
    r"put(s|ting)? aside": "hold out; validation entries",
    r"companions?": "nothing: there is one model",
    r"knots?": "bins",
    r"re-?hid\w*": "mask, masked batch",
    r"hidden again": "masked",
    r"(has|have|had|having) a say": "weights, stacking",
    r"heard": "predictions",
    r"blind.readers?": "feature-only members",
    r"honest\w*": "calibration, coverage",
    r"rivals?": "baseline",
    r"contenders?": "baseline",
    r"peers?": "baseline",
    r"n_epochs": "n_iter",
    r"column_kinds": "feature_types",
    r"sees_missing": "add_indicator",
    r"held_out_share": "validation_fraction",
    r"n_machines": "n_estimators",
}
_WORDS = re.compile("|".join(rf"(?P<w{i}>\b{word})" for i, word in enumerate(RETIRED)), re.I)
_WHOLE = re.compile(r"\w")
ENDINGS = {".py", ".md", ".rst", ".toml", ".html", ".css", ".js", ".cff"}
# Generated tables of studies, and what builds leave behind.
SKIPPED = {"results", "_build", "gallery", "generated", "__pycache__", "reproduction.md"}


def texts() -> list[Path]:
    """Sources, examples and pages."""
    folders = [ROOT / name for name in ("src", "docs", "examples")]
    found = [path for folder in folders for path in folder.rglob("*")]
    found += [*ROOT.glob("*.md"), ROOT / "pyproject.toml"]
    return sorted(
        path
        for path in found
        if path.suffix in ENDINGS and not SKIPPED & set(path.relative_to(ROOT).parts)
    )


def retired_words(text: str) -> list[tuple[int, str, str]]:
    """Line, word and what to write instead, of each retired word in a text."""
    found = []
    for match in _WORDS.finditer(text):
        after = text[match.end() : match.end() + 1]
        if _WHOLE.match(match[0][-1]) and _WHOLE.match(after):
            continue  # the beginning of another word
        instead = list(RETIRED.values())[int(str(match.lastgroup)[1:])]
        found.append((text.count("\n", 0, match.start()) + 1, match[0], instead))
    return found


def test_retired_words_are_found() -> None:
    assert retired_words("Fill the Holes.\nsees_missing=True") == [
        (1, "Holes", "missing values"),
        (2, "sees_missing", "add_indicator"),
    ]
    assert retired_words("The whole early_stopping=True, a keyhole, an arrival.") == []


@pytest.mark.parametrize("folder", ["src", "docs", "examples", "."])
def test_no_retired_word_is_used(folder: str) -> None:
    problems = []
    for path in texts():
        inside = path.relative_to(ROOT)
        if (inside.parts[0] if len(inside.parts) > 1 else ".") != folder:
            continue
        for line, word, instead in retired_words(path.read_text(encoding="utf-8")):
            problems.append(f"{inside}:{line}: {word!r}; write: {instead}")
    assert not problems, "\n".join(problems)
