"""Shares of a column."""

from __future__ import annotations

import pytest

from halfseen.inspection.column_summary import ColumnSummary


@pytest.mark.parametrize(
    ("n_rows", "n_observed", "share"), [(4, 1, 0.75), (4, 4, 0.0), (0, 0, 0.0)]
)
def test_share_missing(n_rows: int, n_observed: int, share: float) -> None:
    column = ColumnSummary(
        "a", "feature", "empty", n_rows, n_observed, 0, False, None, (), None, None
    )
    assert column.n_missing == n_rows - n_observed
    assert column.share_missing == share
