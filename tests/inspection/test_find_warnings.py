"""All warnings together."""

from __future__ import annotations

import numpy as np

from halfseen.inspection.column_summary import CategoryCount
from halfseen.inspection.find_warnings import find_warnings
from halfseen.inspection.label_coverage import LabelCoverage
from inspection.columns import accumulated, sampled


def test_labels_that_cannot_be_learned() -> None:
    labels = [
        LabelCoverage("a", 10, 0, (), 0, 0),
        LabelCoverage("b", 10, 4, (CategoryCount("1", 4),), 1, 4),
        LabelCoverage("c", 10, 4, (CategoryCount("1", 2), CategoryCount("0", 2)), 2, 2),
    ]
    found = find_warnings([], [], labels, 0)
    assert [(warning.column, warning.kind) for warning in found] == [
        ("a", "no labels"),
        ("b", "one class"),
    ]
    assert "All 4 known values of the label b are 1" in found[1].sentence


def test_what_matters_most_comes_first() -> None:
    label = (np.arange(60) % 2).astype(float)
    cells = {"same": [1.0] * 60, "id": list(range(60)), "copy": label, "label": label}
    found = find_warnings(sampled(cells, ["label"]), accumulated(cells), [], 1)
    assert [(warning.column, warning.kind) for warning in found] == [
        ("copy", "leak"),
        ("id", "identifier"),
        ("same", "constant"),
        ("label", "duplicate"),
        (None, "empty rows"),
    ]
    assert found[-1].sentence.startswith("In 1 row no feature is observed")
