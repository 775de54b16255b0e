from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explanations.tiny import COLOUR, HOT, NEW, SIZE, tiny_model
from halfseen.explanations.question import (
    SMALLEST_PROBABILITY,
    Question,
    log_odds_of,
    probabilities_of,
    question_about,
)
from halfseen.tables import Column

COMPLETED = np.array([[0.5, 0.8, 0.3, 0.2, 0.7, 0.1]])


def test_questions_of_every_kind() -> None:
    model = tiny_model((SIZE, NEW, COLOUR), (HOT,), "labels")
    size, new, colour, hot = (question_about(model.schema_, k, COMPLETED) for k in range(4))
    assert (size.event, new.event, colour.event, hot.event) == (None, 1, "green", 1)
    assert [q.value(model, COMPLETED) for q in (size, new, colour, hot)] == [11.0, 1, "green", 0]
    assert size.levels(COMPLETED).tolist() == [11.0]
    assert new.levels(COMPLETED)[0] == pytest.approx(np.log(0.8 / 0.2))
    assert colour.levels(COMPLETED)[0] == pytest.approx(np.log(0.7 / 0.3))
    assert hot.probability(COMPLETED)[0] == pytest.approx(0.3)
    model.thresholds_ = np.array([0.25])
    assert hot.value(model, COMPLETED) == 1


@given(st.lists(st.floats(0.0, 1.0, width=32), min_size=3, max_size=3), st.integers(0, 2))
def test_log_odds_are_bounded_and_those_of_the_probability(units: list[float], code: int) -> None:
    shares = probabilities_of(COLOUR, np.array([units], np.float32))
    (odds,) = log_odds_of(shares, code)
    assert shares.sum() == pytest.approx(1.0)
    assert abs(odds) <= -np.log(SMALLEST_PROBABILITY) + 1.0
    assert 1 / (1 + np.exp(-odds)) == pytest.approx(shares[0, code])


def test_certainty_stays_finite() -> None:
    certain = probabilities_of(COLOUR, np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(certain.sum(axis=1), 1.0)
    np.testing.assert_allclose(certain[1], 1 / 3)
    assert log_odds_of(certain, 0)[0] == pytest.approx(-np.log(2 * SMALLEST_PROBABILITY), rel=1e-6)
    only = Column("only", "categorical", "softmax", 0.0, 1.0, ("a",), "object", (1.0,), 3)
    assert np.isfinite(log_odds_of(probabilities_of(only, np.ones((1, 1))), 0)).all()


def test_of_an_ordinal_column_small_pushes_show_and_the_answer_is_a_level() -> None:
    marks = Column(
        "mark", "numeric", "gaussian", 3.0, 1.0, (1.0, 3.0), "float64", (0.0,), 9, "ordinal"
    )
    question = Question(0, marks, slice(0, 1), 0)
    completed = np.array([[-0.25]])
    assert question.levels(completed).tolist() == [2.75]
    assert question.value(None, completed) == 3.0  # type: ignore[arg-type]
