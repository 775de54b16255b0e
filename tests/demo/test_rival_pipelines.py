from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest

from halfseen.demo.answer import Answer
from halfseen.demo.hidden_digits import HiddenDigits, hide_digits
from halfseen.demo.hidden_scores import score_hidden
from halfseen.demo.rival_pipelines import RIVALS, Rival, boosting_on_holes, trivial_answer

by_name = pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: rival.name)


@pytest.fixture(scope="module")
def digits() -> HiddenDigits:
    return hide_digits(slice(0, 150), 0.5, seed=0)


@pytest.fixture(scope="module")
def answers(digits: HiddenDigits) -> Mapping[str, Answer]:
    return {rival.name: rival.answer(digits, 0) for rival in RIVALS}


@by_name
def test_answers_every_row_and_keeps_what_is_observed(
    rival: Rival, digits: HiddenDigits, answers: Mapping[str, Answer]
) -> None:
    answer = answers[rival.name]
    assert answer.labels.shape == (150,)
    assert set(answer.labels) <= set(range(10))
    np.testing.assert_array_equal(answer.classes, np.arange(10))
    np.testing.assert_allclose(answer.scores.sum(axis=1), 1)
    if answer.pixels is not None:
        assert np.isfinite(answer.pixels).all()
        seen = digits.observed_pixels
        np.testing.assert_array_equal(answer.pixels[seen], digits.pixels[seen])


@by_name
def test_hidden_entries_cannot_be_peeked_at(
    rival: Rival, digits: HiddenDigits, answers: Mapping[str, Answer]
) -> None:
    rng = np.random.default_rng(1)
    other_truth = dataclasses.replace(
        digits,
        pixels=np.where(digits.observed_pixels, digits.pixels, rng.random(digits.pixels.shape)),
        labels=np.where(digits.observed_labels, digits.labels, (digits.labels + 1) % 10),
    )
    answer, other = answers[rival.name], rival.answer(other_truth, 0)
    np.testing.assert_array_equal(answer.labels, other.labels)
    np.testing.assert_array_equal(answer.scores, other.scores)
    if answer.pixels is not None:
        np.testing.assert_array_equal(answer.pixels, other.pixels)


@pytest.mark.parametrize("rival", RIVALS[1:], ids=lambda rival: rival.name)
def test_better_than_trivial(
    rival: Rival, digits: HiddenDigits, answers: Mapping[str, Answer]
) -> None:
    trivial = score_hidden(digits, answers[RIVALS[0].name])
    scores = score_hidden(digits, answers[rival.name])
    assert scores.accuracy > trivial.accuracy + 0.2
    assert scores.averaged_auc > 0.7


def test_trivial_answer_is_mean_mode_and_prior(digits: HiddenDigits) -> None:
    answer = trivial_answer(digits, 0)
    counts = np.bincount(digits.labels[digits.observed_labels], minlength=10)
    assert set(answer.labels) == {np.argmax(counts)}
    np.testing.assert_allclose(answer.scores, np.tile(counts / counts.sum(), (150, 1)))
    assert answer.pixels is not None
    row, column = np.argwhere(~digits.observed_pixels)[100]
    assert answer.pixels[row, column] == pytest.approx(np.nanmean(digits.X[:, column]))
    assert score_hidden(digits, answer).averaged_auc == 0.5


def test_only_boosting_on_holes_fills_nothing(answers: Mapping[str, Answer]) -> None:
    unfilled = [rival for rival in RIVALS if answers[rival.name].pixels is None]
    assert [rival.answer for rival in unfilled] == [boosting_on_holes]
