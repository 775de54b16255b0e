from __future__ import annotations

import numpy as np
import pytest

from halfseen.demo.answer import Answer
from halfseen.demo.hidden_digits import HiddenDigits, hide_digits
from halfseen.demo.hidden_scores import score_hidden

CLASSES = np.arange(10)


@pytest.fixture(scope="module")
def digits() -> HiddenDigits:
    return hide_digits(slice(0, 200), 0.5, seed=0)


def truth(digits: HiddenDigits) -> Answer:
    scores = np.eye(10)[digits.labels]
    return Answer(digits.labels.copy(), scores, CLASSES, digits.pixels.copy())


def test_observed_entries_do_not_count(digits: HiddenDigits) -> None:
    answer = truth(digits)
    seen = digits.observed_labels
    answer.labels[seen] = (answer.labels[seen] + 1) % 10
    answer.scores[seen] = 1 - answer.scores[seen]
    assert answer.pixels is not None
    answer.pixels[digits.observed_pixels] += 5
    assert score_hidden(digits, answer) == (1.0, 1.0, 0.0)


def test_every_hidden_entry_counts(digits: HiddenDigits) -> None:
    answer = truth(digits)
    hidden = np.flatnonzero(~digits.observed_labels)
    answer.labels[hidden[0]] = (answer.labels[hidden[0]] + 1) % 10
    answer.scores[hidden] = 1 - answer.scores[hidden]
    assert answer.pixels is not None
    answer.pixels[~digits.observed_pixels] += 3
    scores = score_hidden(digits, answer)
    assert scores.accuracy == pytest.approx(1 - 1 / hidden.size)
    assert scores.averaged_auc == 0.0
    assert scores.rmse == pytest.approx(3.0)


def test_no_rmse_without_pixels(digits: HiddenDigits) -> None:
    assert score_hidden(digits, truth(digits)._replace(pixels=None)).rmse is None
