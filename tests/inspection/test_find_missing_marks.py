"""Marks of missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.inspection.find_missing_marks import find_missing_marks
from inspection.columns import sampled

AGES = np.random.default_rng(0).integers(18, 90, 100).astype(float).tolist()


def marks(cells: list[Any]) -> list[str]:
    return [warning.sentence for warning in find_missing_marks(sampled({"c": cells}))]


@pytest.mark.parametrize("code", [-1, -9, -99, -999, 999, 9999, 99999, 2147483647])
def test_codes_that_stand_apart_are_asked_about(code: int) -> None:
    assert marks([*AGES, *[code] * 5]) == [
        f"c holds {code} in 5 of 105 rows looked at. Does that mean that the value is missing? "
        "If so, declare it a missing mark."
    ]


@pytest.mark.parametrize(
    "cells",
    [
        AGES,
        [*AGES, 999],  # once is no habit
        [*AGES, *[500] * 5],  # far apart, but no code
        [*(np.array(AGES) - 50), *[-9] * 5],  # among others of its size
        [-1.0, 1.0] * 20,
        [*np.linspace(-0.9, 0.9, 50), *[-1] * 5],
        list(range(900, 1100)) + [999] * 5,
        [-0.5, *[-9.5] * 5, 3.0, 4.0],
    ],
)
def test_ordinary_numbers_are_left_alone(cells: list[Any]) -> None:
    assert marks(cells) == []


@pytest.mark.parametrize("mark", ["?", "N/A", " unknown ", "-", "NULL", ""])
def test_texts(mark: str) -> None:
    found = marks(["red", "blue", mark, "red"])
    assert len(found) == 1
    assert repr(mark) in found[0]


def test_ordinary_texts() -> None:
    assert marks(["red", "nano", "nap", "x-y"]) == []
