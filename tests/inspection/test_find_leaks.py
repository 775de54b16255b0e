"""Leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.inspection.find_leaks import find_leaks
from inspection.columns import sampled

GENERATOR = np.random.default_rng(0)
N = 400
LABEL = (GENERATOR.random(N) < 0.3).astype(float)
SCORE = GENERATOR.normal(size=N)


def leaks(feature: Any, label: Any = LABEL) -> list[str]:
    cells = {"feature": list(feature), "label": list(label), "noise": SCORE.tolist()}
    found = find_leaks(sampled(cells, ["label"]))
    assert all(warning.kind == "leak" and warning.column == "feature" for warning in found)
    return [warning.sentence for warning in found]


def holed(values: Any, share: float = 0.2) -> list[Any]:
    lost = np.random.default_rng(5).random(N) < share
    return [None if gone else value for gone, value in zip(lost, list(values), strict=True)]


def test_equal_wherever_both_are_known() -> None:
    assert "equals the label label" in leaks(holed(LABEL), holed(LABEL)[::1])[0]
    words = np.where(LABEL == 1, "yes", "no")
    assert "equals the label" in leaks(words.tolist(), words.tolist())[0]


@pytest.mark.parametrize(
    "feature",
    [
        LABEL * 5 + SCORE / 4,
        -(LABEL * 5 + SCORE / 4),
        holed(np.exp(LABEL * 9 + SCORE)),
        np.where(LABEL == 1, "yes", "no").tolist(),
        np.where(LABEL == 1, np.where(SCORE > 0, 9.0, -9.0), SCORE / 9),
        np.where(LABEL == 1, np.where(SCORE > 0, "a", "c"), np.where(SCORE > 0, "b", "d")).tolist(),
    ],
    ids=["higher", "lower", "with holes", "words", "both ends", "four words"],
)
def test_a_feature_that_determines_the_label(feature: Any) -> None:
    assert "nearly determines the label label (AUC" in leaks(feature)[0]


def test_a_rare_label_told_by_a_threshold() -> None:
    rare = np.zeros(N)
    rare[:6] = 1.0
    assert len(leaks(np.arange(N, 0.0, -1), rare)) == 1


def test_classes() -> None:
    classes = GENERATOR.integers(0, 4, N)
    names = np.array(["north", "east", "south", "west"])[classes]
    assert len(leaks(classes.astype(float), names.tolist())) == 1
    assert len(leaks(classes + GENERATOR.normal(size=N) / 1000, names.tolist())) == 1
    # One class told without fail is no leak of the others.
    assert leaks((classes == 2).astype(float), names.tolist()) == []


def test_being_observed_can_tell() -> None:
    feature = np.where(LABEL == 1, SCORE, np.nan)
    assert leaks(feature)[0].startswith("Whether feature is observed nearly determines label (AUC")


@pytest.mark.parametrize(
    "feature",
    [
        SCORE + LABEL,
        [f"device {row}" for row in range(N)],
        holed(SCORE),
        [1.0] * N,
        LABEL * 2 + SCORE,
    ],
    ids=["weak", "identifier", "holes", "constant", "good"],
)
def test_no_leak(feature: Any) -> None:
    assert leaks(feature) == []


def test_too_few_rows_prove_nothing() -> None:
    label: list[Any] = [None] * N
    label[:8] = [1.0] * 4 + [0.0] * 4
    assert leaks(np.arange(float(N)), label) == []
