"""Plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halfseen.inspection.randomness_test import ColumnRandomness, LittleTest
from halfseen.inspection.randomness_words import (
    Where,
    column_sentence,
    untested_sentence,
    verdict,
)

TOLD = ColumnRandomness("b", 30, 0.713, 0.001, 0.01, "a", 0.7, None, None, "")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (Where("high", None, True), "more often where a is high"),
        (Where("high", None, False), "more often where a is low"),
        (Where("extreme", None, True), "more often where a is far from its middle"),
        (Where("extreme", None, False), "more often where a is near its middle"),
        (Where("category", "red", True), "more often where a is red"),
        (Where("category", "red", False), "less often where a is red"),
    ],
)
def test_where(where: Where, words: str) -> None:
    assert column_sentence(TOLD, where) == f"b is missing {words}: AUC .71, p = .010."


def test_not_told_and_together() -> None:
    column = replace(TOLD, corrected_p=0.3, companion="c", companion_correlation=0.8)
    said = "The holes of b cannot be told from other columns: AUC .71, p = .30."
    assert column_sentence(column, None) == f"{said} Its holes go together with those of c."
    against = replace(column, companion_correlation=-0.8)
    assert column_sentence(against, None) == f"{said} It is mostly missing where c is not."
    assert column_sentence(replace(column, companion_correlation=0.4), None) == said


def test_untested() -> None:
    assert untested_sentence("a", 1, 90, 10).endswith("it has 1 hole, and 10 are needed.")
    assert untested_sentence("a", 90, 2, 10).endswith("it has 2 values, and 10 are needed.")
    assert "vary more" in untested_sentence("a", 50, 50, 10)


def test_verdicts() -> None:
    random = replace(TOLD, corrected_p=0.5)
    little = LittleTest(9.0, 2, 0.01, 0.02, 3, 3, 100)
    assert verdict([TOLD, random], None).startswith("Holes are not completely at random: in 1 of 2")
    assert "Little's test, p = .020" in verdict([random], little)
    assert verdict([random], replace(little, corrected_p=0.4)).startswith("As far as the values")
    together = replace(random, companion="c", companion_correlation=0.9)
    assert verdict([together], None).endswith("Some columns lose their values together.")
