from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from halfseen.demo.halfseen_answer import FittedAnswer, halfseen_answer
from halfseen.demo.hidden_digits import HiddenDigits, hide_digits
from halfseen.learning.progress import ProgressLine


@pytest.fixture(scope="module")
def digits() -> HiddenDigits:
    return hide_digits(slice(20, 170), 0.5, seed=0)


@pytest.fixture(scope="module")
def fitted(digits: HiddenDigits) -> FittedAnswer:
    return halfseen_answer(digits, 0, n_epochs=2)


def test_answers_from_observed_entries_only(digits: HiddenDigits, fitted: FittedAnswer) -> None:
    other_truth = dataclasses.replace(
        digits,
        pixels=np.where(digits.observed_pixels, digits.pixels, 16 - digits.pixels),
        labels=np.where(digits.observed_labels, digits.labels, (digits.labels + 1) % 10),
    )
    other, model = halfseen_answer(other_truth, 0, n_epochs=2)
    for part, other_part in zip(fitted.answer, other, strict=True):
        np.testing.assert_array_equal(part, other_part)
    assert model.n_iter_ == 2


def test_answers_every_row_and_keeps_what_is_observed(
    digits: HiddenDigits, fitted: FittedAnswer
) -> None:
    answer = fitted.answer
    seen = digits.observed_labels
    np.testing.assert_array_equal(answer.labels[seen], digits.labels[seen])
    np.testing.assert_array_equal(answer.classes, np.arange(10))
    np.testing.assert_allclose(answer.scores.sum(axis=1), 1, rtol=1e-5)
    assert answer.pixels is not None
    assert np.isfinite(answer.pixels).all()
    shown = digits.observed_pixels
    np.testing.assert_array_equal(answer.pixels[shown], digits.pixels[shown])


def test_interruption_ends_the_demo(digits: HiddenDigits, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(line: ProgressLine, done: int, note: str = "") -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        halfseen_answer(digits, 0, n_epochs=2)
