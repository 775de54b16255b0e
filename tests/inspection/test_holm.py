"""Holm's correction."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection.holm import holm


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_step_by_step(p_values: list[float]) -> None:
    corrected = holm(p_values)
    ordered = sorted(range(len(p_values)), key=lambda i: (p_values[i], i))
    running = 0.0
    for rank, i in enumerate(ordered):
        running = max(running, min(1.0, p_values[i] * (len(p_values) - rank)))
        assert np.isclose(corrected[i], running)
