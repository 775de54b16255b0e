from __future__ import annotations

import numpy as np
import pytest

from halfseen.explanations import TypicalPattern
from halfseen.explanations.example_model import example_model
from halfseen.explanations.nearest_patterns import nearest_patterns, standard_units


def _pattern(*units: float) -> TypicalPattern:
    return TypicalPattern(0, 0.5, (), np.array(units, np.float32))


def test_overlap_is_the_cosine_over_what_was_observed() -> None:
    schema = example_model().schema_
    near = _pattern(2.0, 1, 0.4, 0.5, 0.5, 0.3, 0.2)
    far = _pattern(-2.0, 0, 1, 1, 1, 0, 0)
    row = np.array([2.0, 1, 9, 9, 9, 9, 9], np.float32)
    observed = np.array([True, True, *[False] * 5])
    first, last = nearest_patterns(schema, [far, near], row, observed)
    assert first.pattern is near
    assert first.overlap == pytest.approx(1.0)
    away, other = np.array([2.0, 0.7 / np.sqrt(0.21)]), np.array([-2.0, -0.3 / np.sqrt(0.21)])
    cosine = away @ other / np.sqrt((away @ away) * (other @ other))
    assert last.overlap == pytest.approx(cosine)


def test_a_row_of_which_nothing_was_observed_is_near_to_none() -> None:
    schema = example_model().schema_
    nothing = np.zeros(7, bool)
    assert nearest_patterns(schema, [_pattern(*[0.0] * 7)], np.zeros(7, np.float32), nothing) == ()


def test_the_average_row_has_no_overlap() -> None:
    schema = example_model().schema_
    average = schema.marginals.astype(np.float32)
    np.testing.assert_allclose(standard_units(schema, average), 0.0, atol=1e-6)
    everything = np.ones(7, bool)
    (near,) = nearest_patterns(schema, [_pattern(*schema.marginals)], np.eye(7)[0], everything)
    assert near.overlap == 0.0
