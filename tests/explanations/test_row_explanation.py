from __future__ import annotations

from explanations.tiny import people
from halfseen.explanations import Answer, Influence, explain_row
from halfseen.explanations.example_model import example_model


def test_text_names_answers_units_and_patterns() -> None:
    text = str(explain_row(example_model(), people(), 1))
    lines = text.splitlines()
    assert lines[0] == "row 1"
    assert any(line.startswith("ill: ") for line in lines)
    assert any(line.startswith("  smokes = 0: ") for line in lines)
    assert any(line.startswith("hidden unit ") for line in lines)
    assert any(line.startswith("overlap ") for line in lines)


def test_entries_without_effect_are_not_told() -> None:
    influences = (Influence("a", 1.0, 0.5, "own units"), Influence("b", 2.0, 0.0, "own units"))
    answer = Answer("c", False, 1.5, None, None, (1.0, 2.0), influences)
    assert str(answer).splitlines() == ["c: 1.5 (between 1 and 2)", "  a = 1: +0.5 own units"]
    label = Answer("ill", True, 0, 1, 0.2, None, ())
    assert str(label) == "ill: 0 (20 % for 1)"
