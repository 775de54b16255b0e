from __future__ import annotations

import numpy as np

from explanations.tiny import COLOUR, GONE, NEW, SHAPE, SIZE
from halfseen.explanations.column_states import column_states
from halfseen.tables import Schema


def test_states_of_every_kind() -> None:
    states = column_states(Schema((SIZE, NEW, GONE, COLOUR, SHAPE), (), None))
    named = [(state.name, state.category) for state in states]
    assert named == [
        ("size", None), ("new", None), ("colour", "blue"), ("colour", "green"), ("colour", "red"),
        ("shape", "round"),
    ]  # fmt: skip
    green = states[3]
    np.testing.assert_allclose(green.low, [5 / 7, 0, 2 / 7])
    np.testing.assert_array_equal(green.high, [0, 1, 0])
    assert np.isclose(green.deviation, np.sqrt(0.3 * 0.7))
    assert states[0].is_number
    assert not states[1].is_number
