from __future__ import annotations

import numpy as np
import pytest

from halfseen.cli.column_answer import ColumnAnswer

SEEN = np.array([False, False, True])


def test_confidence_is_that_of_the_decision_even_if_another_value_is_likelier() -> None:
    answer = ColumnAnswer(
        "z",
        "yes-no",
        True,
        SEEN,
        values=(0, 1),
        chosen=np.array([1, 1, 1]),
        probabilities=np.array([[0.6, 0.4], [0.2, 0.8], [0.0, 1.0]]),
    )
    np.testing.assert_allclose(answer.confidence, [0.4, 0.8, 1.0])  # type: ignore[arg-type]
    assert answer.is_not_sure is None
    assert answer.possible_texts() is None


def test_numbers_have_no_probability() -> None:
    answer = ColumnAnswer("a", "number", False, SEEN, expected=np.array([1.5, 2.0, 3.0]))
    assert answer.confidence is None
    assert answer.decision.tolist() == [1.5, 2.0, 3.0]


@pytest.mark.parametrize(
    ("values", "kind"), [((0, 1), "i"), ((False, True), "b"), (("a", 3), "O"), ((1.5, 2.5), "f")]
)
def test_decisions_keep_the_type_of_the_values(values: tuple[object, ...], kind: str) -> None:
    answer = ColumnAnswer("a", "category", True, SEEN, values=values, chosen=np.array([1, 0, 1]))
    assert answer.decision.dtype.kind == kind
    assert answer.decision.tolist() == [values[1], values[0], values[1]]


def test_possible_values_as_text() -> None:
    may = np.array([[True, False, True], [False, True, False], [True, False, True]])
    answer = ColumnAnswer("a", "category", True, SEEN, values=("x", "y", 3), possible=may)
    assert answer.possible_texts().tolist() == ["x|3", "y", "x|3"]  # type: ignore[union-attr]
    assert answer.is_not_sure.tolist() == [True, False, True]  # type: ignore[union-attr]
