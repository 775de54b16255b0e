"""Shares of a label."""

from __future__ import annotations

from halfseen.inspection.label_coverage import LabelCoverage


def test_shares() -> None:
    assert LabelCoverage("a", 8, 4, (), 2, 1).share_known == 0.5
    assert LabelCoverage("a", 8, 4, (), 2, 1).share_positive == 0.25
    assert LabelCoverage("a", 8, 4, (), 3, None).share_positive is None
    assert LabelCoverage("a", 8, 0, (), 0, 0).share_positive is None
    assert LabelCoverage("a", 0, 0, (), 0, 0).share_known == 0.0
