from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cli.tiny import MODEL, tiny_table
from halfseen import load
from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.column_answers import column_answers

NAMES = ["size", "weight", "sold", "colour", "y"]


@pytest.fixture(scope="module")
def answers() -> dict[str, ColumnAnswer]:
    table = pa.Table.from_pandas(tiny_table()[NAMES], preserve_index=False)
    return {answer.name: answer for answer in column_answers(load(MODEL), table, 0.8)}


def test_every_column_is_answered_in_its_kind(answers: dict[str, ColumnAnswer]) -> None:
    assert {name: answer.kind for name, answer in answers.items()} == {
        "size": "number",
        "weight": "number",
        "sold": "yes-no",
        "colour": "category",
        "y": "category",
    }
    assert [answer.is_label for answer in answers.values()] == [False] * 4 + [True]


def test_answers_are_those_of_the_estimator(answers: dict[str, ColumnAnswer]) -> None:
    model, frame = load(MODEL), tiny_table()
    completed = model.complete(frame[NAMES[:4]], frame["y"])
    np.testing.assert_array_equal(answers["y"].probabilities, completed.proba)
    np.testing.assert_allclose(answers["size"].expected, completed.X["size"], rtol=1e-5)
    assert list(answers["colour"].decision) == list(completed.X["colour"])


def test_bounds_hold_the_expectation_and_are_tidy(answers: dict[str, ColumnAnswer]) -> None:
    for name in ("size", "weight"):
        answer = answers[name]
        assert answer.lower is not None
        assert answer.upper is not None
        assert answer.expected is not None
        slack = 1e-3 * np.abs(answer.expected).max()
        assert (answer.lower <= answer.expected + slack).all()
        assert (answer.expected <= answer.upper + slack).all()
        np.testing.assert_array_equal(answer.lower, np.round(answer.lower, 5))


def test_probabilities_are_shares(answers: dict[str, ColumnAnswer]) -> None:
    for name in ("sold", "colour", "y"):
        shares = answers[name].probabilities
        assert shares is not None
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
    possible = answers["y"].possible
    assert possible is not None
    assert possible.any(axis=1).all()
