from __future__ import annotations

import pytest

from halfseen.cli.evaluation import Comparison, Evaluation, Honesty


@pytest.mark.parametrize(
    ("lower", "upper", "outcome"),
    [(-0.2, -0.1, "better"), (0.1, 0.2, "worse"), (-0.1, 0.1, "alike")],
)
def test_outcome(lower: float, upper: float, outcome: str) -> None:
    assert Comparison("labels", "other", lower, upper).outcome == outcome


def test_comparison_by_kind_and_rival() -> None:
    one, two = Comparison("labels", "a", 0, 0), Comparison("numbers", "a", 0, 0)
    evaluation = Evaluation(5, 9, 0.2, {}, (), (one, two), (), Honesty(0.9))
    assert evaluation.comparison("numbers", "a") is two
    assert evaluation.comparison("numbers", "b") is None
    assert evaluation.was_capped
