"""Columns that hold the same."""

from __future__ import annotations

from typing import Any

from halfseen.inspection.find_duplicates import find_duplicates
from inspection.columns import accumulated, sampled


def test_values_and_holes_must_be_the_same() -> None:
    cells: dict[str, list[Any]] = {
        "a": [1.0, None, 3.0],
        "b": [1.0, 2.0, 3.0],
        "c": [1, None, 3],
        "d": ["x", "y", None],
        "e": ["x", "y", None],
        "f": ["x", None, "y"],
        "g": [5.0, 5.0, 5.0],
        "h": [5.0, 5.0, 5.0],
    }
    found = find_duplicates(sampled(cells), accumulated(cells))
    assert [(warning.column, warning.kind) for warning in found] == [
        ("c", "duplicate"),
        ("e", "duplicate"),
    ]
    assert found[0].sentence == "c holds the same as a in every row; one is enough."
