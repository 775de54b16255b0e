from __future__ import annotations

from halfseen.cli.reading import Reading
from halfseen.files import DEFAULT_MISSING_MARKS


def test_marks_are_added_to_the_usual_ones() -> None:
    assert Reading(("-99", "NA")).marks() == (*DEFAULT_MISSING_MARKS, "-99")


def test_or_take_their_place() -> None:
    assert Reading(("-99",), only_missing=True).marks() == ("", "-99")
