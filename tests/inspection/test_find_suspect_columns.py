"""Columns a model can do little with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.inspection.find_suspect_columns import find_suspect_columns
from inspection.columns import accumulated, sampled

GENERATOR = np.random.default_rng(0)
N = 200


def kinds(cells: Any, name: str = "c") -> list[str]:
    column = {name: list(cells)}
    return [w.kind for w in find_suspect_columns(sampled(column), accumulated(column))]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"dev-{row}" for row in range(N)], "identifier"),
        (range(1000, 1000 + 3 * N, 3), "identifier"),
        (GENERATOR.permutation(N), "identifier"),
        ([f"the pump {row} was found to leak" for row in range(N)], "free text"),
        ([f"town {row % 80}" for row in range(N)], "many categories"),
        ([7.0, None, 7.0], "constant"),
        (["x"] * 5, "constant"),
        ([None] * 5, "nearly empty"),
        ([1.0, 2.0] + [None] * 198, "nearly empty"),
        ([1.5, float("inf"), 2.0], "infinite"),
    ],
)
def test_each_kind(cells: Any, kind: str) -> None:
    assert kinds(cells) == [kind]


@pytest.mark.parametrize(
    "cells",
    [
        GENERATOR.normal(size=N),
        np.sort(GENERATOR.normal(size=N)),
        GENERATOR.integers(0, 10**9, N),
        GENERATOR.integers(0, 50, N),
        GENERATOR.choice(["a", "b"], N),
        [True, False] * 50,
        [f"t{row}" for row in range(12)],
    ],
    ids=["numbers", "sorted", "whole", "counts", "categories", "flags", "few rows"],
)
def test_ordinary_columns(cells: Any) -> None:
    assert kinds(cells.tolist() if isinstance(cells, np.ndarray) else cells) == []


def test_a_telling_name() -> None:
    numbers = GENERATOR.choice(10**9, N, replace=False).tolist()
    assert kinds(numbers, "patient_id") == ["identifier"]
    assert kinds(numbers, "income") == []


def test_labels_are_not_suspected() -> None:
    cells = {"label": [f"x{row}" for row in range(N)]}
    assert find_suspect_columns(sampled(cells, ["label"]), accumulated(cells)) == []
