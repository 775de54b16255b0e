from __future__ import annotations

import numpy as np

from halfseen.cli.pattern_picture import pattern_picture
from halfseen.inspection import inspect_table


def picture_of(observed: np.ndarray) -> str:
    values = np.random.default_rng(0).normal(size=observed.shape)
    return pattern_picture(inspect_table(np.where(observed, values, np.nan)), 100)


def test_columns_that_go_together() -> None:
    observed = np.ones((100, 3), dtype=bool)
    observed[:30, 1:] = False
    observed[30:40, 2] = False
    first, second, third = picture_of(observed).splitlines()
    assert "60 rows  60.0 %  ██  complete" in first
    assert "30 rows  30.0 %  ··  without x2, x1" in second
    assert "10 rows  10.0 %  █·  without x2" in third


def test_a_table_without_holes_has_no_picture() -> None:
    assert picture_of(np.ones((20, 3), dtype=bool)) == ""


def test_patterns_that_hardly_repeat_are_said_so() -> None:
    observed = np.random.default_rng(1).random((400, 30)) < 0.5
    assert "Hardly any two rows" in picture_of(observed)
