from __future__ import annotations

import numpy as np
import pytest

from explanations.tiny import COLOUR, GONE, NEW, SIZE, people
from halfseen.explanations.example_model import example_model
from halfseen.explanations.usual_log_probability import (
    UsualLogProbability,
    entropy_of,
    information,
    observed_columns,
)
from halfseen.tables import Schema, read_table


def test_entropies_are_those_of_the_columns_alone() -> None:
    assert entropy_of(SIZE) == pytest.approx(0.5 * np.log(2 * np.pi) + 0.5)
    assert entropy_of(NEW) == pytest.approx(-0.3 * np.log(0.3) - 0.7 * np.log(0.7))
    shares = np.array([0.5, 0.3, 0.2])
    assert entropy_of(COLOUR) == pytest.approx(-(shares * np.log(shares)).sum())
    assert entropy_of(GONE) == 0.0


def test_observed_columns_are_those_of_the_table() -> None:
    schema, X = example_model().schema_, people()
    seen = observed_columns(schema, schema.encode(read_table(X), None).observed)
    np.testing.assert_array_equal(seen[:, :3], X.notna())
    assert not seen[:, 3:].any()


def test_scores_interpolate_middle_and_spread() -> None:
    schema = Schema((SIZE, NEW), (), None)
    entropies = np.array([1.0, 0.5])
    usual = UsualLogProbability(
        schema, entropies, np.array([0.0, 2.0]), np.array([0.0, 4.0]), np.array([0.0, 2.0])
    )
    observed = np.array([[True, True], [False, True]])
    scores = usual.scores(np.array([-1.0, -2.0]), observed)
    np.testing.assert_allclose(scores, [(4 - 0.5) / 2, (2 + 1.5) / np.sqrt(2)])
    np.testing.assert_allclose(information(entropies, observed), [1.5, 0.5])
