"""What counts as a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halfseen.inspection.randomness_test import (
    ColumnRandomness,
    CoMissingness,
    LittleTest,
    RandomnessTest,
)

COLUMN = ColumnRandomness("b", 30, 0.6, 0.2, 0.2, "a", 0.6, None, None, "")


@pytest.mark.parametrize(("p", "is_told"), [(None, False), (0.049, True), (0.05, False)])
def test_the_corrected_p_decides(p: float | None, is_told: bool) -> None:
    column = replace(COLUMN, corrected_p=p)
    assert column.is_told == is_told
    test = RandomnessTest(9, (COLUMN, column), None, CoMissingness((), ()), "", "")
    assert test.looks_random != is_told


def test_little_alone_decides_too() -> None:
    little = LittleTest(9.0, 2, 0.01, 0.02, 3, 3, 100)
    assert not RandomnessTest(9, (COLUMN,), little, CoMissingness((), ()), "", "").looks_random
