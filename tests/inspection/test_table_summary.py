"""Shares of a table."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.inspection import inspect_table


def test_names_and_share_missing() -> None:
    summary = inspect_table([{"a": ([1.0, 2.0], [True, False]), "b": (["x", "y"], [True, True])}])
    assert summary.names == ("a", "b")
    assert summary.share_missing == 0.25
    nan = np.full((3, 2), np.nan)
    assert inspect_table([nan]).share_missing == pytest.approx(1.0)
    assert inspect_table([nan]).n_empty_rows == 3
