from __future__ import annotations

import pytest

from halfseen.report import ScoreRow


@pytest.mark.parametrize(
    ("score", "higher"),
    [("RMSE", False), ("log-loss", False), ("calibration error", False), ("micro-AUC", True)],
)
def test_the_name_tells_what_is_better(score: str, higher: bool) -> None:
    assert ScoreRow("a", score, 1.0).better_when_higher is higher
    assert ScoreRow("a", score, 1.0, higher_is_better=not higher).better_when_higher is not higher


def test_ours() -> None:
    assert ScoreRow("halfseen, fast", "AUC", 1.0).ours
    assert not ScoreRow("column prior", "AUC", 1.0).ours
    assert ScoreRow("mine", "AUC", 1.0, is_ours=True).ours
