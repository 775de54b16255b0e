from __future__ import annotations

import pytest

from halfseen.cli.evaluation import Comparison, Evaluation, Honesty, MethodScores
from halfseen.cli.rival_answers import ITERATIVE, TRIVIAL
from halfseen.cli.verdict import verdict

MERELY_ASKED = Honesty(0.9)


def evaluation_of(
    against_trivial: tuple[float, float],
    against_rival: tuple[float, float],
    n_cells: int = 500,
    honesty: Honesty = MERELY_ASKED,
) -> Evaluation:
    def scores(name: str, right: float) -> MethodScores:
        return MethodScores(name, 0.7, None, right, 0.8, 1 - right, 1.0)

    return Evaluation(
        100,
        100,
        0.2,
        {"labels": n_cells, "numbers": 500},
        (scores("halfseen", 0.9), scores(TRIVIAL, 0.5), scores(ITERATIVE, 0.85)),
        (
            Comparison("labels", TRIVIAL, *against_trivial),
            Comparison("labels", ITERATIVE, *against_rival),
        ),
        (),
        honesty,
    )


def _of_labels(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Labels")]


BETTER, ALIKE, WORSE = (-0.2, -0.1), (-0.1, 0.1), (0.1, 0.2)


@pytest.mark.parametrize(
    ("against_trivial", "against_rival", "words"),
    [
        (BETTER, BETTER, "Labels: yes, its probabilities are clearly nearer"),
        (BETTER, ALIKE, "Labels: yes, as much as"),
        (BETTER, WORSE, f"Labels: {ITERATIVE} is clearly nearer"),
        (ALIKE, BETTER, "Labels: not beyond the obvious"),
        (WORSE, WORSE, "Labels: not beyond the obvious"),
    ],
)
def test_what_is_said_follows_from_the_comparisons(
    against_trivial: tuple[float, float], against_rival: tuple[float, float], words: str
) -> None:
    (said,) = _of_labels(verdict(evaluation_of(against_trivial, against_rival)))
    assert said.startswith(words)
    assert "halfseen: 90.0 % right, AUC 0.800" in said


def test_too_few_cells_to_tell() -> None:
    (said,) = _of_labels(verdict(evaluation_of(BETTER, BETTER, n_cells=40)))
    assert "too few to tell" in said


@pytest.mark.parametrize(
    ("honesty", "words"),
    [
        (Honesty(0.9, interval_coverage=0.89, interval_width=2.0), "Intervals: honest"),
        (Honesty(0.9, interval_coverage=0.6, interval_width=2.0), "Intervals: too narrow"),
        (Honesty(0.9, set_coverage=0.9, share_sure=0.8), "'Not sure': honest"),
        (Honesty(0.9, set_coverage=0.7, share_sure=0.8), "'Not sure': too bold"),
        (Honesty(0.9, calibration_error=0.02, chance_error=0.01), "at their word"),
        (Honesty(0.9, calibration_error=0.07, chance_error=0.08), "at their word"),
        (Honesty(0.9, calibration_error=0.07, chance_error=0.03), "with care"),
        (Honesty(0.9, calibration_error=0.042, chance_error=0.031), "with care"),
    ],
)
def test_honesty(honesty: Honesty, words: str) -> None:
    assert any(words in line for line in verdict(evaluation_of(BETTER, BETTER, honesty=honesty)))


def test_the_caveat_is_always_there() -> None:
    assert "at random" in verdict(evaluation_of(BETTER, BETTER))[-1]
